"""What one transfer is to do."""

from recrawl.fetch.endpoint import Endpoint
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.visit import Limits


@swift
@dataclass(frozen=True, slots=True)
class Terms:
    """What many requests to one server share: whom to ask, at which address, within which limits."""

    endpoint: Endpoint
    address: str
    own: tuple[str, ...]
    limits: Limits
    connect_s: float
    total_s: float
    enough_bytes: int = 0  # of the body; 0: all of it is wanted

    @property
    def bounds(self) -> tuple[Limits, float, float, int]:
        return self.limits, self.connect_s, self.total_s, self.enough_bytes


NO_TERMS = Terms(Endpoint("", "", 0, "", "", ""), "", (), Limits(), -1, -1)  # before the first


class Order:
    """Ask one address for one thing. `form`: posted, where there is one; `fresh`: no kept connection will do."""

    __slots__ = ("form", "fresh", "header_lines", "target", "terms", "url")

    def __init__(
        self, terms: Terms, url: str, target: str, header_lines: list[bytes], form: bytes = b"", fresh: bool = False
    ) -> None:
        self.terms, self.url, self.target, self.header_lines = terms, url, target, header_lines
        self.form, self.fresh = form, fresh
