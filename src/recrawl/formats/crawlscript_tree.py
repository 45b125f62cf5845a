"""XML as a small tree that knows where everything stands, for errors with line and column."""

import re
from dataclasses import field
from xml.parsers.expat import ExpatError, ParserCreate, errors

from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.values import dataclass

DEEPEST = 16
MOST_ELEMENTS = 500_000

_DECLARED = late(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_OWN = frozenset({"utf-8", "utf-16", "us-ascii", "iso-8859-1"})  # encodings that expat reads by itself
_HINTS = {
    errors.codes[errors.XML_ERROR_TAG_MISMATCH]: "a tag is not closed, or closed in the wrong order",
    errors.codes[errors.XML_ERROR_NO_ELEMENTS]: "the file ends before every tag is closed, or is empty",
    errors.codes[errors.XML_ERROR_UNCLOSED_TOKEN]: "the file ends inside a tag",
    errors.codes[errors.XML_ERROR_INVALID_TOKEN]: "write & as &amp; and < as &lt;",
    errors.codes[errors.XML_ERROR_UNDEFINED_ENTITY]: "only the five entities of XML itself are known: write & as &amp;",
}


@dataclass(slots=True)
class Element:
    name: str
    attributes: dict[str, str]
    line: int
    column: int
    source: str
    opening: str = ""  # the tag as it stands in the file
    children: "list[Element]" = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    text_line: int = 0
    text_column: int = 0

    @property
    def text(self) -> str:
        return "".join(self.chunks)

    def wrong(self, message: str, attribute: str = "") -> FormatError:
        """An error at the element, or at one of its attributes."""
        line, column = self.line, self.column
        found = re.search(rf"\s{re.escape(attribute)}\s*=", self.opening) if attribute else None
        if found:
            before = self.opening[: found.start() + 1]
            line += before.count("\n")
            column = column + len(before) if "\n" not in before else len(before) - before.rfind("\n")
        return FormatError(message, line=line, column=column, source=self.source)

    def wrong_text(self, message: str, stripped: str, column: int | None) -> FormatError:
        """An error inside its text: `column` counts within the text without the white space around it."""
        blank = self.text[: self.text.index(stripped)] if stripped in self.text else ""
        line = self.text_line + blank.count("\n")
        start = self.text_column + len(blank) if "\n" not in blank else len(blank) - blank.rfind("\n")
        return FormatError(message, line=line or self.line, column=start + (column or 1) - 1, source=self.source)


class _Refused(Exception):
    pass


class _Builder:
    def __init__(self, data: bytes, source: str, encoding: str | None) -> None:
        self.data, self.source = data, source
        self.parser = ParserCreate(encoding)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.ProcessingInstructionHandler = self._instruction
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = 0

    def place(self) -> tuple[int, int]:
        return self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) >= DEEPEST or self.count > MOST_ELEMENTS:
            raise _Refused(f"elements may be nested {DEEPEST} deep, and there may be {MOST_ELEMENTS} of them")
        line, column = self.place()
        at = self.parser.CurrentByteIndex
        end = self.data.find(b">", at)
        opening = self.data[at : end if end >= 0 else at].decode("utf-8", "replace")
        element = Element(name, attributes, line, column, self.source, opening)
        if self.open:
            self.open[-1].children.append(element)
        self.root = self.root or element
        self.open.append(element)

    def _end(self, name: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        element = self.open[-1]
        if not element.chunks:
            element.text_line, element.text_column = self.place()
        element.chunks.append(text)

    def _doctype(self, *_: object) -> None:
        raise _Refused(
            "a document type (<!DOCTYPE …>) is refused: its entities could grow without end or reach outside; remove it"
        )

    def _instruction(self, target: str, _: str) -> None:
        raise _Refused(f"a processing instruction (<?{target} …?>) is not expected; remove it")


def read_tree(data: bytes, source: str, declared: bool = True) -> Element:
    """`declared` False: the bytes are UTF-8, whatever the file says."""
    data, encoding = _utf8(data, source) if declared else (data, "utf-8")
    builder = _Builder(data, source, encoding)
    try:
        builder.parser.Parse(data, True)
    except _Refused as refused:
        line, column = builder.place()
        raise FormatError(str(refused), line=line, column=column, source=source) from refused
    except ExpatError as error:
        raise _broken(error, builder, source) from error
    assert builder.root is not None
    return builder.root


def _broken(error: ExpatError, builder: _Builder, source: str) -> FormatError:
    said = str(error).partition(":")[0]
    hint = _HINTS.get(error.code, "")
    unclosed = builder.open[-1] if builder.open else None
    if unclosed and error.code in list(_HINTS)[:3]:
        hint = f"<{unclosed.name}>, opened in line {unclosed.line}, is not closed"
    message = f"not well-formed XML: {said}" + (f" ({hint})" if hint else "")
    return FormatError(message, line=error.lineno, column=error.offset + 1, source=source)


def _utf8(data: bytes, source: str) -> tuple[bytes, str | None]:
    """Scripts of 2007 may be in EUC-KR: encodings beyond expat's own are turned into UTF-8 first."""
    found = _DECLARED.match(data[:300])
    name = found[1].decode("ascii").lower() if found else "utf-8"
    if name in _OWN or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data, None
    try:
        return data.decode(name).encode(), "utf-8"
    except (LookupError, UnicodeDecodeError) as error:
        raise FormatError(f"the encoding {name!r} cannot be read: {error}", line=1, column=1, source=source) from error
