"""Who is asked next, and when.

In come addresses that scope let through and pages that are due; out go pages to visit, one server at a time.
What always holds: a server has at most `parallel` requests under way and none before its free moment; what sits in
memory is due within the horizon and has an upper bound, the rest waits in the store.
"""
