"""The language of a document: what it says, else what its writing shows."""

from collections.abc import Iterable

from recrawl.model.late import late

SAMPLE_CHARS = 2000

_TAG = late(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")
_KANA = late("[\u3041-\u30ff\uff66-\uff9d]")
_HANGUL = late("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_HAN = late("[\u3400-\u4dbf\u4e00-\u9fff]")
_LETTER = late(r"[^\W\d_]")
_CHARSETS = {
    "euc-kr": "ko",
    "euc-jp": "ja",
    "shift_jis": "ja",
    "iso-2022-jp": "ja",
    "gbk": "zh",
    "gb18030": "zh",
    "big5": "zh-Hant",
}


def said(*candidates: str | None) -> str:
    """The first usable one, in the spelling `ko` or `zh-Hant`; of a list of languages the first."""
    for candidate in candidates:
        first = (candidate or "").partition(",")[0].strip()
        if _TAG.fullmatch(first):
            return first.replace("_", "-")
    return ""


def guessed(texts: Iterable[str], charset: str) -> str:
    """By script, and by a charset that serves one language; '' where neither tells."""
    if charset in _CHARSETS:
        return _CHARSETS[charset]
    sample = _sample(texts)
    letters = len(_LETTER.findall(sample))
    if not letters:
        return ""
    if len(_HANGUL.findall(sample)) * 4 > letters:
        return "ko"
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if (kana + han) * 4 <= letters:
        return ""
    return "ja" if kana * 20 > kana + han else "zh"


def _sample(texts: Iterable[str]) -> str:
    parts, size = [], 0
    for text in texts:
        parts.append(text[:SAMPLE_CHARS])
        size += len(parts[-1])
        if size >= SAMPLE_CHARS:
            break
    return " ".join(parts)
