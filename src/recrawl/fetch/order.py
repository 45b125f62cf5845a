"""What one transfer is to do."""

from typing import NamedTuple

from recrawl.fetch.endpoint import Endpoint
from recrawl.model.visit import Limits


class Order(NamedTuple):
    """What a transfer is to do: ask one address for one thing."""

    endpoint: Endpoint
    address: str
    target: str
    header_lines: list[bytes]
    own: tuple[str, ...]
    limits: Limits
    connect_s: float
    total_s: float
    form: bytes = b""  # posted, where there is one
    enough_bytes: int = 0  # of the body; 0: all of it is wanted
    fresh: bool = False  # no kept connection will do
