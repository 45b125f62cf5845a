"""Dates as people write them, as ISO 8601: the day, and the time of day where the text has one.

What is relative ("3 days ago", 어제), lacks its year or has two readings (03/04/2026 without a locale) is no date.
"""

import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import NamedTuple

from recrawl.extract.values_number import plain
from recrawl.model.late import late

_MONTHS = """
jan january januar januari janvier enero gennaio janeiro stycznia ledna tammikuuta ocak января січня
feb february februar februari fevrier février febrero febbraio fevereiro lutego února helmikuuta şubat февраля лютого
mar march marz märz mrt maart mars marzo março marca března maaliskuuta mart марта березня
apr april avril abril aprile kwietnia dubna huhtikuuta nisan апреля квітня
may mai mayo maggio maio mei maj maja května toukokuuta mayıs мая травня
jun june juni juin junio giugno junho czerwca června kesäkuuta haziran июня червня
jul july juli juillet julio luglio julho lipca července heinäkuuta temmuz июля липня
aug august août aout agosto augustus sierpnia srpna elokuuta ağustos augusti августа серпня
sep sept september septembre septiembre settembre setembro września září syyskuuta eylül сентября вересня
oct okt october oktober octobre octubre ottobre outubro października října lokakuuta ekim октября жовтня
nov november novembre noviembre novembro listopada listopadu marraskuuta kasım ноября листопада
dec dez december dezember décembre decembre diciembre dicembre dezembro grudnia prosince joulukuuta aralık декабря
"""
MONTHS = {name: month for month, line in enumerate(_MONTHS.split("\n")[1:-1], 1) for name in line.split()}
MONTH_FIRST = frozenset({"en", "en-us", "en-ph", "es-us"})  # 11/15/2026
YEAR_FIRST = frozenset({"ko", "ja", "zh", "hu", "lt", "mn"})
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
PIVOT = 70  # two digits: 69 is 2069, 70 is 1970; only where a locale gives the order

_NAME = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_TIME = (
    r"(?:(?:T|,?\s{1,3}(?:at\s|um\s|à\s|kl\.?\s)?|\s?[(（][^)）\d]{1,4}[)）]\s?|日\s?|\s?)"
    r"(?P<half>오전|오후|午前|午後|上午|下午)?\s?(?P<hour>\d{1,2})(?::|h|시\s?|時|时)(?P<minute>\d{2})?(?:분|分)?"
    r"(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?\s?(?P<noon>[ap]\.?m\b\.?)?\s?(?P<zone>Z\b|UTC|GMT|[+-]\d{2}:?\d{2}(?!\d))?)?"
)
_EDGE = r"(?<![\d.,/-])"
_END = r"(?![\d]|[./-]\d)"


class _Day(NamedTuple):
    year: int
    month: int
    day: int


Found = re.Match[str]
Read = Callable[[Found, str], _Day | None]


def day_or_moment(text: str, locale: str = "") -> str | None:
    """The first whole date in a text, `2026-11-15` or `2026-11-15T10:30`, with the zone as it was given."""
    written = plain(text).strip()
    tag = locale.lower().replace("_", "-")
    found = [(match.start(), match, read) for match, read in _matches(written)]
    for _, match, read in sorted(found, key=lambda one: one[0]):
        day = read(match, tag)
        if day is not None and _exists(day):
            return f"{day.year:04}-{day.month:02}-{day.day:02}{_time(match)}"
    return None


def _matches(written: str) -> Iterable[tuple[Found, Read]]:
    for expression, read in _FORMS:
        match = expression.search(written)
        if match is not None:
            yield match, read


def _exists(day: _Day) -> bool:
    try:
        date(*day)
    except ValueError:
        return False
    return day.year >= 1000


def _year_first(match: Found, locale: str) -> _Day | None:
    return _Day(int(match["year"]), int(match["month"]), int(match["day"]))


def _era(match: Found, locale: str) -> _Day | None:
    year = 1 if match["year"] == "元" else int(match["year"])
    return _Day(ERAS[match["era"]] + year, int(match["month"]), int(match["day"]))


def _named(match: Found, locale: str) -> _Day | None:
    return _Day(int(match["year"]), MONTHS[match["name"].lower()], int(match["day"]))


def _numbers(match: Found, locale: str) -> _Day | None:
    """15.11.2026, 15/11/2026, 11/15/2026: a point or a hyphen puts the day first, a stroke leaves it open."""
    one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
    readings = {_Day(year, two, one)} if match["mark"] in ".-" and locale not in MONTH_FIRST else _both(one, two, year)
    possible = {day for day in readings if _exists(day)}
    if len(possible) == 1:
        return possible.pop()
    if not locale or not possible:
        return None
    return _Day(year, one, two) if locale in MONTH_FIRST else _Day(year, two, one)


def _both(one: int, two: int, year: int) -> set[_Day]:
    return {_Day(year, two, one), _Day(year, one, two)}


def _short_year(match: Found, locale: str) -> _Day | None:
    """26.11.15 or 15.11.26: the locale knows."""
    if not locale:
        return None
    one, two, three = int(match["one"]), int(match["two"]), int(match["three"])
    if locale.partition("-")[0] in YEAR_FIRST:
        return _Day(_whole_year(one), two, three)
    return _Day(_whole_year(three), one, two) if locale in MONTH_FIRST else _Day(_whole_year(three), two, one)


def _whole_year(short: int) -> int:
    return short + (1900 if short >= PIVOT else 2000)


def _time(match: Found) -> str:
    if match["hour"] is None:
        return ""
    hour, minute, second = int(match["hour"]), int(match["minute"] or 0), int(match["second"] or 0)
    late = match["half"] in ("오후", "午後", "下午") or (match["noon"] or "").lower().startswith("p")
    early = match["half"] in ("오전", "午前", "上午") or (match["noon"] or "").lower().startswith("a")
    if (late or early) and 1 <= hour <= 12:
        hour = hour % 12 + (12 if late else 0)
    if hour > 23 or minute > 59 or second > 59:
        return ""
    seconds = f":{second:02}" if match["second"] else ""
    return f"T{hour:02}:{minute:02}{seconds}{_zone(match['zone'])}"


def _zone(written: str | None) -> str:
    if not written:
        return ""
    return "Z" if written[0].isalpha() else f"{written[:3]}:{written[-2:]}"


def _form(expression: str, read: Read) -> tuple[re.Pattern[str], Read]:
    return late(expression + _TIME, re.IGNORECASE), read


_FORMS = (
    _form(
        rf"{_EDGE}(?P<year>\d{{4}})\s?[-./]\s?(?P<month>\d{{1,2}})\s?[-./]\s?(?P<day>\d{{1,2}}){_END}\.?", _year_first
    ),
    _form(r"(?P<year>\d{4})\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]", _year_first),
    _form(
        r"(?P<era>令和|平成|昭和)\s?(?P<year>\d{1,2}|元)年\s?(?P<month>\d{1,2})月\s?(?P<day>\d{1,2})日",
        _era,
    ),
    _form(r"(?<!\d)(?P<year>[12]\d{3})(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)", _year_first),
    _form(
        rf"{_EDGE}(?P<one>\d{{1,2}})(?P<mark>[./-])\s?(?P<two>\d{{1,2}})(?P=mark)\s?(?P<year>\d{{4}}){_END}",
        _numbers,
    ),
    _form(
        rf"{_EDGE}(?P<one>\d{{1,2}})(?P<mark>[./-])(?P<two>\d{{1,2}})(?P=mark)(?P<three>\d{{2}}){_END}",
        _short_year,
    ),
    _form(
        rf"{_EDGE}(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|ª|\.)?[\s-]{{0,2}}(?:de\s|of\s)?(?P<name>{_NAME})\.?,?[\s-]{{0,2}}"
        rf"(?:de\s|del\s)?(?P<year>\d{{4}})(?!\d)",
        _named,
    ),
    _form(
        rf"(?<![^\W\d_])(?P<name>{_NAME})\.?\s{{0,2}}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{0,2}}(?P<year>\d{{4}})(?!\d)",
        _named,
    ),
)
