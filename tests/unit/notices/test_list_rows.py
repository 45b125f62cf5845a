"""What the rows of a list say of the pages they lead to."""

from hypothesis import given
from hypothesis import strategies as some

from recrawl.notices.listed import moved_on, read, spoken_of, write

OLD = "Mon, 02 Nov 2026 10:00:00 GMT"
NEW = "Tue, 03 Nov 2026 10:00:00 GMT"
NEW_AT = 1_793_700_000.0


def test_a_row_with_other_words_and_a_row_that_moved_up_speak_of_their_pages() -> None:
    before = {1: 10, 2: 20, 3: 30, 4: 40}
    assert spoken_of(before, before) == []
    assert spoken_of(before, {**before, 3: 31}) == [3]
    assert spoken_of(before, {4: 40, 1: 10, 2: 20, 3: 30}) == [4]
    assert spoken_of(before, {9: 90, 1: 10, 2: 20, 4: 40}) == []  # rows come and go
    assert spoken_of({}, before) == []


@given(some.lists(some.integers(0, 50), unique=True, max_size=30), some.randoms())
def test_rows_that_kept_their_order_are_never_spoken_of_and_the_others_alone_could_restore_it(
    rows: list[int], dice: object
) -> None:
    before = dict.fromkeys(rows, 0)
    shuffled = list(rows)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    spoken = set(spoken_of(before, dict.fromkeys(shuffled, 0)))
    quiet = [row for row in shuffled if row not in spoken]
    assert quiet == [row for row in rows if row not in spoken]
    assert (not spoken) is (shuffled == rows)


@given(some.dictionaries(some.integers(-(2**63), 2**63 - 1), some.integers(-(2**63), 2**63 - 1), max_size=50))
def test_the_memory_of_a_list_reads_back_in_its_order(rows: dict[int, int]) -> None:
    assert list(read(write(rows)).items()) == list(rows.items())
    assert read(None) == {}


def test_only_a_date_that_moved_on_and_is_older_than_the_answer_speaks() -> None:
    assert moved_on(OLD, NEW, NEW_AT + 3600)
    assert not moved_on(NEW, OLD, NEW_AT + 3600)
    assert not moved_on(OLD, OLD, NEW_AT + 3600)
    for before, now in (("", NEW), (OLD, ""), (OLD, "yesterday"), ("Mon, 99 Nov 2026 99:00:00 GMT", NEW)):
        assert not moved_on(before, now, NEW_AT + 3600)
    assert not moved_on(OLD, "Tue, 03 Nov 2026 10:00:00 GMT", 1_793_000_000.0)  # a date of the future, or of now
