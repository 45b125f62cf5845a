"""S4's batch file: what one connection brought, to be taken into the database in one go.

    #HOSTNAME : www.example.com
    # URL : http://www.example.com/a.html
    # Action : U
    # SIZE : 156
    # LASTMODIFIED : 20030720101500

    <html>…   (SIZE bytes, then a line end)

The size says where a document ends, so a document may hold anything, also lines that look like these.
A deleted document has size 0 and no moment of its own but that of the notice.
"""

from recrawl.formats.his import KINDS, moment_text, read_moment
from recrawl.model.failure import FormatError
from recrawl.model.notice import NoticeKind
from recrawl.model.values import dataclass

_HOST = "#HOSTNAME : "
_FIELDS = ("# URL : ", "# Action : ", "# SIZE : ", "# LASTMODIFIED : ")


@dataclass(frozen=True, slots=True)
class Collected:
    url: str
    action: NoticeKind
    modified_at: int
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class BatchFile:
    host: str
    documents: tuple[Collected, ...] = ()


def render(batch: BatchFile) -> bytes:
    return _head(_HOST + batch.host) + b"".join(render_document(one) for one in batch.documents)


def render_host(host: str) -> bytes:
    return _head(_HOST + host)


def render_document(one: Collected) -> bytes:
    """One document, to be appended as it is collected."""
    values = (one.url, one.action.value, str(len(one.body)), moment_text(one.modified_at))
    head = b"".join(_head(name + value) for name, value in zip(_FIELDS, values, strict=True))
    return head + b"\n" + one.body + b"\n"


def parse(data: bytes, source: str = "") -> BatchFile:
    lines = _Lines(data, source)
    host = lines.field(_HOST)
    documents = []
    while not lines.ended:
        url, action, size, modified = (lines.field(name) for name in _FIELDS)
        lines.blank()
        if action not in KINDS:
            raise lines.fault(f"unknown action {action!r}; it is A, U or D")
        if not (size.isascii() and size.isdecimal()):
            raise lines.fault(f"{size!r} is not a size in bytes")
        documents.append(Collected(url, NoticeKind(action), read_moment(modified), lines.take(int(size))))
    return BatchFile(host, tuple(documents))


def _head(line: str) -> bytes:
    if "\n" in line or "\r" in line:
        raise FormatError("an address with a line end")
    return line.encode() + b"\n"


class _Lines:
    """Walks through the bytes, counting lines for the errors."""

    def __init__(self, data: bytes, source: str) -> None:
        self._data, self._source, self._at, self._line = data, source, 0, 0

    @property
    def ended(self) -> bool:
        return self._at >= len(self._data)

    def fault(self, message: str) -> FormatError:
        return FormatError(message, self._line, 1, self._source)

    def field(self, name: str) -> str:
        line = self._next()
        if not line.startswith(name):
            raise self.fault(f"expected {name.strip()!r}, found {line[:40]!r}")
        return line.removeprefix(name)

    def blank(self) -> None:
        if self._next():
            raise self.fault("expected an empty line before the document")

    def take(self, size: int) -> bytes:
        end = self._at + size
        body = self._data[self._at : end]
        if self._data[end : end + 1] != b"\n":
            raise self.fault(f"the document is not {size} bytes long")
        self._line += body.count(b"\n") + 1
        self._at = end + 1
        return body

    def _next(self) -> str:
        self._line += 1
        end = self._data.find(b"\n", self._at)
        if end < 0:
            raise self.fault("the file ends in the middle of a record")
        line, self._at = self._data[self._at : end], end + 1
        try:
            return line.decode()
        except UnicodeDecodeError:
            raise self.fault("not UTF-8") from None
