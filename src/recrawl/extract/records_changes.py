"""What changed in a page's records from version to version, field by field."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from recrawl.model.record import FieldChange, Record, RecordSource, canonical_json

NAMES = ("@id", "sku", "productID", "gtin13", "url", "name")  # what tells things of one kind apart, best first
PRICE = frozenset({"amount", "currency"})  # one value in two parts

Pair = tuple[str, object, object]


def changes_of(records: Sequence[Record]) -> Iterator[FieldChange]:
    """Of one page, oldest first. Versions from which nothing could be read are stepped over: what was before
    the wrapper broke is compared with what was read after it was mended."""
    before: list[Record] = []
    for _, version in groupby(records, key=lambda record: record.at):
        after = [record for record in version if not record.broken]
        if before and after:
            yield from _between(before, after)
        before = after or before


def _between(before: Sequence[Record], after: Sequence[Record]) -> Iterator[FieldChange]:
    old, new = _by_identity(before), _by_identity(after)
    for key in [*old, *(key for key in new if key not in old)]:
        for path, was, now in _record_pairs(old.get(key), new.get(key)):
            kind = (new.get(key) or old[key]).kind
            yield FieldChange(after[0].page, after[0].at, before[0].at, kind, path, was, now)


def _by_identity(records: Sequence[Record]) -> dict[tuple[str, object], Record]:
    """A thing that is the only one of its kind is the same one, whatever it is called now."""
    counts = Counter(record.kind for record in records)
    found: dict[tuple[str, object], Record] = {}
    for place, record in enumerate(records):
        name = next((str(record.data[key]) for key in NAMES if isinstance(record.data.get(key), (str, int))), None)
        key: tuple[str, object] = (record.kind, None if counts[record.kind] == 1 else name or place)
        found.setdefault(key if key not in found else (record.kind, place), record)
    return found


def _record_pairs(old: Record | None, new: Record | None) -> Iterator[Pair]:
    if old is None or new is None:
        yield "", old and dict(old.data), new and dict(new.data)
        return
    was, now = old.data, new.data
    if old.wrapper != new.wrapper and RecordSource.FIELDS in (old.source, new.source):
        was, now = _shared(was, now), _shared(now, was)  # a field added to the site file is no change of the page
    yield from _pairs("", was, now)


def _shared(one: Mapping[str, object], other: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in one.items() if name in other}


def _pairs(path: str, was: object, now: object) -> Iterator[Pair]:
    if was == now:
        return
    if isinstance(was, Mapping) and isinstance(now, Mapping) and not (set(was) | set(now)) <= PRICE:
        for name in [*was, *(name for name in now if name not in was)]:
            yield from _pairs(f"{path}.{name}" if path else name, was.get(name), now.get(name))
    elif isinstance(was, list) and isinstance(now, list):
        yield from _items(f"{path}[]", was, now)
    else:
        yield path, was, now


def _items(path: str, was: list[object], now: list[object]) -> Iterator[Pair]:
    """Items come and go; their order says nothing."""
    old, new = Counter(map(canonical_json, was)), Counter(map(canonical_json, now))
    gone, come = old - new, new - old
    for item in was:
        if gone[canonical_json(item)] > 0:
            gone[canonical_json(item)] -= 1
            yield path, item, None
    for item in now:
        if come[canonical_json(item)] > 0:
            come[canonical_json(item)] -= 1
            yield path, None, item
