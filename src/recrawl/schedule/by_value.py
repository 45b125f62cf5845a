"""What the scheduler asks of the value policy in full (`value`): its face, which loads no NumPy."""

from collections.abc import Sequence
from typing import Any, Protocol, Self

from recrawl.model.belief import Context, Floats, Ints, Sightings, States
from recrawl.ports import PricedPolicy
from recrawl.schedule.group_names import Met


class Known(Met, Protocol):
    """See `knowledge.Knowledge`."""

    @property
    def groups(self) -> tuple[str, ...]: ...


class ByValue(PricedPolicy, Protocol):
    """Each verb as `value.ValuePolicy` tells it."""

    @property
    def knowledge(self) -> Known: ...

    def next_gap_s(
        self, states: States, importance: Floats, now: float, luck: Floats, context: Context | None = None
    ) -> Floats: ...

    def worth_if_changed(self, states: States, importance: Floats, now: float, context: Context) -> Floats: ...

    def with_groups(self, names: Sequence[str]) -> Self: ...

    def context(self, names: Sequence[str], server_price: Floats, notices: Ints) -> Context: ...

    def patience(self, site: str) -> float: ...

    def knowing(self, knowledge: Any) -> Self: ...

    def folded(self, before: States, seen: Sightings, context: Context) -> tuple[States, Self]: ...

    def repooled(self, states: States, context: Context, scale: float = 1.0) -> Self: ...

    def at(self, now: float) -> Self: ...

    def is_pooling_due(self, now: float) -> bool: ...

    def at_price(self, height: float) -> Self: ...
