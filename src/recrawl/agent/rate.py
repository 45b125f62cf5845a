"""How often one sender, or one network, may ask: a bucket each that refills over the hour."""

from dataclasses import field
from ipaddress import IPv6Address, ip_address, ip_network

from recrawl.model.values import dataclass

MOST_BUCKETS = 10_000
HOUR_S = 3600.0


def network_of(sender: str) -> str:
    """/24 of an IPv4 address, /64 of an IPv6 address: what one subscriber can usually dispose of."""
    try:
        address = ip_address(sender.partition("%")[0])
    except ValueError:
        return sender
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if mapped is not None:
        address = mapped
    length = 64 if isinstance(address, IPv6Address) else 24
    return str(ip_network(f"{address}/{length}", strict=False))


@dataclass(slots=True)
class Buckets:
    """`per_hour` for each key, all of it at once if need be. Forgets the longest unused when there are too many."""

    per_hour: int
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)  # key → (tokens, at)

    def take(self, key: str, now: float) -> bool:
        left, at = self._left.pop(key, (float(self.per_hour), now))
        left = min(self.per_hour, left + max(0.0, now - at) * self.per_hour / HOUR_S)
        allowed = left >= 1.0
        self._left[key] = (left - 1.0 if allowed else left, now)
        if len(self._left) > MOST_BUCKETS:
            del self._left[next(iter(self._left))]
        return allowed
