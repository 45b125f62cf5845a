"""Links under way between workers when their store was copied into a folder: nobody looks for letters there."""

from contextlib import closing

from sqlalchemy import delete

from recrawl.model.batch import Batch
from recrawl.store.copying import Side, batches_of
from recrawl.store.engines import plainly
from recrawl.store.shared.lease_tables import OUTBOX
from recrawl.store.shared.leased import page_of
from recrawl.store.sqlite import open_sqlite


def deliver(folder: Side) -> None:
    """Enter what the outbox holds, then empty it. Done twice it changes nothing more."""
    with closing(open_sqlite(folder.where)) as store, plainly(folder.where), folder.engine.connect() as reading:
        for batch in batches_of(reading, OUTBOX, folder.where):
            letters = [(page_of(bytes(body)), again) for _, _, again, body in batch]  # type: ignore[call-overload]
            for page in (page for page, again in letters if again):
                store.make_due(page.due_at or 0.0, ids=(page.id,))
            store.save(Batch(entered=tuple(page for page, _ in letters)))
    with plainly(folder.where), folder.engine.begin() as writing:
        writing.execute(delete(OUTBOX))
