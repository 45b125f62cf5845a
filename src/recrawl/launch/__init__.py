"""A crawl from the outside: locked, mended after a crash, started in as many processes as asked for, ended.

`run` is what the command line starts, `library` what Python programs open; `process` forks workers and restarts the
dead, `beside` keeps index and webhooks going next to them.
"""
