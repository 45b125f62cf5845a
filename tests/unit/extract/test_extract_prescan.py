"""The prescan, case by case along the HTML Standard's text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract.charset import How, decode, sniff
from recrawl.extract.labels import ENCODERS, ENCODINGS, encoding_of
from recrawl.extract.prescan import PRESCAN_BYTES, charset_in_content, late_meta, prescan, xml_encoding

DECLARED = [
    (b"<meta charset=euc-kr>", "euc-kr"),
    (b'<META CHARSET="EUC-KR">', "euc-kr"),
    (b"<meta charset='euc-kr'/>", "euc-kr"),
    (b"<meta/charset=euc-kr>", "euc-kr"),
    (b"<meta\x0ccharset\n=\t euc-kr >", "euc-kr"),
    (b"<meta a=b charset=euc-kr>", "euc-kr"),
    (b'<meta a="x>y" charset=euc-kr>', "euc-kr"),
    (b"<meta a='\"' charset=euc-kr>", "euc-kr"),
    (b"<meta =charset=utf-8 charset=euc-kr>", "euc-kr"),
    (b"<meta charset=euc-kr charset=utf-8>", "euc-kr"),
    (b"<meta charset=nonsense><meta charset=euc-kr>", "euc-kr"),
    (b"<meta charset=' euc-kr\n'>", "euc-kr"),
    (b"<p title='<meta charset=utf-8>'><meta charset=euc-kr>", "euc-kr"),
    (b"</p title='<meta charset=utf-8>'><meta charset=euc-kr>", "euc-kr"),
    (b"<!-- <meta charset=utf-8> --><meta charset=euc-kr>", "euc-kr"),
    (b"<!--><meta charset=euc-kr>-->", "euc-kr"),
    (b"<!---><meta charset=euc-kr>", "euc-kr"),
    (b"<!x <meta charset=utf-8><meta charset=euc-kr>", "euc-kr"),
    (b"<?x <meta charset=utf-8><meta charset=euc-kr>", "euc-kr"),
    (b"</ <meta charset=utf-8><meta charset=euc-kr>", "euc-kr"),
    (b"< <meta charset=euc-kr>", "euc-kr"),
    (b"<script>'<meta charset=euc-kr>'</script>", "euc-kr"),
    (b"<meta http-equiv=content-type content='text/html; charset=euc-kr'>", "euc-kr"),
    (b"<meta content='text/html; charset=euc-kr' http-equiv='Content-Type'>", "euc-kr"),
    (b"<meta http-equiv=content-type content='charset=nonsense' charset=euc-kr>", "euc-kr"),
    (b"<meta http-equiv=content-type content='charset=utf-8' charset=euc-kr>", "euc-kr"),
    (b"<meta charset=euc-kr http-equiv=content-type content='charset=utf-8'>", "euc-kr"),
    (b"<meta charset=utf-16>", "utf-8"),
    (b"<meta charset=utf-16be>", "utf-8"),
    (b"<meta charset=x-user-defined>", "windows-1252"),
    (b"<meta charset=iso-8859-1>", "windows-1252"),
    (b"<meta charset=iso-2022-kr>", "replacement"),
    (b"<?xml version='1.0' encoding='euc-kr'?><html>", "euc-kr"),
    (b'<?xml version="1.0" encoding = "euc-kr" ?>', "euc-kr"),
    (b"<?xml encoding='utf-16'?>", "utf-8"),
    (b"<?xml encoding='utf-8'?><meta charset=euc-kr>", "euc-kr"),
    (b"<\x00?\x00x\x00m\x00", "utf-16le"),
    (b"\x00<\x00?\x00x\x00m", "utf-16be"),
]

UNDECLARED = [
    b"",
    b"<",
    b"<meta",
    b"<meta charset",
    b"<meta charset=",
    b"<meta charset=euc-kr",
    b"<meta charset='euc-kr",
    b"<meta charset='euc-kr'",
    b"<metacharset=euc-kr>",
    b"<meta charset=>",
    b"<meta charset=nonsense>",
    b"<meta content='text/html; charset=euc-kr'>",
    b"<meta http-equiv=refresh content='charset=euc-kr'>",
    b"<meta http-equiv='content-type ' content='charset=euc-kr'>",
    b"<meta http-equiv=content-type content='charset \"euc-kr\"'>",
    b"<meta charset=nonsense http-equiv=content-type content='charset=euc-kr'>",
    b"<!-- <meta charset=euc-kr>",
    b"<p title='<meta charset=euc-kr>",
    b" <?xml encoding='euc-kr'?>",
    b"<?xml encoding='euc kr'?>",
    b"<?xml encoding=euc-kr?>",
    b"<?xml version='1.0'?> encoding='euc-kr'",
]


@pytest.mark.parametrize(("head", "name"), DECLARED)
def test_a_declaration_is_found(head: bytes, name: str) -> None:
    assert prescan(head) == name


@pytest.mark.parametrize("head", UNDECLARED)
def test_what_only_looks_like_a_declaration_is_none(head: bytes) -> None:
    assert prescan(head) is None


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ("CHARSET = utf-8;x", "utf-8"),
        ("charset charset=utf-8", "utf-8"),
        ("xcharset=utf-8", "utf-8"),
        ("charset='utf-8'x", "utf-8"),
        ('charset="utf-8" ', "utf-8"),
        ("charset=utf-8 x", "utf-8"),
        ('charset="utf-8', None),
        ("charset=utf-8'", None),
        ("charset", None),
        ("charset=", None),
    ],
)
def test_the_charset_of_a_content_attribute_is_extracted(content: str, name: str | None) -> None:
    assert charset_in_content(content) == name


@pytest.mark.parametrize("excess", [0, 1])
def test_the_prescan_sees_1024_bytes_and_not_one_more(excess: int) -> None:
    meta = b"<meta charset=euc-kr>"
    body = b"<!--" + b"x" * (PRESCAN_BYTES - len(meta) - 7 + excess) + b"-->" + meta
    assert len(body) == PRESCAN_BYTES + excess
    assert prescan(body) == (None if excess else "euc-kr")
    assert decode(body).how is (How.LATE_META if excess else How.PRESCAN)
    assert decode(body).charset == "euc-kr"


def test_a_late_meta_counts_only_where_a_parser_would_meet_an_element() -> None:
    space = b" " * PRESCAN_BYTES
    assert late_meta(space + b"<p><meta charset=euc-kr>") == "euc-kr"
    assert late_meta(space + b"<script>'<meta charset=euc-kr>'</script>") is None
    assert late_meta(space + b"<title><meta charset=euc-kr></title><meta charset=big5>") == "big5"
    assert late_meta(space + b"<!-- <meta charset=euc-kr> -->") is None
    assert late_meta(b"<meta name=x>" + space) is None


def test_a_late_meta_does_not_overrule_what_was_said_before() -> None:
    body = b" " * PRESCAN_BYTES + b"<meta charset=euc-kr>"
    assert decode(body, "text/html; charset=big5").charset == "big5"
    assert decode(b"\xef\xbb\xbf" + body).charset == "utf-8"
    assert decode(b"<meta charset=big5>" + body).charset == "big5"


@given(st.binary(max_size=300))
def test_the_prescan_never_raises_and_answers_with_known_encodings(noise: bytes) -> None:
    for body in (noise, b"<meta " + noise, b"<?xml" + noise, b"<meta charset=" + noise + b">"):
        assert prescan(body) in {None, *ENCODINGS.values()}
        assert xml_encoding(body) in {None, *ENCODINGS.values()}
        assert late_meta(b" " * 2000 + body) in {None, *ENCODINGS.values()}


def test_every_label_of_the_standard_is_known() -> None:
    assert len(ENCODINGS) == 228
    assert len(set(ENCODINGS.values())) == 40
    assert all(ENCODINGS[name] == name for name in ENCODINGS.values())


def test_a_label_is_found_whatever_its_case_and_the_white_space_around_it() -> None:
    assert encoding_of("\t KS_C_5601-1987\n") == "euc-kr"
    assert encoding_of("Latin1") == "windows-1252"
    assert encoding_of("\u00a0utf-8") is None
    assert encoding_of("utf8 ") == "utf-8"
    assert encoding_of("") is None


def test_every_encoding_can_be_decoded_and_every_encoder_exists() -> None:
    assert all(decode(b"plain", f"text/html; charset={name}").charset == name for name in set(ENCODINGS.values()))
    assert all("a".encode(codec) for codec in ENCODERS.values())


def test_sniffing_alone_stops_before_the_late_meta() -> None:
    assert sniff(b" " * PRESCAN_BYTES + b"<meta charset=euc-kr>") == ("windows-1252", How.DEFAULT)
