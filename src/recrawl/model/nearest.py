"""The known word that is nearest to one that nobody knows: what was meant, when it was mistyped."""

from collections.abc import Iterable

from recrawl.model.late import late_module

_DIFFLIB = late_module("difflib")


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """One, or none that is near enough."""
    found: list[str] = _DIFFLIB.get_close_matches(word, known, 1, cutoff)
    return found
