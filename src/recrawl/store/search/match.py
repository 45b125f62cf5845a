"""A question in the words of SQLite: an FTS5 expression and conditions on the documents."""

from collections.abc import Callable, Iterable, Sequence

from recrawl.model.search import Filter, Part, Question, Sieve, Term
from recrawl.model.values import dataclass

PROMINENT = (Part.TITLE, Part.HEADINGS)


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of a WHERE clause and its values."""

    text: str
    values: tuple[object, ...] = ()


def match_of(question: Question, parts: Sequence[Part] = ()) -> str:
    """The FTS5 expression; '' where no word is asked for. `parts` narrows the terms that name no part."""
    groups = [" OR ".join(_term(term, parts) for term in group) for group in question.groups]
    wanted = " AND ".join(f"({group})" for group in groups if group)
    unwanted = without_of(question)
    return f"({wanted}) NOT ({unwanted})" if wanted and unwanted else wanted


def tiers_of(question: Question) -> list[str]:
    """Expressions that part what fits: all words in title or headings, some of them, none of them."""
    match, first = match_of(question), match_of(question, PROMINENT)
    some = " OR ".join(_term(term, PROMINENT) for term in question.terms)
    return [first, f"(({match}) AND ({some})) NOT ({first})", f"({match}) NOT ({some})"]


def without_of(question: Question) -> str:
    return " OR ".join(_term(term, ()) for term in question.without)


def conditions_of(question: Question) -> list[Condition]:
    """On the document's own columns."""
    found = list(_sieved(question.sieves))
    if question.since_at is not None:
        found.append(Condition("doc.changed_at >= ?", (question.since_at,)))
    if question.before_at is not None:
        found.append(Condition("doc.changed_at < ?", (question.before_at,)))
    if question.as_of_at is not None:
        text = "doc.at <= ? AND (doc.until_at IS NULL OR doc.until_at > ?)"
        found.append(Condition(text, (question.as_of_at, question.as_of_at)))
    return found


def _term(term: Term, parts: Sequence[Part]) -> str:
    """Words hold letters and digits alone, so nothing in them can end the string early."""
    columns = (term.part,) if term.part else tuple(parts)
    where = f"{{{' '.join(part.value for part in columns)}}} : " if columns else ""
    return f'{where}"{" ".join(term.words)}"' + (" *" if term.open else "")


def _sieved(sieves: Iterable[Sieve]) -> Iterable[Condition]:
    liked: dict[Filter, list[Condition]] = {}
    for sieve in sieves:
        condition = _FILTERS[sieve.filter](sieve.value)
        if sieve.unlike:
            yield Condition(f"NOT ({condition.text})", condition.values)
        else:
            liked.setdefault(sieve.filter, []).append(condition)
    for conditions in liked.values():
        text = " OR ".join(f"({one.text})" for one in conditions)
        yield Condition(f"({text})", tuple(value for one in conditions for value in one.values))


def _beginning(column: str, mark: str) -> Callable[[str], Condition]:
    """The value itself, or the value and what hangs below it."""

    def condition(value: str) -> Condition:
        below = value + mark
        return Condition(f"{column} = ? OR substr({column}, 1, ?) = ?", (value, len(below), below))

    return condition


_FILTERS: dict[Filter, Callable[[str], Condition]] = {
    Filter.SITE: lambda value: Condition("doc.site = ?", (value,)),
    Filter.KIND: lambda value: Condition("doc.kind = ?", (value,)),
    Filter.CATEGORY: _beginning("doc.category", "/"),
    Filter.LANGUAGE: _beginning("doc.language", "-"),
    Filter.URL: lambda value: Condition("instr(lower(doc.url), ?) > 0", (value.lower(),)),
}
