"""Whose part of a budget is how much, where several workers share it."""

from recrawl.model.values import dataclass
from recrawl.schedule.budget import Budget, Spent


@dataclass(frozen=True, slots=True)
class Portion:
    """This worker's, who is the `number`th of so many."""

    number: int = 0
    crew: int = 1

    def of(self, whole: Budget) -> Budget:
        """Of requests as many as the others, and one of those that are left over; what is no whole request, the first
        one. Where there is less than one for each they take turns: a site's one server may be anybody's."""
        size = None if whole.bytes_per_day is None else whole.bytes_per_day / self.crew
        requests = whole.requests_per_day
        if requests is None:
            return Budget(whole.site, None, size)
        each, over = divmod(int(requests), self.crew)
        if self.crew > 1 and not each:
            return Budget(whole.site, requests, size, self.number, self.crew)
        rest = requests - int(requests) if self.number == 0 else 0.0
        return Budget(whole.site, each + (self.number < over) + rest, size)

    def spent(self, whole: Spent) -> Spent:
        """Cut as the budget is, so that nothing of the day is lost."""
        each, over = divmod(whole.requests, self.crew)
        return Spent(whole.day, each + (self.number < over), -(-whole.bytes // self.crew))
