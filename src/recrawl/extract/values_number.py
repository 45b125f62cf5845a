"""Numbers and prices as people write them: 1.234,56 · 1,234.56 · 1 234,56 · 1'234.50 · ₩12,000 · 税込1,980円.

What a mark means is told, in this order, by the number itself (two different marks, a mark repeated, other than three
digits behind it), by the locale, by the habit of the currency. What has no reading is no number.
"""

import re
from decimal import Decimal

from recrawl.extract.values_currency import POINT, SIGN, THOUSANDTHS, WHOLE, currency_of
from recrawl.model.late import late
from recrawl.model.values import dataclass

_COMMA_LANGUAGES = """
af az be bg bs ca cs da de el es et eu fi fo fr gl hr hu hy id is it ka kk lt lv mk nb nl nn no pl pt ro ru
sk sl sq sr sv tr uk uz vi
"""
COMMA_LANGUAGES = frozenset(_COMMA_LANGUAGES.split())
POINT_PLACES = frozenset({"de-ch", "de-li", "it-ch", "es-mx", "es-us", "es-gt", "es-hn", "es-ni", "es-pa", "es-pe"})
MYRIADS = {"천": 10**3, "千": 10**3, "만": 10**4, "万": 10**4, "萬": 10**4, "억": 10**8, "億": 10**8, "亿": 10**8}
MOST_DIGITS = 40
MOST_CHARS = 1000  # further in, nobody looks for a value

_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u3000\t\r\n"), " ")
_PLAIN = {**_SPACES, ord("，"): ",", ord("．"): ".", ord("٫"): ".", ord("٬"): ",", ord("−"): "-", ord("’"): "'"}
_GROUPED = r"\d{1,3}(?:[ '.,·]\d{3})+(?!\d)(?:[.,]\d+)?"
_INDIAN = r"\d{1,2}(?:,\d{2})+,\d{3}(?!\d)(?:\.\d+)?"
_NUMBER = rf"(?:{_GROUPED}|{_INDIAN}|\d+(?:[.,]\d+)*|(?<![\d.,])[.,]\d+)"
_UNIT = r"(?:[千万萬億亿]|[천만억](?![가-힣])|[천만억](?=[원개명건대권회점]))"
_MORE = rf"{_UNIT}(?:\s?\d[\d,]*{_UNIT})*(?:\d[\d,]*|\s\d[\d,]*(?=\s?[원円元]))?"
_SIGNED = rf"(?P<minus>-\s?|\(\s?)?(?P<number>{_NUMBER})(?P<myriad>{_MORE})?"
_BEFORE = late(rf"(?P<first>-\s?)?(?P<sign>{SIGN})(?:\.(?=\s))?\s{{0,2}}{_SIGNED}")
_AFTER = late(rf"{_SIGNED}(?:[.,][-–—]+)?\s?(?P<sign>{SIGN})")
_ALONE = late(_SIGNED)
_MYRIAD = late(r"(\d[\d,]*)?\s?([천千만万萬억億亿])?")


@dataclass(frozen=True, slots=True)
class Price:
    amount: int | float
    currency: str | None


def number(text: str, locale: str = "") -> int | float | None:
    """The first number in a text; None where there is none, or it has no reading."""
    found = _ALONE.search(plain(text))
    if found is None:
        return None
    before = found.string[: found.start()]
    if found["minus"] and before[-1:].isalnum():  # 10-20 is no minus twenty, and A-4 no minus four
        return _value(found["number"], found["myriad"], _mark_of(locale), "")
    return _negative(_value(found["number"], found["myriad"], _mark_of(locale), ""), found["minus"])


def price(text: str, locale: str = "", currency: str = "") -> Price | None:
    """The first amount that stands beside a currency; without any, the first number, in the currency that is given."""
    written = plain(text)
    beside = [found for found in (_BEFORE.search(written), _AFTER.search(written)) if found]
    found = min(beside, key=lambda one: (one.start("number"), one.start()), default=None) or _ALONE.search(written)
    if found is None:
        return None
    named = currency_of(found["sign"], locale) if beside else ""
    code = named or currency
    amount = _value(found["number"], found["myriad"], _mark_of(locale), code or "?")
    minus = found["minus"] or (found["first"] if "first" in found.re.groupindex else None)
    amount = _negative(amount, minus)
    return None if amount is None else Price(amount, code or None)


def plain(text: str) -> str:
    """Digits of any script as ASCII ones, spaces of any width as spaces."""
    text = text[:MOST_CHARS]
    if text.isascii():
        return text.translate(_SPACES)
    return "".join(str(int(char)) if char.isdecimal() else char for char in text.translate(_PLAIN))


def _mark_of(locale: str) -> str:
    """The decimal mark of a locale; '' where none is given."""
    tag = locale.lower().replace("_", "-")
    if not tag:
        return ""
    return "," if tag not in POINT_PLACES and tag.partition("-")[0] in COMMA_LANGUAGES else "."


def _value(written: str, myriad: str | None, mark: str, currency: str) -> int | float | None:
    if sum(char.isdigit() for char in written) > MOST_DIGITS:
        return None
    digits = _in_points(re.sub(r"[ '·]", "", written), mark, currency)
    if digits is None:
        return None
    amount = Decimal(digits)
    return _shortest(_counted(amount, myriad) if myriad else amount)


def _in_points(written: str, mark: str, currency: str) -> str | None:
    """The number with a point as its only mark; None: no reading."""
    points, commas = written.count("."), written.count(",")
    if not points and not commas:
        return written
    if points and commas:
        last = "." if written.rindex(".") > written.rindex(",") else ","
        return _read(written, last) if written.count(last) == 1 else None
    only = "." if points else ","
    if points + commas > 1:
        return _read(written, "")
    whole, _, rest = written.partition(only)
    if len(rest) != 3 or not whole or whole.startswith("0") or len(whole) > 3:
        return _read(written, only)
    return _read(written, only if _is_decimal(only, mark, currency) else "")


def _is_decimal(only: str, mark: str, currency: str) -> bool:
    """Three digits behind the only mark: a thousand, or thousandths?"""
    if currency in WHOLE:
        return False
    if mark:
        return only == mark
    if currency in THOUSANDTHS or currency in POINT:
        return only == "."
    return only == "." and not currency


def _read(written: str, decimal: str) -> str | None:
    whole, _, rest = written.rpartition(decimal) if decimal else (written, "", "")
    groups = re.split(r"[.,]", whole)
    well_formed = len(groups) == 1 or (all(len(group) in (2, 3) for group in groups[1:-1]) and len(groups[-1]) == 3)
    return f"{''.join(groups) or '0'}.{rest or '0'}" if well_formed else None


def _counted(amount: Decimal, myriad: str) -> Decimal:
    """3만 5천 → 35000; 1億2000万 → 120000000."""
    total, pending = Decimal(0), amount
    for digits, unit in _MYRIAD.findall(myriad):
        if digits:
            pending = Decimal(digits.replace(",", ""))
        if unit:
            total, pending = total + pending * MYRIADS[unit], Decimal(0)
    return total + pending


def _shortest(amount: Decimal) -> int | float:
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def _negative(amount: int | float | None, minus: str | None) -> int | float | None:
    return -amount if amount and minus and "-" in minus else amount
