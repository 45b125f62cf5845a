"""Every case there is: one table a kind of misbehaviour, in one order."""

from collections.abc import Sequence

from recrawl.lab.hostile import (
    body,
    busy,
    charset,
    coding,
    framing,
    guise,
    head,
    http2,
    http2_odd,
    inside,
    link,
    markup,
    maze,
    mixed,
    odd,
    redirect,
    robots,
    secure,
    signals,
    timing,
    tls,
    trap,
    truth,
)
from recrawl.lab.hostile.case import Case

TABLES = (
    timing.CASES,
    body.CASES,
    head.CASES,
    coding.CASES,
    redirect.CASES,
    markup.CASES,
    charset.CASES,
    trap.CASES,
    truth.CASES,
    busy.CASES,
    robots.CASES,
    signals.CASES,
    link.CASES,
    framing.CASES,
    inside.CASES,
    guise.CASES,
    odd.CASES,
    maze.CASES,
    secure.CASES,
    mixed.CASES,
    tls.CASES,
    http2.CASES,
    http2_odd.CASES,
)


def cases(only: Sequence[str] = ()) -> list[Case]:
    """All of them, in the order of the table; or those named."""
    every = [case for table in TABLES for case in table]
    return [case for case in every if not only or case.name in only]
