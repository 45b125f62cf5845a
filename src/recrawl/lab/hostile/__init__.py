"""A web of strangers who mean no good: one server for each way to misbehave, all on loopback.

`table` has the cases: what each does and what a good crawler makes of it (`case`, `wire` for the bytes; `shield` and
`certificates` for those over TLS, `stream` and `frames` for HTTP/2). As a process of its own it serves them (`server`),
each on an address of its own and all on one port, and prints where they are. It needs what recrawl's tests need:

    python -m recrawl.lab.hostile --log requests.jsonl [--only calendar]

Beside them live neighbours who behave; whatever the strangers do, these must be crawled undisturbed.
"""
