"""Where the tables and keys of a TOML text stand, entries of arrays told apart."""

from recrawl.model.late import late
from recrawl.model.values import dataclass

_HEADER = late(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = late(r"""^\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*[=.]""")


@dataclass(frozen=True, slots=True)
class Lines:
    """`first`: how many lines stand before this text, where it is a part of a file."""

    text: str
    first: int = 0

    def table(self, name: str, place: int) -> int | None:
        """The line of the header of the place-th `[[name]]`."""
        return next(
            (line for line, table, number, key in self._walk() if (table, number) == (name, place) and not key), None
        )

    def key(self, name: str, place: int, key: str) -> int | None:
        """The line of a key in it; `name` '' is what stands before all tables. A table counts as key of its parent."""
        inside = (line for line, table, number, one in self._walk() if (table, number) == (name, place) and one == key)
        below = f"{name}.{key}" if name else key
        header = (line for line, table, _, one in self._walk() if table == below and not one)
        return next(inside, None) or next(header, None)

    def inside(self, name: str, place: int) -> "Lines":
        """The part of the text that belongs to the place-th `[[name]]`, its header left out."""
        starts = [line for line, table, _, key in self._walk() if table == name and not key]
        ends = [*starts[1:], self.first + len(self.text.splitlines()) + 1]
        rows = self.text.splitlines()
        start, end = starts[place] - self.first, ends[place] - self.first - 1
        return Lines("\n".join(rows[start:end]), starts[place])

    def _walk(self) -> list[tuple[int, str, int, str]]:
        """(line, table, place, key) of every header and key; a header has the key ''."""
        found: list[tuple[int, str, int, str]] = []
        table, counts = "", {"": 0}
        for line, text in enumerate(self.text.splitlines(), start=self.first + 1):
            if header := _HEADER.match(text):
                table = ".".join(part.strip().strip("\"'") for part in header[2].split("."))
                counts[table] = counts.get(table, -1) + 1
                found.append((line, table, counts[table], ""))
            elif key := _KEY.match(text):
                found.append((line, table, counts[table], key[1] or key[2] or key[3]))
        return found
