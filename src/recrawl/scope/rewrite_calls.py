"""Scripts as far as a link needs them: code → tokens, and patterns of calls that are sought among them.

    javascript:show_detail({0})                     one argument, a number or a string
    javascript:openItem(*, {id:int}, {slug}, ...)   `*` any one argument, however nested; `...` all that remain
    javascript:go({page: {n:int}})                  captures inside objects and arrays
    javascript:location.href='/item/{id:int}'       captures inside a string

White space and the kind of quotes do not matter; a pattern may stand anywhere in the code. Nothing is ever run.
"""

import re
from itertools import zip_longest
from urllib.parse import unquote

from recrawl.formats.templates import SCRIPT_MARK, Capture, Piece, is_script, pieces
from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.values import dataclass
from recrawl.scope.patterns_pieces import ALONE, Alone, Framed, Free, Literal, Mixed, part_of

LONGEST_CODE = 20_000
MOST_TOKENS = 2_000

_TOKEN = late(
    r"""(?P<capture>\{(?:[A-Za-z_]\w*|[0-9]+)(?::[A-Za-z_]\w*)?\})
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
      | (?P<number>0[xX][0-9A-Fa-f]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<word>[A-Za-z_$\u0080-\uffff][\w$]*)
      | (?P<dots>\.\.\.)
      | (?P<space>\s+|/\*.*?\*/|//[^\n]*)
      | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = late(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_BEFORE_MINUS = ("(", "[", ",", ":", "=")
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """`text` of a string is its value, without quotes and escapes."""

    kind: str  # string, number, word, sign, capture, dots
    text: str


_ANY, _MINUS, _COMMA = (Token("sign", text) for text in "*-,")


def tokens(code: str, with_captures: bool = False) -> list[Token]:
    """Of a `javascript:` address or of plain code; the first ones of a very long script."""
    found: list[Token] = []
    for match in _TOKEN.finditer(_code(code)[:LONGEST_CODE]):
        kind, text = match.lastgroup or "sign", match[0]
        if kind == "space":
            continue
        if kind == "capture" and not with_captures:
            found += _braced(text)
        elif kind == "number" and len(found) > 1 and found[-1] == _MINUS and found[-2].text in _BEFORE_MINUS:
            found[-1] = Token("number", f"-{text}")
        else:
            found.append(Token(kind, unescaped(text[1:-1]) if kind == "string" else text))
        if len(found) >= MOST_TOKENS:
            break
    return found


def unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


@dataclass(frozen=True, slots=True)
class Call:
    """A pattern of tokens. `head` is its first word, by which it is found."""

    written: str
    head: str
    wanted: tuple[Token | Free, ...]

    def read(self, code: list[Token], at: int) -> dict[str, str] | None:
        """What is captured if the pattern stands at this place of the code."""
        values: dict[str, str] = {}
        for want in self.wanted:
            end = _step(want, code, at, values)
            if end is None:
                return None
            at = end
        return values


def read_call(written: str) -> Call:
    if not is_script(written):
        raise FormatError(f"{written!r}: a pattern of a script starts with {SCRIPT_MARK}")
    text = tokens(written, with_captures=True)
    wanted = tuple(
        _want(one)
        for one, after in zip_longest(text, text[1:])
        if one is not None
        and not (one == _COMMA and after is not None and after.kind == "dots")  # it goes with the dots
    )
    if not wanted or not isinstance(wanted[0], Token) or wanted[0].kind != "word":
        raise FormatError(f"{written!r}: a script pattern starts with a name, such as {SCRIPT_MARK}show({{0}})")
    return Call(written, wanted[0].text, wanted)


class Calls:
    """Many patterns of calls, found by their first word. The first one written wins."""

    def __init__(self, written: list[tuple[int, str]]) -> None:
        self._by_head: dict[str, list[tuple[int, Call]]] = {}
        for index, one in written:
            call = read_call(one)
            self._by_head.setdefault(call.head, []).append((index, call))

    def __bool__(self) -> bool:
        return bool(self._by_head)

    def match(self, code: str) -> tuple[int, dict[str, str]] | None:
        text = tokens(code)
        best: tuple[int, dict[str, str]] | None = None
        for at, token in enumerate(text):
            if token.kind != "word" or (at and text[at - 1] == Token("sign", ".")):
                continue
            for index, call in self._by_head.get(token.text, ()):
                if (best is None or index < best[0]) and (values := call.read(text, at)) is not None:
                    best = (index, values)
        return best


def calls_in(code: str) -> list[tuple[str, list[str | None]]]:
    """Every call of a name in the code with its arguments: scalars as texts, None for anything nested or computed."""
    text = tokens(code)
    found: list[tuple[str, list[str | None]]] = []
    for at, token in enumerate(text[:-1]):
        after_dot = at > 0 and text[at - 1] == Token("sign", ".")
        if token.kind == "word" and not after_dot and text[at + 1] == Token("sign", "("):
            found.append((token.text, _arguments(text, at + 2)))
    return found


def _arguments(code: list[Token], at: int) -> list[str | None]:
    arguments: list[str | None] = []
    while (end := _past_argument(code, at)) is not None:
        scalar = end == at + 1 and code[at].kind in ("string", "number")
        arguments.append(code[at].text if scalar else None)
        if end >= len(code) or code[end] != _COMMA:
            break
        at = end + 1
    return arguments


def _step(want: Token | Free, code: list[Token], at: int, values: dict[str, str]) -> int | None:
    """The place after what is wanted, None if it does not stand here."""
    if isinstance(want, Token) and want.kind == "dots":
        return _past_arguments(code, at)
    if at >= len(code):
        return None
    if isinstance(want, Token) and want == _ANY:
        return _past_argument(code, at)
    token = code[at]
    if isinstance(want, Token):
        same = token.text == want.text and (token.kind == "string") == (want.kind == "string")
        return at + 1 if same else None
    if isinstance(want, Framed | Mixed):
        return at + 1 if token.kind == "string" and want.read(token.text, values) else None
    return at + 1 if token.kind in ("string", "number", "word") and want.read(token.text, values) else None


def _past_argument(code: list[Token], at: int) -> int | None:
    """Past one argument, brackets and all; it must not be empty."""
    start = at
    open_signs: list[str] = []
    while at < len(code):
        token = code[at]
        if token.kind == "sign" and not open_signs and token.text in ",)]}":
            break
        if token.kind == "sign" and token.text in _PAIRS:
            open_signs.append(_PAIRS[token.text])
        elif token.kind == "sign" and open_signs and token.text == open_signs[-1]:
            open_signs.pop()
        at += 1
    return at if at > start else None


def _past_arguments(code: list[Token], at: int) -> int:
    """Past all arguments that remain, none included, and the comma before them."""
    at += at < len(code) and code[at] == _COMMA
    while (end := _past_argument(code, at)) is not None and end < len(code) and code[end].text == ",":
        at = end + 1
    return at if end is None else end


def _want(token: Token) -> Token | Free:
    if token.kind == "capture":
        (capture,) = pieces(token.text)
        assert isinstance(capture, Capture)
        return Alone(capture, ALONE[capture.type])
    if token.kind == "string":
        inside: tuple[Piece, ...] = pieces(token.text, loose=True)
        if any(isinstance(one, Capture) for one in inside):
            part = part_of(inside)
            assert not isinstance(part, Literal)
            return part
    return token


def _braced(text: str) -> list[Token]:
    """`{a:b}` in real code is an object."""
    words = [Token("word", word) for word in text[1:-1].split(":")]
    inside = words if len(words) == 1 else [words[0], Token("sign", ":"), words[1]]
    return [Token("sign", "{"), *inside, Token("sign", "}")]


def _code(written: str) -> str:
    text = written.lstrip()
    if not is_script(text):
        return text
    code = text[len(SCRIPT_MARK) :]
    return unquote(code) if "%" in code else code


def _character(found: re.Match[str]) -> str:
    braced, four, two, one = found.groups()
    number = braced or four or two
    if number:
        code = int(number, 16)
        return chr(code) if code < 0x110000 else "\ufffd"
    return _LETTERS.get(one, one)
