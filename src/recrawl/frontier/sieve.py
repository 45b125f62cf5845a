"""Lets each new address through once, asking the store only about those it has not met lately."""

from collections.abc import Iterable


class Sieve:
    """Two generations of fingerprints: when the young one is full, the old one is forgotten.

    Forgetting costs a question to the store, never a second visit: the store ignores what it knows.
    """

    def __init__(self, capacity: int = 1_000_000) -> None:
        self._half = max(1, capacity // 2)
        self._young: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, fingerprint: object) -> bool:
        return fingerprint in self._young or fingerprint in self._old

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def remember(self, fingerprints: Iterable[int]) -> None:
        self._young.update(fingerprints)
        if len(self._young) >= self._half:
            self._old, self._young = self._young, set()

    def fresh(self, fingerprints: Iterable[int]) -> list[int]:
        """Those not met lately, each once, and remembered from now on."""
        young, old = self._young, self._old
        unmet = [one for one in dict.fromkeys(fingerprints) if one not in young and one not in old]
        self.remember(unmet)
        return unmet
