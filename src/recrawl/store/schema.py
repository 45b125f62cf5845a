"""Every table there is: what a new store is made of."""

from recrawl.store.shared.lease_tables import OUTBOX, PART, PURSE, SHARD, WORKER
from recrawl.store.tables import METADATA

SCHEMA = METADATA
CLUSTER = (WORKER, PART, OUTBOX, PURSE, SHARD)  # in it too; empty where one machine works alone
