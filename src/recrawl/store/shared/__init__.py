"""The store of many: several workers on one database, and several databases that are one store.

`leases` says who works and owns which partition, by the database's clock; `leased` is the store as one worker sees it,
which writes only for partitions it owns and posts to the owners of the others. `shards` names the databases of a store,
`sharded` answers for them as one, `sharding` decides what goes where; `leased_shards` is both at once. `spreading`
copies a store into several databases and out of them.

What always holds: a worker that lost a partition writes nothing more for it; what is posted arrives once.
"""
