"""Stands alone beside somebody's web server and tells the robots what changed (S4).

Comes in: a document tree (or a list, or what a command prints) and registrations by HTTP POST. Goes out: a history
`YYYYMMDD.his`, notices to robots that confirmed their address (mail, signed webhook), pings to IndexNow, and
`sitemap.xml` with a change feed from the same history.

    settings    agent.toml, one small value a part
    sources     where the documents are found          snapshot   what was there at the last look
    watch       one look, or one after another         history    what happened, day by day
    summary     S4's state machine: events to notices  registry   who is told (robots.uod, robots.json)
    decision    what a registration changes            service    the endpoint, its limits
    post        mail, webhook, IndexNow                notify     who is due, what is new to them
    publish     sitemap.xml and changes.atom           outward    requests to others, guarded

Always holds: nothing is sent to an address that has not confirmed, except one small mail that asks; a robot's place
in the history moves only after its notice was taken; a look that dies half-way is made good by the next one.
Needs the standard library, `recrawl.model` and `recrawl.formats` only; `watchfiles` is used where it is installed.
"""
