"""What a receiver says to whoever brought a notice, and what it takes from it. Independent of how it came."""

from dataclasses import field

from recrawl.model.values import dataclass
from recrawl.notices.claim import Claim


@dataclass(frozen=True, slots=True)
class Received:
    """`status` as HTTP has it, `text` for the sender, `claims` to be applied, `count`: what to count it as, `mark`: to
    be remembered, so that it is taken once."""

    status: int
    text: str = ""
    claims: tuple[Claim, ...] = ()
    count: str = ""
    mark: str = ""
    refused: tuple[str, ...] = field(default=())

    @property
    def taken(self) -> bool:
        return 200 <= self.status < 300 and bool(self.claims)
