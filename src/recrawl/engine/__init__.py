"""The joint: the one place where the stages meet.

`revisit` reads like the sentence "due, fetch, detect, estimate, schedule, archive, save, due again"; `discover` like
"links, scope, sieve, frontier". `worker` turns both under one clock, `reckoning` says what a batch of visits comes to,
`settle` makes it durable in groups: WARC record flushed, then state committed, then outcome told. `wiring` hands every
part to every other.
"""
