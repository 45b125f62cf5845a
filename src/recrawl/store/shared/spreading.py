"""A store copied into several databases, or out of them into one.

Into several: words go everywhere as they are, so that rows need no translation; each row goes where its server's
partition lives. Out of several: the home is copied as one store, then what lives elsewhere is added, its words under
the numbers they have in the target. Counts of pages follow the pages, counts of what happened (visits, bytes) stay at
home: it is their sum that counts. Who works, who owns what and where rows live is not copied.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice

from sqlalchemy import Connection, Engine, Select, Table, select, update

from recrawl.model.address import partition_of, server_of
from recrawl.model.failure import UsageError
from recrawl.model.site import Kind
from recrawl.store import codes, counts
from recrawl.store.compiled import Compiler
from recrawl.store.copying import (
    BATCH,
    DIALECTS,
    TABLES,
    Side,
    Tell,
    batches_of,
    in_batches,
    need_empty,
    next_word,
    one_moment,
)
from recrawl.store.engines import WRITE, plainly, session_on
from recrawl.store.history_statements import HistoryStatements
from recrawl.store.rows import Row
from recrawl.store.shared.lease_tables import OUTBOX, PART, SHARD, WORKER
from recrawl.store.tables import (
    COUNTER,
    META,
    PAGE,
    PRESENCE,
    RECORD,
    ROBOTS,
    SERVER,
    VERSION,
    VISIT,
    VISIT_LOG,
    WORD,
)
from recrawl.store.texts import Sql

OWN = (PART, SHARD, WORKER, META)  # what a store says of itself
AT_HOME = tuple(table for table in TABLES if table.name in ("event", "memo", "notice", "purse", "outbox"))
OF_PAGES = (VISIT, VISIT_LOG, VERSION, RECORD)
SPREAD = (SERVER, PRESENCE, ROBOTS, PAGE, *OF_PAGES)
WORDS = {  # columns that hold numbers of words
    PAGE: ("site", "category", "content_type"),
    SERVER: ("site",),
    PRESENCE: ("site",),
    COUNTER: ("site",),
    VISIT: ("failure",),
    VISIT_LOG: ("failure",),
    VERSION: ("warc_file", "content_type"),
    RECORD: ("kind", "wrapper"),
}

Place = Callable[[int], int]  # of a partition


def scatter(source: Side, targets: Sequence[Side], place: Place, tell: Tell) -> dict[str, int]:
    """Copy one store into the home and the shards of another, all empty; how many rows of each table. One transaction
    a database: broken off, some may be filled; make them anew then."""
    reader = source.engine.execution_options(**one_moment(source))
    with ExitStack() as stack:
        reading = stack.enter_context(_reading(reader, source.where))
        writers = [stack.enter_context(_Writer(target)) for target in targets]
        for writer in writers:
            need_empty(writer.connection, writer.where, but=OWN)
        partitions = _same_cut(reading, writers)
        copied: Counter[str] = Counter()

        def put(table: Table, rows: Iterable[Row], to: Callable[[Row], Iterable[int]], width: int) -> None:
            for batch in _cut(rows):
                for number, writer in enumerate(writers):
                    writer.put(table, [tuple(row[:width]) for row in batch if number in to(row)])
                copied[table.name] += len(batch)
                tell(table.name, len(batch))

        keys = {row[0]: row[1] for row in reading.execute(select(SERVER.c.id, SERVER.c.key))}
        places = {number: place(partition_of(key, partitions)) for number, key in keys.items()}
        everywhere, home = tuple(range(len(writers))), (0,)
        put(WORD, _rows(reading, WORD, source.where), lambda row: everywhere, len(WORD.columns))
        for table in AT_HOME:
            put(table, _rows(reading, table, source.where), lambda row: home, len(table.columns))
        standing = _Standings(places)
        for table in SPREAD:
            to = _whither(table, places, lambda origin: place(partition_of(server_of(origin), partitions)))
            rows = (_rows_with_server if table in OF_PAGES else _rows)(reading, table, source.where)
            put(table, map(standing.seen, rows) if table is PAGE else rows, to, len(table.columns))
        kept = list(_rows(reading, COUNTER, source.where))
        for number, writer in enumerate(writers):
            writer.put(COUNTER, standing.counts(number, kept))
        copied[COUNTER.name] += len(kept)
        _go_on(reading, writers)
    return dict(copied)


def gather(sources: Sequence[Side], target: Side, tell: Tell) -> dict[str, int]:
    """Copy a home and its shards into one empty store; how many rows of each table."""
    copied: Counter[str] = Counter()
    with ExitStack() as stack:
        writer = stack.enter_context(_Writer(target))
        need_empty(writer.connection, target.where, but=(META,))
        for number, source in enumerate(sources):
            reader = source.engine.execution_options(**one_moment(source))
            reading = stack.enter_context(_reading(reader, source.where))
            numbers = writer.learnt(reading) if number else {}
            if not number:
                writer.take_meta(reading)
            tables = [WORD, *AT_HOME, *SPREAD, COUNTER] if not number else [*SPREAD, OUTBOX, COUNTER]
            for table in tables:
                for batch in batches_of(reading, table, source.where):
                    writer.put(table, [_translated(table, row, numbers) for row in batch] if number else batch)
                    copied[table.name] += len(batch)
                    tell(table.name, len(batch))
            if not number:
                next_word(writer.connection)
    return dict(copied)


class _Writer:
    """One transaction in one database."""

    def __init__(self, side: Side) -> None:
        self.where, self._engine = side.where, side.engine.execution_options(**{WRITE: True})
        self._stack = ExitStack()
        self._inserts: dict[Table, Sql] = {}

    def __enter__(self) -> "_Writer":
        with ExitStack() as stack:
            stack.enter_context(plainly(self.where))
            self.connection = stack.enter_context(self._engine.begin())
            self._stack = stack.pop_all()
        insert, self._arrays = DIALECTS[self.connection.dialect.name]
        self._compiler = Compiler(self.connection.dialect, insert, self._arrays)
        self._statements = HistoryStatements(self.connection.dialect, insert, self._arrays)
        self._session = session_on(self.connection, self._arrays)
        return self

    def __exit__(self, *failed: object) -> None:
        self._stack.__exit__(*failed)  # type: ignore[arg-type]

    def put(self, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
        if table is COUNTER:
            self._session.many(self._statements.add_counts, rows)
        else:
            if table not in self._inserts:
                self._inserts[table] = self._compiler.insert_new(table)
            self._session.many(self._inserts[table], rows)

    def take_meta(self, reading: Connection) -> None:
        self._session.many(self._statements.put_meta, [tuple(row) for row in reading.execute(select(META))])

    def learnt(self, reading: Connection) -> Mapping[int, int]:
        """The numbers here of the words there."""
        theirs = {row[1]: row[0] for row in reading.execute(select(WORD))}
        self._session.many(self._statements.add_words, [(text,) for text in sorted(theirs)])
        ours = self._session.rows_of(self._statements.word_numbers, list(theirs))
        return {theirs[text]: number for number, text in ours}


class _Standings:
    """Counts what pages add to the counts of the databases they live in."""

    def __init__(self, places: Mapping[int, int]) -> None:
        self._places = places
        self._found: dict[int, Counter[tuple[int, int]]] = {}
        names = ("server", "site", "kind", "status", "visits", "interval_s", "due_at")
        self._at = [list(PAGE.columns.keys()).index(name) for name in names]

    def seen(self, row: Row) -> Row:
        server, site, kind, status, visits, interval_s, due_at = (row[at] for at in self._at)
        if (place := self._places[server]) and codes.KIND.member[kind] is not Kind.SIGNAL:
            kinds = counts.standing(codes.STATUS.member[status], visits or 0, interval_s or 0.0, due_at)
            self._found.setdefault(place, Counter()).update((site, one) for one in kinds)
        return row

    def counts(self, place: int, kept: Sequence[Row]) -> list[tuple[object, ...]]:
        """At home: all that were kept but for what stands elsewhere."""
        if place:
            return [(*key, amount) for key, amount in sorted(self._found.get(place, Counter()).items())]
        elsewhere = sum(self._found.values(), Counter[tuple[int, int]]())
        return [(site, kind, amount - elsewhere[site, kind]) for site, kind, amount in kept]


@contextmanager
def _reading(engine: Engine, where: str) -> Iterator[Connection]:
    with plainly(where), engine.connect() as connection:
        yield connection


def _whither(
    table: Table, places: Mapping[int, int], of_origin: Callable[[str], int]
) -> Callable[[Row], Iterable[int]]:
    """Where a row goes."""
    columns = list(table.columns.keys())
    if table is ROBOTS:
        return lambda row: (of_origin(row[0]),)
    if table in OF_PAGES:
        return lambda row: (places.get(row[-1], 0),)
    at = columns.index("id" if table is SERVER else "server")
    return lambda row: (places[row[at]],)


def _rows(reading: Connection, table: Table, where: str) -> Iterator[Row]:
    return chain.from_iterable(batches_of(reading, table, where))


def _rows_with_server(reading: Connection, table: Table, where: str) -> Iterator[Row]:
    """With the server of their page behind them."""
    found: Select[tuple[object, ...]] = select(*table.columns, PAGE.c.server).outerjoin_from(
        table, PAGE, PAGE.c.id == table.c.page
    )
    text = str(found.compile(dialect=reading.dialect))
    asked = in_batches(lambda: reading.exec_driver_sql(text, execution_options={"stream_results": True}), where)
    return chain.from_iterable(asked)


def _cut(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _translated(table: Table, row: Row, numbers: Mapping[int, int]) -> tuple[object, ...]:
    words = WORDS.get(table, ())
    columns = table.columns.keys()
    return tuple(
        numbers.get(value, value) if name in words else value for name, value in zip(columns, row, strict=True)
    )


def _same_cut(reading: Connection, writers: Sequence[_Writer]) -> int:
    of = select(META.c.number).where(META.c.name == "partitions")
    partitions = int(reading.execute(of).scalar_one())
    for writer in writers:
        if (there := int(writer.connection.execute(of).scalar_one())) != partitions:
            raise UsageError(
                f"{writer.where} has {there} partitions, the store to copy {partitions}: "
                f"make it anew with `recrawl db init --partitions {partitions}`"
            )
    return partitions


def _go_on(reading: Connection, writers: Sequence[_Writer]) -> None:
    """Cursors go on at home, and words everywhere."""
    cursor = reading.execute(select(META.c.number).where(META.c.name == "cursor")).scalar_one()
    writers[0].connection.execute(update(META).where(META.c.name == "cursor").values(number=cursor))
    for writer in writers:
        next_word(writer.connection)
