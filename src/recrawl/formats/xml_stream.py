"""XML read as it streams by, within limits: no document type, no entities but the five, no deep nesting.

What came before a fault stays read: a sitemap that breaks off in its middle has still said its first half.
"""

import re
from collections.abc import Callable, Iterable
from xml.parsers.expat import ExpatError, ParserCreate, XMLParserType

from recrawl.model.values import dataclass

LONGEST_TEXT = 8192
DEEPEST = 64
CHUNK = 65_536
LONGEST_TAG = 1_000_000  # bytes of one tag, comment or instruction: expat looks at all of them again with every chunk
MOST_ELEMENTS = 1_000_000
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_AS_IT_IS = frozenset({"utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-1"})

Opened = Callable[[str, dict[str, str]], None]
Closed = Callable[[str, str], None]


class Enough(Exception):
    """Raised by a reader that has seen all it may."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How the reading went. `fault` '': to the end. Lines and columns count from 1."""

    fault: str = ""
    line: int = 0
    column: int = 0
    enough: bool = False  # the reader stopped by itself


class _Refused(Exception):
    pass


def read(data: bytes, opened: Opened, closed: Closed) -> Ended:
    """Calls `opened(name, attributes)` and `closed(name, text)` for every element; names are `namespace name`,
    or the bare name without one; text is what stands directly in the element, the first 8 KB of it."""
    parser, chunks = _prepared(data)
    walk = _Walk(opened, closed)
    walk.listen(parser)
    try:
        fed = 0
        for chunk in chunks:
            parser.Parse(chunk, False)
            fed += len(chunk)
            if fed - parser.CurrentByteIndex > LONGEST_TAG:
                raise _Refused(f"a tag or comment of more than {LONGEST_TAG} bytes")
        parser.Parse(b"", True)
    except Enough:
        return Ended(enough=True)
    except _Refused as refused:
        return Ended(str(refused), parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
    except ExpatError as error:
        return Ended(str(error).partition(":")[0], error.lineno, error.offset + 1)
    except ValueError as error:  # an encoding that expat cannot read
        return Ended(str(error), 1, 1)
    return Ended()


def _prepared(data: bytes) -> tuple[XMLParserType, Iterable[bytes]]:
    """Encodings beyond expat's own are turned into UTF-8 first."""
    declared = _DECLARED.match(data[:300])
    name = declared[1].decode("ascii").lower() if declared else "utf-8"
    if name in _AS_IT_IS:
        return _parser(None), _cut(data)
    try:
        return _parser("utf-8"), _cut(data.decode(name, "replace").encode())
    except LookupError:
        return _parser(None), _cut(data)


def _parser(encoding: str | None) -> XMLParserType:
    parser = ParserCreate(encoding, namespace_separator=" ")
    parser.buffer_text = True
    return parser


def _cut(data: bytes) -> Iterable[bytes]:
    return (data[at : at + CHUNK] for at in range(0, len(data), CHUNK))


class _Walk:
    def __init__(self, opened: Opened, closed: Closed) -> None:
        self._opened, self._closed = opened, closed
        self._texts: list[list[str]] = []
        self._room: list[int] = []
        self._elements = 0

    def listen(self, parser: XMLParserType) -> None:
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._texts) >= DEEPEST:
            raise _Refused(f"nested deeper than {DEEPEST}")
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise _Refused(f"more than {MOST_ELEMENTS} elements")
        self._texts.append([])
        self._room.append(LONGEST_TEXT)
        self._opened(name, attributes)

    def _end(self, name: str) -> None:
        self._room.pop()
        self._closed(name, "".join(self._texts.pop()).strip())

    def _text(self, text: str) -> None:
        if self._texts and self._room[-1] > 0:
            self._texts[-1].append(text[: self._room[-1]])
            self._room[-1] -= len(text)

    def _doctype(self, *_: object) -> None:
        raise _Refused("a document type is not read")
