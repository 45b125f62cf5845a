"""Bytes become the text a browser would show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract.charset import How, decode

KOREAN = (
    "오늘 서울의 날씨는 맑고 기온은 이십오도까지 올라갈 것으로 보입니다. 기상청은 주말부터 비가 온다고 예보했습니다. "
)
JAPANESE = "今日の東京の天気は晴れで、気温は二十五度まで上がる見込みです。週末は雨が降るそうです。カタカナも使います。"
SIMPLIFIED = "今天北京的天气晴朗，气温将上升到二十五度。气象局表示，从周末开始南方地区将会下雨。市民们最好准备好雨伞。"
TRADITIONAL = "今天臺北的天氣晴朗，氣溫將上升到二十五度。氣象局表示，從週末開始南部地區將會下雨。市民們最好準備好雨傘。"
RUSSIAN = "Сегодня в Москве ясная погода, температура поднимется до двадцати пяти градусов. С выходных пойдут дожди. "

PAGES = [
    (KOREAN, "cp949", "euc-kr"),
    (JAPANESE, "cp932", "shift_jis"),
    (JAPANESE, "euc_jp", "euc-jp"),
    (JAPANESE, "iso2022_jp", "iso-2022-jp"),
    (SIMPLIFIED, "gb18030", "gb18030"),
    (SIMPLIFIED, "gbk", "gbk"),
    (TRADITIONAL, "big5hkscs", "big5"),
    (RUSSIAN, "koi8-r", "koi8-r"),
    (RUSSIAN, "cp1251", "windows-1251"),
]


def page(text: str) -> str:
    return f"<html><body><h1>{text}</h1><p>{text * 3}</p></body></html>"


@pytest.mark.parametrize(("text", "codec", "label"), PAGES)
def test_a_page_comes_out_right_when_the_header_names_its_charset(text: str, codec: str, label: str) -> None:
    decoded = decode(page(text).encode(codec), f'text/html; Charset="{label.upper()}"')
    assert decoded == (page(text), label, How.HEADER)


@pytest.mark.parametrize(("text", "codec", "label"), PAGES)
def test_a_page_comes_out_right_when_it_declares_its_charset(text: str, codec: str, label: str) -> None:
    html = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">' + page(text)
    assert decode(html.encode(codec), "text/html") == (html, label, How.PRESCAN)


@pytest.mark.parametrize(("text", "codec", "label"), PAGES)
def test_a_page_comes_out_right_when_nothing_is_declared(text: str, codec: str, label: str) -> None:
    decoded = decode(page(text).encode(codec), "text/html")
    assert (decoded.text, decoded.how) == (page(text), How.DETECTED)


@pytest.mark.parametrize(("text", "codec", "label"), PAGES)
def test_text_far_behind_a_long_ascii_head_is_still_detected(text: str, codec: str, label: str) -> None:
    html = "<script>" + "var x = 1;\n" * 20_000 + "</script>" + page(text)
    assert decode(html.encode(codec), "text/html").text == html


@pytest.mark.parametrize("text", [KOREAN, JAPANESE, SIMPLIFIED, TRADITIONAL, "plain English words"])
@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("marked", [True, False])
def test_utf_16_is_read_with_and_without_its_mark(text: str, order: str, marked: bool) -> None:
    mark = "\ufeff" if marked else ""
    decoded = decode((mark + page(text)).encode(f"utf-16-{order}"), "text/html")
    assert decoded[:2] == (page(text), f"utf-16{order}")


@pytest.mark.parametrize(
    ("mark", "name"), [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be")]
)
def test_the_mark_comes_before_everything_and_is_not_part_of_the_text(mark: bytes, name: str) -> None:
    decoded = decode(mark + "한글".encode(name), "text/html; charset=euc-kr")
    assert decoded == ("한글", name, How.MARK)


def test_an_unknown_label_in_the_header_is_as_good_as_none() -> None:
    html = "<meta charset=euc-kr>한글"
    assert decode(html.encode("euc-kr"), "text/html; charset=x-nonsense").text == html


@pytest.mark.parametrize(
    "content_type",
    ["text/html;charset=utf-8", "text/html; charset = utf-8", "text/html; a=b;charset='x'; CHARSET=utf-8"],
)
def test_of_charset_parameters_the_first_counts(content_type: str) -> None:
    name = decode(b"\xc3\xa9\xc3\xa9", content_type).charset
    assert name == "utf-8"


def test_undeclared_utf_8_is_found_even_if_the_last_character_was_cut() -> None:
    body = page(KOREAN).encode()
    assert decode(body).charset == "utf-8"
    assert decode(KOREAN.strip().rstrip(".").encode()[:-1]).charset == "utf-8"


def test_undeclared_ascii_is_called_by_the_default_of_the_web() -> None:
    assert decode(b"<p>hello</p>") == ("<p>hello</p>", "windows-1252", How.DEFAULT)
    assert decode(b"", "text/html") == ("", "windows-1252", How.DEFAULT)


def test_xml_without_a_declaration_is_utf_8() -> None:
    assert decode(b"<a/>", "application/xml").charset == "utf-8"
    assert decode("<a>é</a>".encode(), "application/rss+xml").charset == "utf-8"
    assert decode(b"<?xml version='1.0' encoding='euc-kr'?><a/>", "text/xml").charset == "euc-kr"


def test_only_html_is_searched_for_meta_elements() -> None:
    assert decode(b"<meta charset=euc-kr>", "text/plain").charset == "windows-1252"


@pytest.mark.parametrize(
    ("body", "label", "text"),
    [
        (b"\x80\x81\x8d\x9f", "iso-8859-1", "€\x81\x8dŸ"),
        (b"\xa1\xc1\xad\xa1", "euc-jp", "～①"),
        (b"\x87\x40\x81\x60", "shift_jis", "①～"),
        (b"\x8c\x63\xb0\xa1", "euc-kr", "똠가"),
        (b"\x80\xa2\xe3", "gbk", "€€"),
        (b"\x88\x62\x87\x7a", "big5", "Ê̄㡵"),
        (b"\x81\x30\x81\x30", "gb18030", "\x80"),
        (b"\xff", "x-mac-cyrillic", "€"),
        (b"\xae", "koi8-u", "ў"),
        (b"\xe9\x80", "x-user-defined", "\uf7e9\uf780"),
        (b"anything", "iso-2022-kr", "\ufffd"),
        (b"\xf0\x9f\x98", "utf-8", "\ufffd"),
        (b"a\xffb", "utf-8", "a\ufffdb"),
        (b"\xe0\xf6", "iso-8859-8-i", "אצ"),
    ],
)
def test_bytes_mean_what_the_encoding_standard_says(body: bytes, label: str, text: str) -> None:
    assert decode(body, f"text/html; charset={label}").text == text


@given(
    st.binary(max_size=2000),
    st.sampled_from(["", "text/html", "text/plain", "application/xml", "text/html; charset=big5"]),
)
def test_decoding_never_raises(body: bytes, content_type: str) -> None:
    decoded = decode(body, content_type)
    assert isinstance(decoded.text, str)


@given(st.text(alphabet="가나다라마바사한국어 날씨", min_size=0, max_size=200))
def test_declared_text_survives(text: str) -> None:
    assert decode(text.encode("euc-kr"), "text/html; charset=euc-kr").text == text
