"""The race of policies: who keeps a copy freshest with the same requests?

In come histories (`history`: what really happened to a set of pages), from trace files (`traces`), from worlds made by
seed (`worlds`) or from a folder's own past (`own_history`), and the names of policies. On the `track` each of them
(`racers`, the very objects that pace live pages; `due`, `scaled`) is asked hour by hour what to visit; out go `scores`
and a `plot`. `cooperate` asks what it saves if the server tells.

What always holds: every policy gets the same pages, the same start and the same budget, and knows nothing but what its
own visits showed; the same seed gives the same scores.
"""
