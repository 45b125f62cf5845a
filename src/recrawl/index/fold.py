"""One spelling for what people take for the same letters."""

from functools import lru_cache
from unicodedata import normalize

# Blocks whose letters lose their accents. Cyrillic й and Japanese が are letters of their own, not accented ones.
_ACCENTED = ((0x00C0, 0x0250), (0x0370, 0x0400), (0x1E00, 0x2000))
_SINGLE = {
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ħ": "h",
    "ł": "l",
    "ŧ": "t",
    "ı": "i",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "ё": "е",
    "_": " ",
    "ـ": "",  # Arabic tatweel stretches a word
}
_DROPPED = (
    (0x00AD, 0x00AE),  # soft hyphen
    (0x0300, 0x0370),  # accents on their own
    (0x0591, 0x05BE),  # Hebrew points
    (0x05BF, 0x05C0),
    (0x05C1, 0x05C3),
    (0x064B, 0x0660),  # Arabic vowel signs
    (0x0670, 0x0671),
    (0x200B, 0x2010),  # joiners and direction marks
    (0x2060, 0x2061),
    (0xFE00, 0xFE10),  # variation selectors
    (0xFEFF, 0xFF00),
    (0xE0100, 0xE01F0),
)


def fold(text: str) -> str:
    """Compatible forms made one, case and accents gone; underscores part words."""
    if text.isascii():
        return text.lower().replace("_", " ")
    return normalize("NFKC", text).casefold().translate(_table())


@lru_cache(maxsize=1)
def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = {code: None for start, end in _DROPPED for code in range(start, end)}
    for start, end in _ACCENTED:
        for code in range(start, end):
            bare = normalize("NFD", chr(code))
            if len(bare) > 1 and bare[0].isalpha():
                table[code] = bare[0]
    return table | {ord(letter): plain for letter, plain in _SINGLE.items()}
