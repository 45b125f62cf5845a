"""Where a key stands in a TOML text, for errors that give the line."""

from recrawl.model.late import late

_TABLE = late(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = late(r"""^\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=""")


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """The 1-based line of a key or table, by its path; array indices are passed over."""
    wanted = ".".join(path)
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = _TABLE.match(line)
        if header:
            table = _plain(header[1])
            if table == wanted:
                return number
            continue
        key = _KEY.match(line)
        if key and ".".join(part for part in (table, _plain(key[1])) if part) == wanted:
            return number
    return None


def _plain(dotted: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in dotted.split("."))
