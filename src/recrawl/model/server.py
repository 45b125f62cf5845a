"""One server: how gently it must be treated and how it has behaved."""

from recrawl.model.swift import swift
from recrawl.model.values import dataclass


@swift
@dataclass(frozen=True, slots=True)
class Server:
    """`load_per_s` is S1's load index: the sum of 1/interval over the server's pages, kept incrementally."""

    key: str
    partition: int = 0
    alias_of: str = ""
    gap_s: float = 1.0  # what it was asked with last; Crawl-delay included
    crawl_delay_s: float | None = None
    load_per_s: float = 0.0
    price: float = 0.0  # overload relief: what a visit here costs on top of the common price
    response_s: float = 0.0  # smoothed
    free_at: float = 0.0  # no request before this moment
    failures: int = 0  # in a row
    failing_since: float | None = None
    next_due_at: float | None = None  # a lower bound of its pages' due times
    requests: int = 0
    overloaded: bool = False

    @property
    def needed_gap_s(self) -> float:
        """S1: the access gap that would carry out the whole schedule."""
        return 1.0 / self.load_per_s if self.load_per_s > 0 else float("inf")


UNASKED = -1


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """What an origin answered when asked for /robots.txt. `status` 0: unreachable; UNASKED: nobody was asked, since the
    address guard refused it. `body` then says why."""

    origin: str
    fetched_at: float
    status: int
    body: bytes = b""
    expires_at: float = 0.0
