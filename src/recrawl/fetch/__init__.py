"""One ask comes in, one reply goes out, and whatever a server does in between is a fact in that reply.

`client.py` is the story: an address is read (`endpoint`), its name resolved once (`resolver`), every answer
judged (`guard`), the request made to one allowed address (an `exchange`: the first over a connection by `transfer`,
which `driver` runs on the loop; those that follow without TLS over a `line` of our own, which `incoming` reads), the
head read (`head`), the body decoded under a bound (`decode`) and the whole weighed (`evidence`). `memory` is the twin
without a network, `lifeline` the eye on calls that do not come back. Beside them stand pure readers of what servers
say about time and what goes back to them: `dates`, `retry_after`, `validators`.

What always holds: one request per ask and no redirect followed; no cookie, password, referrer or proxy; every
limit ends the transfer at once; a body is whole and decoded or it is empty; no socket is opened to an address
the guard refuses, and a kept connection serves only asks that would have been allowed to open it.
"""
