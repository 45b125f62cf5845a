"""A pattern as it is written → its parts: host, path segments, query."""

from recrawl.formats.templates import Capture, Piece, pieces
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass
from recrawl.scope.patterns_pieces import Literal, Part, part_of

CROSSING = ("path", "url")


@dataclass(frozen=True, slots=True)
class Shape:
    """`host` None: any host of the site. `rest`: what follows the segments where a capture crosses slashes, compared
    with the remaining path as one text. `open_query`: further parameters may follow."""

    host: Part | None
    segments: tuple[Part, ...]
    rest: Part | None
    query: tuple[tuple[str, Part], ...]
    open_query: bool
    query_rest: str = ""  # the capture that takes the further parameters

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.query)


def read_shape(match: str) -> Shape:
    if "#" in match:
        raise FormatError(f"{match!r}: addresses are compared without their #fragment; leave it out")
    text = list(pieces(match))
    if not text:
        raise FormatError("an empty pattern matches nothing; write an address such as /item/{id:int}")
    host, text = _host(text, match)
    path, query = _cut(text, "?")
    segments, rest = _path(path, match)
    pairs, is_open, takes = _query(query, match)
    return Shape(host, segments, rest, pairs, is_open, takes)


def _host(text: list[Piece], match: str) -> tuple[Part | None, list[Piece]]:
    """`http` and `https` are the same to a pattern: sites move from one to the other."""
    first = text[0]
    if isinstance(first, str) and first.startswith("/"):
        return None, text
    head, colon, rest = first.partition("://") if isinstance(first, str) else ("", "", "")
    if not colon or head.lower() not in ("http", "https"):
        raise FormatError(f"{match!r}: a pattern starts with / or with http:// or https://")
    authority, path = _cut([*([rest] if rest else []), *text[1:]], "/")
    if not authority:
        raise FormatError(f"{match!r}: there is no host between // and /")
    small = tuple(one.lower() if isinstance(one, str) else one for one in authority)
    host = part_of(small)
    if isinstance(host, Literal):
        port = ":80" if head.lower() == "http" else ":443"
        host = Literal(host.text.removesuffix(port).removesuffix("."))
    return host, ["/", *path]


def _path(text: list[Piece], match: str) -> tuple[tuple[Part, ...], Part | None]:
    segments: list[Part] = []
    for number, segment in enumerate(_split(text, "/")):
        if number == 0:
            continue  # before the first slash
        if any(isinstance(one, Capture) and one.type in CROSSING for one in segment):
            remaining = [one for later in _split(text, "/")[number:] for one in ("/", *later)][1:]
            return tuple(segments), part_of(_joined(remaining))
        segments.append(part_of(tuple(segment)) if segment else Literal(""))
    if not segments:
        raise FormatError(f"{match!r}: there is no path; write / after the host")
    return tuple(segments), None


def _query(text: list[Piece], match: str) -> tuple[tuple[tuple[str, Part], ...], bool, str]:
    pairs: list[tuple[str, Part]] = []
    is_open, takes = False, ""
    for pair in _split(text, "&") if text else ():
        if pair == ["*"]:
            is_open = True
        elif len(pair) == 1 and isinstance(pair[0], Capture) and pair[0].type == "path":
            is_open, takes = True, pair[0].name
        else:
            pairs.append(_pair(pair, match))
    if len({name for name, _ in pairs}) < len(pairs):
        raise FormatError(f"{match!r}: a query parameter is named twice")
    return tuple(pairs), is_open, takes


def _pair(pair: list[Piece], match: str) -> tuple[str, Part]:
    if not pair or not isinstance(pair[0], str):
        raise FormatError(f"{match!r}: write query parameters as name=value, &* for any further ones")
    name, equals, value = pair[0].partition("=")
    if not equals and len(pair) > 1:
        raise FormatError(f"{match!r}: a capture stands for a value, after name=")
    rest = [*([value] if value else []), *pair[1:]]
    return part_of((name,)).text, part_of(tuple(rest)) if rest else Literal("")  # type: ignore[union-attr]


def _cut(text: list[Piece], mark: str) -> tuple[list[Piece], list[Piece]]:
    """What stands before and after the first mark."""
    for place, one in enumerate(text):
        if isinstance(one, str) and mark in one:
            before, _, after = one.partition(mark)
            return [*text[:place], *([before] if before else [])], [*([after] if after else []), *text[place + 1 :]]
    return text, []


def _split(text: list[Piece], mark: str) -> list[list[Piece]]:
    groups: list[list[Piece]] = [[]]
    for one in text:
        if isinstance(one, Capture):
            groups[-1].append(one)
            continue
        first, *others = one.split(mark)
        groups[-1] += [first] if first else []
        groups += [[other] if other else [] for other in others]
    return groups


def _joined(text: list[Piece]) -> tuple[Piece, ...]:
    """Neighbouring literals as one."""
    joined: list[Piece] = []
    for one in text:
        if joined and isinstance(one, str) and isinstance(joined[-1], str):
            joined[-1] += one
        else:
            joined.append(one)
    return tuple(joined)
