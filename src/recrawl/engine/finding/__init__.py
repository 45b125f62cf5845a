"""Where addresses come from: links through scope and sieve to pages, and servers of several names."""
