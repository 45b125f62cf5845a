"""The knife cuts document and question alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.index.fold import fold
from recrawl.index.words import asked, joined, spans, words

SCRIPTS = "aZ é Åſß서울가각ㄱ市場日本々ーアｱﾞがカ゛ภาไทยहिन्दीЙйЁעִבَم\u0301\u3099\u1161\u200d_-.,3½Ⅳﬁ\n"


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("The Café on Strasse STRAßE", "the cafe on strasse strasse"),
        ("Ærø Łódź İstanbul naïve", "aero lodz istanbul naive"),
        ("ＦＵＬＬ ｗｉｄｔｈ １２", "full width 12"),
        ("foo_bar e-mail C3PO", "foo bar e mail c3po"),
        ("서울시장", "서울 울시 시장 장"),
        ("京都の朝市", "京都 都の の朝 朝市 市"),
        ("ﾃﾞｰﾀ", "デー ータ タ"),
        ("제3회 iPhone용", "제 3 회 iphone 용"),
        ("Йод ёлка", "йод елка"),
        ("हिन्दी", "हिन्दी"),
        ("ไทย", "ไท ทย ย"),
        ("", ""),
        ("… — !", ""),
        ("co\u00adoperate", "cooperate"),
    ],
)
def test_text_is_cut_into_words_and_pairs(text: str, cut: str) -> None:
    assert joined(text) == cut


@pytest.mark.parametrize(
    ("text", "wanted", "is_open"),
    [
        ("cat", ("cat",), False),
        ("서울", ("서울",), False),
        ("서울시", ("서울", "울시"), False),
        ("서", ("서",), True),
        ("제3회", ("제", "3", "회"), True),
        ("회의3", ("회의", "의", "3"), False),
        ("가나 다", ("가나", "나", "다"), True),
        ("!", (), False),
    ],
)
def test_a_question_asks_for_pairs_and_leaves_the_last_character_open(
    text: str, wanted: tuple[str, ...], is_open: bool
) -> None:
    assert asked(text) == (wanted, is_open)


@given(st.text(st.sampled_from(SCRIPTS), max_size=30))
def test_words_with_places_are_the_same_words(text: str) -> None:
    found = list(spans(text))
    assert [span.word for span in found] == words(text)
    assert all(0 <= span.start <= span.end <= len(text) for span in found)


@given(st.text(max_size=40))
def test_folding_twice_is_folding_once_for_the_words(text: str) -> None:
    assert words(fold(text)) == words(text)


@given(
    st.text(st.sampled_from("가나다라市場のは"), min_size=1, max_size=6),
    st.text(st.sampled_from("가나다라市場のは x3"), max_size=12),
)
def test_a_run_of_characters_is_found_exactly_where_it_stands(needle: str, text: str) -> None:
    wanted, is_open = asked(needle)
    cut = words(text)
    starts = range(len(cut) - len(wanted) + 1)
    found = any(
        tuple(cut[at : at + len(wanted) - 1]) == wanted[:-1]
        and (cut[at + len(wanted) - 1].startswith(wanted[-1]) if is_open else cut[at + len(wanted) - 1] == wanted[-1])
        for at in starts
    )
    assert found == (needle in text)


@given(st.text(max_size=60))
def test_no_word_holds_anything_that_could_end_a_query_string(text: str) -> None:
    for word in words(text):
        assert not set(word) & set("\"'*(){}:^+-\\ \t\n\x00")
        assert word
