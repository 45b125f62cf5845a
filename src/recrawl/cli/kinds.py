"""What words of the command line can mean, beyond what click knows: a slip is a usage error, told beside its option."""

import math
import time
from typing import Any

import click

from recrawl.formats import duration, moment
from recrawl.model.failure import FormatError


class Number(click.FloatRange):
    """Within its range, and a number at all: `nan` lies in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no number to reckon with.", param, ctx)
        return number


class Duration(click.ParamType[float]):
    """`90s`, `10m`, `1h30m`: seconds. `least_s`: what is shorter cannot be meant."""

    name = "duration"

    def __init__(self, least_s: float = 0.0) -> None:
        self._least_s = least_s

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        try:
            seconds = duration.parse(str(value))
        except FormatError as error:
            self.fail(error.message, param, ctx)
        if seconds < self._least_s:
            self.fail(f"{value!r} is less than {duration.render(self._least_s)}.", param, ctx)
        return seconds


class Moment(click.ParamType[float]):
    """`2026-11-01`, `2h` (ago): epoch seconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        try:
            return moment.parse(str(value), time.time())
        except FormatError as error:
            self.fail(error.message, param, ctx)


class CursorOrMoment(click.ParamType[tuple[int, float]]):
    """(cursor, 0) or (0, epoch seconds)."""

    name = "cursor or time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, float]:
        if isinstance(value, tuple):
            return value
        if not str(value).strip():
            return 0, 0.0
        try:
            return moment.cursor_or_time(str(value), time.time())
        except FormatError as error:
            self.fail(error.message, param, ctx)
