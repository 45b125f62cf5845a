"""A web to practise on, and the measures of how well it is crawled.

In comes a seed; out goes a web that is a pure function of seed, address and time (`world`), with its faults
(`faults`), served on loopback (`serve`), simulated without sockets (`simulated`), or bundled as the living site of
the demo (`living`). `static_site` is the plain counterpart: pages that change when they are told to. `hostile` is
a web of servers that misbehave. `race/` lets policies compete over histories, without any web at all.

What always holds: the same seed gives the same bytes, in any order of asking and in any process; the truth
(`version`, `changes_between`, `urls`) is worked out from the same functions that make the pages; what a server saw
is kept (`requests_log`), so that the laws of politeness can be checked from the other side of the wire.
"""
