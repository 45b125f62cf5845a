"""The address guard: which addresses recrawl connects to only when the user owns them.

It is asked when a name has been resolved and again at the socket, so neither a redirect nor a name that changes its
answer can lead inside. What is not plainly public (`model/inside.py`) is refused.
"""

from functools import lru_cache

from recrawl.model.inside import METADATA, forbidden
from recrawl.model.ownership import owns


@lru_cache(maxsize=16384)
def refusal(host: str, port: int, ip: str, own: tuple[str, ...]) -> str | None:
    """Why a connection for `host` and `port` must not go to `ip`; None if it may. A metadata service is never
    reached through a name: only its own address or network in `own` opens it."""
    reason = forbidden(ip)
    if reason is None or not own:
        return reason
    asked_as = ip if reason == METADATA else host
    return None if owns(own, asked_as, port, ip) else reason
