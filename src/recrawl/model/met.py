"""Addresses met before: links to them bring nothing new, wherever they stand."""

from collections.abc import Container, Iterable
from typing import Protocol

from recrawl.native import compiled


class Met(Container[str], Protocol):
    """Those of the last so many, by a hash of their spelling: when it is full, all are forgotten."""

    def __len__(self) -> int: ...

    def remember(self, addresses: Iterable[str]) -> None:
        """These too."""
        ...


class PlainMet:
    """In Python."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._hashes: set[int] = set()

    def __contains__(self, address: object) -> bool:
        return hash(address) in self._hashes

    def __len__(self) -> int:
        return len(self._hashes)

    def remember(self, addresses: Iterable[str]) -> None:
        if len(self._hashes) >= self._capacity:
            self._hashes.clear()
        self._hashes.update(map(hash, addresses))


def new_met(capacity: int) -> Met:
    if compiled is None:
        return PlainMet(capacity)
    made: Met = compiled.Met(capacity, hash("met") & 0xFFFF_FFFF_FFFF_FFFF)  # which nobody can foresee
    return made
