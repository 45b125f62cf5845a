"""Who is asked next, and when.

In come addresses that scope let through and pages that are due; out go pages to visit, one server at a time.
What always holds: an address passes the sieve once; a server has at most `parallel` requests under way and
none before its free moment; only what is due within the horizon sits in memory, and no more than memory is meant to hold; the rest waits in
the store.
"""
