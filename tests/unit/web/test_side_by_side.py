"""Two versions on facing columns."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.digest import fold
from recrawl.model.document import Block
from recrawl.web.difference import Row, side_by_side

LINES = st.lists(st.text("ab c", min_size=1, max_size=12), max_size=12)


def blocks(texts: list[str]) -> list[Block]:
    return [Block(1, text) for text in texts]


def column(rows: tuple[Row, ...], side: str) -> str:
    texts = ["".join(piece.text for piece in getattr(row, side)) for row in rows]
    return "\n".join(text for text in texts if text)


@given(LINES, LINES)
def test_each_column_reads_as_its_version(old: list[str], new: list[str]) -> None:
    rows = side_by_side(blocks(old), blocks(new), context=100).rows
    if not any(row.changed for row in rows):
        return
    for side, texts in (("before", old), ("after", new)):
        kept = [text for text in map(fold, texts) if text]
        assert column(rows, side).split() == " ".join(kept).split()


def test_equal_texts_have_no_changed_row() -> None:
    found = side_by_side(blocks(["a", "b"]), blocks(["a", "b"]))
    assert not any(row.changed for row in found.rows) and found.share == 0


def test_unchanged_lines_far_from_a_change_are_counted_not_shown() -> None:
    lines = [f"line {n}" for n in range(20)]
    rows = side_by_side(blocks(lines), blocks([*lines[:10], "new words", *lines[10:]]), context=1).rows
    assert [row.skipped for row in rows if row.skipped] == [9, 9]
    assert sum(row.changed for row in rows) == 1


def test_a_replaced_line_stands_beside_its_successor() -> None:
    rows = side_by_side(blocks(["same", "old one", "end"]), blocks(["same", "new two", "end"])).rows
    [changed] = [row for row in rows if row.changed]
    assert [piece.text for piece in changed.before if piece.marked] == ["old one"]
    assert [piece.text for piece in changed.after if piece.marked] == ["new two"]
    assert len(rows) == 3
