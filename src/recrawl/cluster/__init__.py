"""A worker among others over one PostgreSQL: leases, partitions, letters, one purse.

`heart` renews the lease, `membership` claims and gives back what the pure rules of `frontier.leases` say, `terms`
lets a worker that lost its lease or its database drop everything and join anew. The crawl itself does not know that
there are others.
"""
