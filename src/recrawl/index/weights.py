"""How much a word counts, by the part of the document it stands in (S4's tag weighting)."""

from recrawl.model.search import Part

WEIGHTS: dict[Part, float] = {
    Part.TITLE: 8.0,
    Part.HEADINGS: 4.0,
    Part.EMPHASIS: 2.0,
    Part.ANCHORS: 0.5,
    Part.TEXT: 1.0,
    Part.RECORDS: 2.0,
}
