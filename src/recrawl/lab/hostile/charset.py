"""Texts that are not written as they say."""

from recrawl.lab.hostile.body import either, taken
from recrawl.lab.hostile.case import Case, Kind, page, saying

TEXT = "Größe, 日本語, 한국어, Ελληνικά, Русский. " * 12


def said(name: str, charset: str, body: bytes) -> Case:
    return either(name, saying(body, ("Content-Type", f"text/html; charset={charset}")), Kind.CHARSET)


def fine(name: str, charset: str, body: bytes) -> Case:
    return taken(name, saying(body, ("Content-Type", f"text/html{charset}")), Kind.CHARSET)


PAGE = page("Letters", text=TEXT)
META = b'<meta charset="shift_jis">'

CASES = (
    said("utf-7", "utf-7", b"+ADw-script+AD4-alert(1)+ADw-/script+AD4-" * 40),
    said("unknown-charset", "klingon-8", PAGE),
    said("empty-charset", "", PAGE),
    said("giant-charset", "x" * 5000, PAGE),
    said("python-codec-as-charset", "rot13", PAGE),
    said("idna-as-charset", "idna", PAGE),
    said("unicode-escape-as-charset", "unicode_escape", PAGE),
    said("utf-16-that-is-utf-8", "utf-16", PAGE),
    said("utf-8-that-is-latin-1", "utf-8", page("Umlaut", text="Gr\u00f6\u00dfe " * 80).decode().encode("latin-1")),
    said("utf-8-broken-sequences", "utf-8", PAGE + b"\xc3\x28\xf0\x9f\x92\xe2\x82" * 500),
    said("utf-8-overlong", "utf-8", PAGE + b"\xc0\xbc\xe0\x80\xbc" * 500),
    said("surrogates", "utf-8", PAGE + b"\xed\xa0\x80\xed\xbf\xbf" * 500),
    said("iso-2022-jp-escapes", "iso-2022-jp", PAGE + b"\x1b$B" * 1000),
    said("hz-gb", "hz-gb-2312", PAGE + b"~{" * 1000),
    said("replacement-charset", "iso-2022-kr", PAGE),
    fine("utf-16-without-mark", "", PAGE.decode().encode("utf-16-le")),
    fine("utf-16-with-mark", "; charset=utf-8", b"\xff\xfe" + PAGE.decode().encode("utf-16-le")),
    said("utf-32", "utf-32", PAGE.decode().encode("utf-32")),
    fine("mark-against-header", "; charset=windows-1252", b"\xef\xbb\xbf" + PAGE),
    fine("meta-against-header", "; charset=utf-8", META + PAGE),
    fine("meta-against-truth", "", META + PAGE),
    fine("late-meta", "", b"<!--" + b" " * 5000 + b'--><meta charset="utf-8">' + PAGE),
    fine("two-metas", "", b'<meta charset="latin1"><meta charset="utf-8">' + PAGE),
    fine("shift-jis", "; charset=shift_jis", page("文字", text="日本語の文章です。" * 40).decode().encode("shift_jis")),
    fine("euc-kr-undeclared", "", page("글자", text="한국어 문장입니다. " * 40).decode().encode("euc-kr")),
    fine("gb18030", "; charset=gb18030", page("字", text="中文的句子。" * 40).decode().encode("gb18030")),
)
