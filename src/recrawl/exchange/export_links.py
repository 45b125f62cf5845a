"""A page for the mirror: its links lead to other files of the mirror, or to the web where there is none.

Only the tags that hold an address are written anew; the rest of the page stays as it is. What would leave the mirror by
itself goes: `<base>`, refreshes, and (by a policy in its head) scripts and connections.
"""

from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from urllib.parse import urljoin

ADDRESSES = {
    "a": ("href",),
    "area": ("href",),
    "link": ("href",),
    "img": ("src", "longdesc"),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "source": ("src",),
    "audio": ("src",),
    "video": ("src", "poster"),
    "track": ("src",),
    "script": ("src",),
    "input": ("src",),
    "form": ("action",),
    "body": ("background",),
    "object": ("data",),
    "blockquote": ("cite",),
}
LISTS = ("srcset", "imagesrcset")
GONE = frozenset({"base"})
HEAD = (
    '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
    "content=\"script-src 'none'; connect-src 'none'; form-action 'none'; object-src 'none'\">"
)
Locate = Callable[[str], str]


def localised(text: str, base: str, locate: Locate) -> str:
    """`locate` gives for an absolute address what to write in its place."""
    rewriter = _Rewriter(text, base, locate)
    rewriter.feed(text)
    rewriter.close()
    return rewriter.result()


class _Rewriter(HTMLParser):
    def __init__(self, text: str, base: str, locate: Locate) -> None:
        super().__init__(convert_charrefs=False)
        self._text, self._base, self._locate = text, base, locate
        self._starts = [0]
        for line in text.split("\n")[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._edits: list[tuple[int, int, str]] = []
        self._head_at: int | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, column = self.getpos()
        start = self._starts[line - 1] + column
        written = self.get_starttag_text() or ""
        if tag == "head" and self._head_at is None:
            self._head_at = start + len(written)
        if tag in GONE or _leaves(tag, attrs):
            self._edits.append((start, start + len(written), ""))
            return
        fresh = [(name, self._fresh(tag, name, value)) for name, value in attrs]
        if fresh != attrs:
            self._edits.append((start, start + len(written), _tag(tag, fresh, written.endswith("/>"))))

    handle_startendtag = handle_starttag

    def result(self) -> str:
        pieces, at = list[str](), 0
        edits = self._edits if self._head_at is None else [*self._edits, (self._head_at, self._head_at, HEAD)]
        for start, end, fresh in sorted(edits):
            if start >= at:
                pieces += [self._text[at:start], fresh]
                at = end
        body = "".join(pieces) + self._text[at:]
        return body if self._head_at is not None else HEAD + body

    def _fresh(self, tag: str, name: str, value: str | None) -> str | None:
        if value is None or name == "integrity":
            return value
        if name in ADDRESSES.get(tag, ()):
            return self._address(value)
        if name in LISTS:
            return ", ".join(self._candidate(one) for one in value.split(",") if one.strip())
        return value

    def _candidate(self, text: str) -> str:
        address, gap, width = text.strip().partition(" ")
        return f"{self._address(address)}{gap}{width}"

    def _address(self, value: str) -> str:
        """An anchor of the page itself and what is no web address stay as they are."""
        plain = value.strip()
        if not plain or plain.startswith("#"):
            return value
        try:
            absolute = urljoin(self._base, plain)
        except ValueError:
            return value
        if not absolute.startswith(("http://", "https://")):
            return value
        address, mark, fragment = absolute.partition("#")
        return self._locate(address) + mark + fragment


def _leaves(tag: str, attrs: list[tuple[str, str | None]]) -> bool:
    """A refresh, and what says in which charset or under which policy the page stood."""
    told = dict(attrs)
    if tag != "meta":
        return False
    header = (told.get("http-equiv") or "").strip().lower()
    return "charset" in told or header in ("refresh", "content-type", "content-security-policy")


def _tag(tag: str, attrs: list[tuple[str, str | None]], closed: bool) -> str:
    told = "".join(f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in attrs)
    return f"<{tag}{told}{' /' if closed else ''}>"
