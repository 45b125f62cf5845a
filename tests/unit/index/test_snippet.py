"""What is shown of a text, and where it is marked."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.index.query import parse
from recrawl.index.snippet import marked, snippet
from recrawl.model.search import Term


def terms(text: str) -> tuple[Term, ...]:
    return parse(text, 0.0).terms


def shown(text: str, asked: str, width: int = 200) -> str:
    return "".join(f"[{piece}]" if hit else piece for piece, hit in snippet(text, terms(asked), width).pieces())


def test_hits_are_marked_as_they_are_written() -> None:
    assert shown("Das Café und das CAFE", "café") == "Das [Café] und das [CAFE]"
    assert shown("old bridge, old mill", '"old bridge"') == "[old bridge], old mill"
    assert shown("the harbours", "harb*") == "the [harbours]"


def test_of_pairs_the_characters_asked_for_are_marked() -> None:
    assert shown("국제서울시장상", "서울시장") == "국제[서울시장]상"
    assert shown("서울시장", "시") == "서울[시]장"
    assert shown("ﾃﾞｰﾀです", "データ") == "[ﾃﾞｰﾀ]です"


def test_the_stretch_with_most_terms_is_shown_and_cut_at_spaces() -> None:
    text = "fog " + "word " * 100 + "fog and sea " + "word " * 100
    cut = shown(text, "fog sea", width=60)
    assert "[fog] and [sea]" in cut
    assert cut.startswith("…") and cut.endswith("…")
    assert len(cut) < 80
    assert "wor " not in cut and "…ord" not in cut


def test_without_a_hit_the_beginning_is_shown() -> None:
    assert shown("word " * 100, "fog", width=20) == "word word word word…"
    assert shown("", "fog") == ""


def test_markup_of_a_page_is_text_like_any_other() -> None:
    found = snippet("<script>alert(1)</script> fog & <b>sea</b>", terms("alert b"))
    assert found.text == "<script>alert(1)</script> fog & <b>sea</b>"
    assert [piece for piece, hit in found.pieces() if hit] == ["alert", "b", "b"]


def test_a_title_is_marked_whole() -> None:
    assert marked("Fog over sea", terms("sea")).pieces() == [("Fog over ", False), ("sea", True)]


@given(
    st.text(st.sampled_from("fog sea서울é\n<&"), max_size=300),
    st.sampled_from(["fog sea", "서울", "서", '"g s"', "s*"]),
)
def test_marks_never_overlap_and_the_pieces_are_the_text(text: str, asked: str) -> None:
    found = snippet(text, terms(asked), width=40)
    assert "".join(piece for piece, _ in found.pieces()) == found.text
    ends = [0]
    for start, end in found.marks:
        assert ends[-1] <= start < end <= len(found.text)
        ends.append(end)
