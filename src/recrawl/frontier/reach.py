"""How far into the future the short-term queue reaches, and how much a server may bring: memory has an end."""

from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """`held`: pages in memory, for all servers together. There may be more than `capacity` of them, but only by what
    is due soon, a little a server. Of pages that are due and wait for a budget or a window, all that there are up to
    `crowd`: who was seen longest ago shall come first, which the store cannot tell."""

    capacity: int = 10_000
    crowd: int = 100_000
    queue: int = 500  # pages a server
    load: int = 500  # pages a server and load
    least: int = 20  # pages a server when there is no room
    soon_s: float = 600.0

    def seconds(self, horizon_s: float, held: int) -> float:
        """What is due within this time is taken into memory."""
        return horizon_s if held < self.capacity else min(horizon_s, self.soon_s)

    def pages(self, held: int) -> int:
        """How many pages one load of a server may bring."""
        return max(self.least, min(self.load, (self.capacity - held) // 4))

    def allows(self, held: int, queued: int) -> bool:
        """May one more page wait for a server that has so many waiting? If not, it waits in the store."""
        return queued < (self.queue if held < self.capacity else self.least)

    def low(self, brought: int) -> int:
        """A queue shorter than this is filled up again, after a load that brought so many and left some behind."""
        return max(1, brought // 5)
