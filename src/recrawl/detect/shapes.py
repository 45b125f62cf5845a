"""Shapes of text that tends to change by itself: moments, tokens and numbers, and what they may mean.

A shape cuts a block of text into a *skeleton* (what is left when they are taken out) and *values*. That alone
loses nothing: a value is content like any other until it has proved to be noise.
"""

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from recrawl.model.late import late
from recrawl.model.values import dataclass

HOLE = "\x00"
MOST_VALUES = 48  # of one block; what lies beyond stays in the skeleton
MOST_LETTERS = 20_000
REMEMBERED_LETTERS = 2_000

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_ZONE_NAME = r"(?:gmt|utc|z|[ecmp][sd]t|[ce]es?t|wes?t|[bijk]st|a[ecw][sd]t)\b"
_ZONE = rf"(?: ?{_ZONE_NAME}(?:[+-]\d{{2}}:?\d{{2}})?| ?[+-]\d{{2}}:?\d{{2}})?"
_TIME = rf"\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?(?: ?[ap]\.?m\b\.?)?{_ZONE}"
_CJK_TIME = r"(?:(?:오전|오후|午前|午後|上午|下午) ?)?\d{1,2} ?[時时시点] ?\d{1,2} ?[分분](?: ?\d{1,2} ?[秒초])?"
_DATE = (
    rf"(?:{_WEEKDAY},? )?(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ -]{_MONTH}\b\.?,?(?:[ -]\d{{4}})?"
    rf"|{_MONTH}\b\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? (?:{_TIME} )?\d{{4}})?)"
)
_CJK_DATE = r"\d{2,4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일](?: ?\(.\)| ?.[曜요][日일])?"
_BETWEEN = r"(?:t|,? (?:at |um |à |- |– |\| )?|,)"
_AGO = (
    r"(?:\d+|an?|few|one) (?:sec(?:ond)?|min(?:ute)?|hour|hr|day|week|month|year)s? ago|just now"
    r"|\d+ ?(?:초|분|시간|일|주|개월|년) ?전|\d+ ?(?:秒|分|分钟|小时|時間|日|天)前"
)
_MOMENT = (
    rf"{_AGO}|(?:{_DATE}|{_CJK_DATE})(?:{_BETWEEN}(?:{_TIME}|{_CJK_TIME}))?"
    rf"|(?:{_CJK_TIME}|{_TIME})(?:{_BETWEEN}{_DATE})?"
)
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MIXED = r"(?<![\w+/-])(?=[a-z_+/-]{0,40}\d)(?=[\d_+/-]{0,40}[a-z])[a-z\d_+/-]{6,}={0,2}"  # letters and digits
_TOKEN = rf"{_UUID}|{_MIXED}|(?<!\d)\d{{10,}}(?:\.\d+)?(?!\d)"
_NUMBER = r"\d+(?:[.,'’]\d+)*"
_START = r"(?<![a-z\d])"  # a value begins where a word begins, which also keeps the search linear

_SHAPES = late(
    rf"{_START}(?:(?P<moment>{_MOMENT})|(?P<token>{_TOKEN})|(?P<number>{_NUMBER}))|(?P<rest>{_NUMBER})", re.I | re.ASCII
)
_DIGIT = late("[0-9]")

_COUNTED = late(
    r"\b(?:views?|viewed|visits?|visitors?|hits|online|reads?|downloads?|times|users|guests|generated|rendered|took|"
    r"queries|load(?:ed)? (?:in|time)|ms|aufrufe|besucher|vues|visites|visitas|visualizaciones|visualizzazioni|"
    r"lecturas|просмотр\w*|посетител\w*)\b|조회|방문|접속|閲覧|アクセス|人目|浏览|阅读|访问|点击|次",
    re.I,
)


class Shape(StrEnum):
    MOMENT = "moment"
    TOKEN = "token"
    COUNTER = "counter"  # a number beside a word like "views"
    NUMBER = "number"  # any other: a price, a version, an amount


SELF_CHANGING = frozenset({Shape.MOMENT, Shape.TOKEN, Shape.COUNTER})
CLOCKS = frozenset({Shape.MOMENT, Shape.TOKEN})  # what can say a moment: in words, or in seconds since 1970


@dataclass(frozen=True, slots=True)
class Cut:
    skeleton: str
    values: tuple[str, ...] = ()


def cut(text: str) -> Cut:
    """The skeleton with a hole for each value, and the values in order."""
    return _known_cut(text) if len(text) <= REMEMBERED_LETTERS else _cut(text)


def _cut(text: str) -> Cut:
    head, tail = text[:MOST_LETTERS], text[MOST_LETTERS:]
    if not _DIGIT.search(head) and " ago" not in head and "ust now" not in head:
        return Cut(text)
    values: list[str] = []
    parts: list[str] = []
    at = 0
    for found in _SHAPES.finditer(head):
        if len(values) == MOST_VALUES:
            break
        parts.append(head[at : found.start()])
        values.append(found.group())
        at = found.end()
    return Cut(HOLE.join([*parts, head[at:]]) + tail, tuple(values))


_known_cut = lru_cache(maxsize=512)(_cut)  # most of what two versions of a page say is the same


def filled(skeleton: str, values: tuple[str, ...]) -> str:
    """The inverse of `cut`."""
    parts = skeleton.split(HOLE, len(values))
    return "".join(part + value for part, value in zip(parts, (*values, ""), strict=True))


def shape_of(value: str, skeleton: str = "") -> Shape:
    found = _SHAPES.fullmatch(value)
    if found is None or found.lastgroup is None:
        return Shape.NUMBER
    kind = Shape.NUMBER if found.lastgroup == "rest" else Shape(found.lastgroup)
    return Shape.COUNTER if kind is Shape.NUMBER and _COUNTED.search(skeleton) else kind


_CLOCK = late(
    r"\d{1,2}(?::| ?[時时시点] ?)(?P<minute>\d{2}|\d{1,2}(?= ?[分분]))(?:(?::| ?[分분] ?)(?P<second>\d{1,2}))?"
)
_EPOCH = late(r"(\d{10})(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?")  # seconds since 1970, or thousandths and less of them
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONE_STEP_S = 900  # every time zone in use is a multiple of a quarter of an hour
_SLACK_S = 5


def agrees(value: str, at: float) -> bool:
    """Whether a moment as written is the moment `at`, in whatever time zone: then it is a clock or a calendar."""
    if epoch := _EPOCH.fullmatch(value):
        return abs(float(epoch[1]) - at) <= _SLACK_S
    clock = _CLOCK.search(value)
    if clock is None:
        return shape_of(value) is Shape.MOMENT and _is_date_of(value, at)
    second, width_s = (int(clock["second"]), 1) if clock["second"] else (0, 60)
    late_s = (at - int(clock["minute"]) * 60 - second) % _ZONE_STEP_S
    return late_s <= width_s + _SLACK_S or late_s >= _ZONE_STEP_S - _SLACK_S


def _is_date_of(value: str, at: float) -> bool:
    numbers = {int(digits) for digits in re.findall(r"\d{1,4}", value)}
    today = datetime.fromtimestamp(at, UTC)
    days = (today + timedelta(days=step) for step in (-1, 0, 1))
    return any(
        day.day in numbers and (day.month in numbers - {day.day} or _MONTHS[day.month - 1] in value.lower())
        for day in days
    )
