"""One purse of the scheduler: the policy that spends it, and under which names what it learnt is kept."""

from recrawl.model.values import dataclass
from recrawl.ports import Policy, PricedPolicy
from recrawl.schedule.budget import Bucket
from recrawl.schedule.lean import is_by_value


@dataclass(slots=True)
class Domain:
    """One purse: its policy with what it knows, and the bucket its price listens to."""

    name: str
    policy: Policy
    bucket: Bucket
    kept_at: float = 0.0
    priced_at: float = 0.0

    @property
    def price(self) -> float:
        return self.policy.price if isinstance(self.policy, PricedPolicy) else 0.0


def knowledge_memo(worker: str, purse: str) -> str:
    """Under this name a worker keeps what it learnt of the sites that share a purse."""
    return f"knowledge:{worker}:{purse}"


def learnt_memo(worker: str, policy: Policy, purse: str) -> str:
    """The same for any policy. One that has learnt nothing but a price keeps it apart: another may be chosen for a
    while and this one come back."""
    return knowledge_memo(worker, purse) if is_by_value(policy) else f"price:{worker}:{policy.name}:{purse}"
