"""The joint: the one place where the stages meet.

`asking.revisit` reads like the sentence "due, fetch, detect, estimate, schedule, archive, save, due again";
`finding.discover` like "links, scope, sieve, frontier". `worker` turns both under one clock, `filling` brings it pages,
`reckoning` says what a batch of visits comes to, `settling` makes it durable in groups: WARC record flushed, then state
committed, then outcome told. `wiring` hands every part to every other.
"""
