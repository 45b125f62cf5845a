"""What was there at the last look, and what the difference to this one means.

The snapshot is a table in one text file: path, size, time of change in nanoseconds, hash of the content ('' unless
asked for). It is written whole, after the history: a look that dies in between repeats its events, which the
state machine forgives, and loses none.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from recrawl.agent.sources import Found
from recrawl.agent.whole import write_whole
from recrawl.formats.his import Entry
from recrawl.model.failure import FormatError
from recrawl.model.notice import NoticeKind

CHUNK = 1 << 20


class Seen(NamedTuple):
    size_bytes: int
    modified_ns: int
    content: str = ""


Snapshot = dict[str, Seen]
Hash = Callable[[Found], str]


def read(file: Path) -> Snapshot:
    """Empty if there has been no look yet."""
    if not file.exists():
        return {}
    return dict(_rows(file))


def _rows(file: Path) -> Iterator[tuple[str, Seen]]:
    with file.open(encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, 1):
            words = line.rstrip("\n").split("\t")
            if len(words) != 4:
                raise FormatError("not a row of a snapshot; remove the file to start anew", number, 1, str(file))
            yield words[0], Seen(int(words[1]), int(words[2]), words[3])


def write(file: Path, snapshot: Snapshot) -> None:
    rows = (f"{path}\t{seen.size_bytes}\t{seen.modified_ns}\t{seen.content}\n" for path, seen in snapshot.items())
    write_whole(file, "".join(rows).encode("utf-8", "surrogateescape"))


def compare(before: Snapshot, found: Iterable[Found], hashing: str, content_of: Hash, now: float) -> "Difference":
    """The new snapshot and the events. With `hashing` other than "never", a document whose time or size changed but
    whose content did not is the same document; with "always" the content is read even where nothing else changed."""
    after: Snapshot = {}
    entries = []
    for one in found:
        old = before.get(one.path)
        seen = _seen(one, old, hashing, content_of)
        after[one.path] = seen
        if old is None:
            entries.append(_entry(NoticeKind.ADDED, one))
        elif _differs(old, seen):
            entries.append(_entry(NoticeKind.UPDATED, one))
    gone = [path for path in before if path not in after]
    entries += [Entry(NoticeKind.DELETED, path, 0, int(now)) for path in gone]
    return Difference(after, entries)


def compare_some(
    before: Snapshot, looked: Iterable[tuple[str, Found | None]], hashing: str, content_of: Hash, now: float
) -> "Difference":
    """The same for a few paths only: those that file events named."""
    after, entries = dict(before), []
    for path, one in looked:
        old = before.get(path)
        if one is None:
            if after.pop(path, None) is not None:
                entries.append(Entry(NoticeKind.DELETED, path, 0, int(now)))
            continue
        after[path] = seen = _seen(one, old, hashing, content_of)
        if old is None or _differs(old, seen):
            entries.append(_entry(NoticeKind.ADDED if old is None else NoticeKind.UPDATED, one))
    return Difference(after, entries)


class Difference(NamedTuple):
    snapshot: Snapshot
    entries: list[Entry]


def content_of_file(found: Found) -> str:
    """sha256 of the bytes, or what the source said; '' if it cannot be read just now."""
    if not found.file:
        return found.content
    digest = hashlib.sha256()
    try:
        with Path(found.file).open("rb") as data:
            while chunk := data.read(CHUNK):
                digest.update(chunk)
    except OSError:
        return ""
    return digest.hexdigest()


def _seen(one: Found, old: Seen | None, hashing: str, content_of: Hash) -> Seen:
    content = one.content
    if hashing != "never" and not content:
        untouched = old is not None and (old.size_bytes, old.modified_ns) == (one.size_bytes, one.modified_ns)
        content = old.content if old and old.content and untouched and hashing == "changed" else content_of(one)
    return Seen(one.size_bytes, one.modified_ns, content)


def _differs(old: Seen, new: Seen) -> bool:
    if old.content and new.content:
        return old.content != new.content
    return (old.size_bytes, old.modified_ns) != (new.size_bytes, new.modified_ns)


def _entry(kind: NoticeKind, one: Found) -> Entry:
    return Entry(kind, one.path, one.size_bytes, one.modified_ns // 10**9)
