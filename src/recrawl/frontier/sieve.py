"""Lets each new address through once, asking the store only about those it has not met lately."""

from collections.abc import Iterable


class Sieve(set[int]):
    """Fingerprints met lately: when it is full, all are forgotten.

    Forgetting costs questions to the store, never a second visit: the store ignores what it knows.
    """

    def __init__(self, capacity: int = 1_000_000) -> None:
        super().__init__()
        self._capacity = capacity

    def remember(self, fingerprints: Iterable[int]) -> None:
        if len(self) >= self._capacity:
            self.clear()
        self.update(fingerprints)

    def fresh(self, fingerprints: Iterable[int]) -> list[int]:
        """Those not met lately, each once, and remembered from now on."""
        unmet = [one for one in dict.fromkeys(fingerprints) if one not in self]
        self.remember(unmet)
        return unmet
