"""The one meeting place: what is known of every page, server, visit and version, and what happened when.

In come batches, each one transaction: pages as they stand after a visit, addresses from the sieve, visits,
versions, events. Out go pages that are due, server by server, and what people ask: history, changes, totals.

What always holds: an acknowledged batch survives a kill of any process; a batch written twice leaves what it
left the first time; an address enters once; a server's `next_due_at` is a lower bound of its pages' due times;
cursors of events rise in commit order; totals are kept, never counted, so they cost the same at any size.

`memory.py` is the twin in plain dicts. `sql.py` is the store over a database, opened by `sqlite.py` or `postgres.py`;
its SQL stands in `statements.py`, its tables in `schema.py`, its past in `migrations/`; `copying.py` moves it from one
to the other. `shared/` is the store of several workers and several databases, `search/` the index beside it.
"""
