"""Wishes for a new answer: what they are for, and that their file stays small."""

from pathlib import Path

import pytest

from recrawl.fetch.wishes import MOST_BYTES, Wish, forget_wishes, wish, wishes
from recrawl.model.page import Page

PAGE = Page(7, "http://a.example/", "a.example", "a")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    (tmp_path / "0a-1.journal").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "is_for"),
    [
        (Wish(1.0), True),
        (Wish(1.0, "a"), True),
        (Wish(1.0, "b"), False),
        (Wish(1.0, "", [7]), True),
        (Wish(1.0, "a", [8, 7]), True),
        (Wish(1.0, "b", [7]), False),
        (Wish(1.0, "", [8]), False),
    ],
)
def test_who_is_meant(journal: Path, wanted: Wish, is_for: bool) -> None:
    wish(journal, wanted)
    [read] = wishes(journal)
    assert (read.at, read.is_for(PAGE), wanted.is_for(PAGE)) == (1.0, is_for, is_for)


def test_so_many_that_everything_is_meant(journal: Path) -> None:
    for at in range(20):
        wish(journal, Wish(float(at), "", range(1000)))
        assert (journal / "wishes").stat().st_size <= MOST_BYTES
        assert any(one.at <= at and one.is_for(PAGE) for one in wishes(journal))
    assert any(not one.pages for one in wishes(journal))


def test_a_torn_one_is_for_all(journal: Path) -> None:
    (journal / "wishes").write_text('[1.0, "b"')
    [torn] = wishes(journal)
    assert torn.at > 1e12 and torn.is_for(PAGE)


def test_old_ones_are_forgotten(journal: Path) -> None:
    for at in (1.0, 2.0):
        wish(journal, Wish(at))
    forget_wishes(journal, 2.0)
    assert len(wishes(journal)) == 2
    forget_wishes(journal, 2.5)
    assert not (journal / "wishes").exists()


def test_where_no_run_has_left_anything_nothing_is_told(tmp_path: Path) -> None:
    wish(tmp_path, Wish(1.0))
    wish(tmp_path / "none", Wish(1.0))
    assert list(tmp_path.iterdir()) == []
