"""A hash of a page's skeleton: pages made from one template share it, however many items and paragraphs they have."""

from collections.abc import Collection, Sequence

from recrawl.extract.text import Run
from recrawl.model.address import fingerprint

# Pages without a single id, class or landmark are told apart by what holds most of their text.
_MATTER = {"li": "list", "dt": "list", "dd": "list", "td": "table", "th": "table", "pre": "pre"}


def template_of(skeleton: Collection[str], runs: Sequence[Run]) -> int:
    return fingerprint("\n".join(sorted(skeleton)) if skeleton else f"bare {_matter(runs)}")


def _matter(runs: Sequence[Run]) -> str:
    weights: dict[str, int] = {}
    for run in runs:
        matter = _MATTER.get(run.tag, "prose")
        weights[matter] = weights.get(matter, 0) + len(run.text)
    return max(sorted(weights), key=lambda matter: weights[matter], default="empty")
