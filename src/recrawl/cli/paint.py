"""How facts look on a terminal."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import click

from recrawl.formats import duration
from recrawl.model.late import late

NUMBER = late(r"-?[\d.,]+ ?(%|[KMG]?B)?")


def when(at: float | None) -> str:
    """A moment, UTC."""
    if at is None:
        return "never"
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def iso(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")


def until(at: float | None, now: float) -> str:
    """A moment as distance from now."""
    if at is None:
        return "never"
    return f"in {duration.render(at - now)}" if at > now else f"{duration.render(now - at)} ago"


def size(count: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return ""


def counted(number: int, what: str) -> str:
    """1 page, 2 pages."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def line(value: object) -> None:
    """One JSON object."""
    click.echo(json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str))


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Columns as wide as they need to be; numbers to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in [list(heads), *cells]) for column in range(len(heads))]
    for number, row in enumerate([list(heads), *cells]):
        text = "  ".join(
            cell.rjust(width) if number and NUMBER.fullmatch(cell) else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        )
        click.echo(text.rstrip())


def facts(pairs: Iterable[tuple[str, object]]) -> None:
    pairs = list(pairs)
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        click.echo(f"  {name.ljust(width)}  {value}")
