"""Categories as a tree with counts, and the question that a form asks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recrawl.model.search import Shelf

SEPARATOR = "/"


@dataclass(frozen=True, slots=True)
class Branch:
    """`category` is the whole path; `documents` counts those below, too; `own` those that stand exactly here."""

    name: str
    category: str
    documents: int
    own: int
    branches: tuple["Branch", ...] = ()


def tree(shelves: Iterable[Shelf], site: str = "") -> tuple[Branch, ...]:
    """By name; documents without a category stand nowhere in it."""
    counts: dict[tuple[str, ...], int] = {}
    for shelf in shelves:
        path = tuple(part for part in shelf.category.split(SEPARATOR) if part)
        if path and (not site or shelf.site == site):
            counts[path] = counts.get(path, 0) + shelf.documents
    return _branches(counts, ())


def _branches(counts: Mapping[tuple[str, ...], int], above: tuple[str, ...]) -> tuple[Branch, ...]:
    depth = len(above)
    names = sorted({path[depth] for path in counts if path[:depth] == above and len(path) > depth})
    branches = []
    for name in names:
        path = (*above, name)
        below = _branches(counts, path)
        own = counts.get(path, 0)
        branches.append(Branch(name, SEPARATOR.join(path), own + sum(one.documents for one in below), own, below))
    return tuple(branches)


def question(words: str, **filters: str) -> str:
    """Words and the fields of a form as one question; a quotation mark cannot stand in a filter."""
    chosen = [f'{name}:"{value.replace(chr(34), " ")}"' for name, value in filters.items() if value.strip()]
    return " ".join((words.strip(), *chosen)).strip()
