"""What one transfer is to do."""

from typing import Protocol

from recrawl.fetch.endpoint import Endpoint
from recrawl.fetch.request import header_lines, raw_request
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Limits


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


class Order(Protocol):
    """Ask one address for one thing. `standing`: the header lines of all; `head`: as it goes over the wire, where it
    was so plain that it was written at once."""

    ask: Ask
    at: float  # the moment of the ask
    terms: Terms
    url: str
    target: str
    standing: list[bytes]
    head: bytes | None


def lines_of(order: Order) -> list[bytes]:
    """The lines of its head."""
    return header_lines(order.standing, order.ask)


def request_of(order: Order) -> bytes:
    method = "POST" if order.ask.form else "GET"
    return order.head or raw_request(order.terms.endpoint.authority, order.target, lines_of(order), method)
