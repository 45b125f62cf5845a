"""Fields of a site file, compiled, and what they found on a page."""

from dataclasses import field
from typing import Any

from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Extraction:
    """`missing`: required fields that were not found. `faults`: one sentence on each text that was not of its type."""

    data: dict[str, object] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return all(value is None or value == [] for value in self.data.values())


@dataclass(frozen=True, slots=True)
class Wrapper:
    """`digest` tells one set of fields from another. `readers`: of `records`, which reads with them."""

    digest: str
    readers: tuple[Any, ...]
