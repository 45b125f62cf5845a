"""What happened, day by day: `YYYYMMDD.his`, only ever appended to. A position is a day and a number of lines."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from recrawl.formats import his
from recrawl.formats.his import Entry, day_text

BEGINNING = "00000000:0"


def append(folder: Path, entries: Sequence[Entry], now: float) -> Path | None:
    """On disk when it returns. The day is that of the look; a clock set back writes into the newest day there is."""
    if not entries:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    day = max([day_text(now), *days(folder)[-1:]])
    file = folder / f"{day}.his"
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        os.ftruncate(handle, _sound_length(handle))
        os.lseek(handle, 0, os.SEEK_END)
        _write_all(handle, his.render(entries).encode("utf-8", "surrogateescape"))
        os.fsync(handle)
    finally:
        os.close(handle)
    return file


def end(folder: Path) -> str:
    """The position after everything."""
    found = days(folder)
    return f"{found[-1]}:{len(_lines(folder, found[-1]))}" if found else BEGINNING


def day_from(now: float) -> str:
    """The position before everything of this day."""
    return f"{day_text(now)}:0"


def since(folder: Path, position: str) -> tuple[list[Entry], str]:
    """What came after a position, and the position after that."""
    from_day, _, number = position.partition(":")
    entries: list[Entry] = []
    for day in days(folder):
        if day >= from_day:
            lines = _lines(folder, day)
            skip = int(number) if day == from_day else 0
            entries += [his.parse_line(line, place, f"{day}.his") for place, line in enumerate(lines[skip:], skip + 1)]
            position = f"{day}:{max(len(lines), skip)}"
    return entries, position


def newest_first(folder: Path) -> Iterator[Entry]:
    for day in reversed(days(folder)):
        for place, line in reversed(list(enumerate(_lines(folder, day), 1))):
            yield his.parse_line(line, place, f"{day}.his")


def days(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted(file.stem for file in folder.glob("*.his") if len(file.stem) == 8 and file.stem.isdecimal())


def _lines(folder: Path, day: str) -> list[str]:
    """Whole lines only: a line that a kill cut short was never acknowledged."""
    text = (folder / f"{day}.his").read_bytes().decode("utf-8", "surrogateescape")
    return text.split("\n")[:-1]


def _sound_length(handle: int) -> int:
    """Up to and with the last line end."""
    size = os.fstat(handle).st_size
    tail = os.pread(handle, min(size, 65_536), max(0, size - 65_536))
    return size - (len(tail) - (tail.rfind(b"\n") + 1))


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
