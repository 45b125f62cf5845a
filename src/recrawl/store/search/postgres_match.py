"""A question in the words of PostgreSQL.

Ranking is BM25, as FTS5 has it: how often a term stands in a piece is told by `ts_rank_cd` with every weight 1, which
for one word or one phrase is the number of its places; the weight of the part is ours. (In a text longer than a vector
holds, what stands where two pieces overlap counts twice.)
"""

from collections.abc import Mapping, Sequence

from recrawl.model.search import Part, Question, Term
from recrawl.model.values import dataclass
from recrawl.store.search.match import PROMINENT, Condition, conditions_of
from recrawl.store.search.memory import K1, RAREST, B
from recrawl.store.search.tables import COLUMNS, PARTS
from recrawl.store.search.vector import asked

ONES = "ARRAY[1, 1, 1, 1]::real[]"
_HOLDERS = """{name} AS MATERIALIZED (
    SELECT word.doc, {often} AS often FROM {{space}}.word WHERE word.words @@ %s::tsquery{part} GROUP BY word.doc)"""
_OFTEN = f"sum((ARRAY[{{weights}}])[word.part + 1] * ts_rank_cd({ONES}, word.words, %s::tsquery))"
_OF_PARTS = " AND word.part = ANY(%s::smallint[])"
_HOLDS = "doc.number IN (SELECT doc FROM {name})"
_LACKS = "NOT EXISTS (SELECT FROM {{space}}.word WHERE word.doc = doc.number AND word.words @@ %s::tsquery{part})"
_SCORE = (
    f"coalesce({{name}}.often * {K1 + 1} / ({{name}}.often + {K1} * ({1 - B} + {B} * doc.length / %s)), 0) * "
    f"greatest({RAREST}, ln((%s - (SELECT count(*) FROM {{name}}) + 0.5) / ((SELECT count(*) FROM {{name}}) + 0.5)))"
)
_DOC = ", ".join(f"doc.{name}" for name in (*COLUMNS, "texts"))
_LISTED = (
    f"{{ctes}}SELECT {_DOC}, {{score}} AS score FROM {{{{space}}}}.doc{{joins}} WHERE {{where}} "
    "ORDER BY {order} LIMIT %s OFFSET %s"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement and its values; `{space}` in it is the namespace."""

    text: str
    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Extent:
    """Of the whole index: what ranking measures against."""

    documents: int
    words: int

    @property
    def mean_words(self) -> float:
        return self.words / max(1, self.documents) or 1.0


def counting(question: Question) -> Asked:
    holders = [_holders(f"t{place}", term) for place, term in enumerate(question.terms)]
    fits = _fits(question)
    text = f"{_with(holders)}SELECT count(*) FROM {{space}}.doc WHERE {fits.text}"
    return Asked(text, (*_values(holders), *fits.values))


def listing(question: Question) -> Asked:
    """Where nothing is weighed: by the moment of the last change."""
    fits = _fits(question)
    text = _LISTED.format(ctes="", score="0.0", joins="", where=fits.text, order="doc.changed_at DESC, doc.number DESC")
    return Asked(text, fits.values)


def ranking(question: Question, weights: Mapping[Part, float], extent: Extent) -> Asked:
    """By BM25, of equals the one put last."""
    names = [f"t{place}" for place in range(len(question.terms))]
    holders = [_holders(name, term, weights) for name, term in zip(names, question.terms, strict=True)]
    fits = _fits(question)
    text = _LISTED.format(
        ctes=_with(holders),
        score=" + ".join(_SCORE.format(name=name) for name in names),
        joins="".join(f" LEFT JOIN {name} ON {name}.doc = doc.number" for name in names),
        where=fits.text,
        order="score DESC, doc.number DESC",
    )
    measures = (extent.mean_words, float(extent.documents)) * len(names)
    return Asked(text, (*_values(holders), *measures, *fits.values))


def sorting(question: Question) -> Asked:
    """Of so many that to weigh them all takes longer than people wait: those with all the words in title or headings
    first, then those with some, of equals the one put last."""
    terms = question.terms
    holders = [_holders(f"t{place}", term) for place, term in enumerate(terms)]
    holders += [_holders(f"p{place}", term, parts=PROMINENT) for place, term in enumerate(terms)]
    fits = _fits(question)
    some = " OR ".join(_HOLDS.format(name=f"p{place}") for place in range(len(terms)))
    order = f"({_groups(question, 'p')}) DESC, ({some}) DESC, doc.number DESC"
    text = _LISTED.format(ctes=_with(holders), score="0.0", joins="", where=fits.text, order=order)
    return Asked(text, (*_values(holders), *fits.values))


def _with(holders: Sequence[Asked]) -> str:
    return f"WITH {', '.join(one.text for one in holders)} " if holders else ""


def _values(holders: Sequence[Asked]) -> tuple[object, ...]:
    return tuple(value for one in holders for value in one.values)


def _holders(name: str, term: Term, weights: Mapping[Part, float] | None = None, parts: Sequence[Part] = ()) -> Asked:
    """The documents that hold a term, and how often where it is weighed."""
    of, numbers = _of_parts(term, parts)
    if weights is None:
        return Asked(_HOLDERS.format(name=name, often="1", part=of), (asked(term), *numbers))
    often = _OFTEN.format(weights=", ".join(str(float(weights[part])) for part in PARTS))
    return Asked(_HOLDERS.format(name=name, often=often, part=of), (asked(term), asked(term), *numbers))


def _of_parts(term: Term, parts: Sequence[Part] = ()) -> tuple[str, tuple[object, ...]]:
    wanted = (term.part,) if term.part else tuple(parts)
    return (_OF_PARTS, ([PARTS.index(part) for part in wanted],)) if wanted else ("", ())


def _fits(question: Question) -> Condition:
    found = [Condition(_groups(question, "t"))] if question.terms else []
    for term in question.without:
        of, numbers = _of_parts(term)
        found.append(Condition(_LACKS.format(part=of), (asked(term), *numbers)))
    found += [_translated(one) for one in conditions_of(question)]
    text = " AND ".join(f"({one.text})" for one in found) or "true"
    return Condition(text, tuple(value for one in found for value in one.values))


def _groups(question: Question, letter: str) -> str:
    """All groups, each by any of its terms; terms are counted through."""
    place, groups = 0, []
    for group in question.groups:
        groups.append(" OR ".join(_HOLDS.format(name=f"{letter}{place + n}") for n in range(len(group))))
        place += len(group)
    return " AND ".join(f"({group})" for group in groups)


def _translated(condition: Condition) -> Condition:
    """SQLite's words for it in PostgreSQL's."""
    text = condition.text.replace("%", "%%").replace("?", "%s").replace("instr(", "strpos(")
    return Condition(text, condition.values)
