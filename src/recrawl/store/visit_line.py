"""Which visits of a batch follow the newest of their page: these go into the log, all others by page (`tables.py`)."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from operator import attrgetter

from recrawl.model.values import dataclass
from recrawl.model.visit import Visit

IN_TIME = attrgetter("at", "page")


@dataclass(slots=True)
class Line:
    """`newest`: the moment of each known page's newest visit, None without one; those that follow become it. `late` are
    not newer than that, `strange` of pages that are not known, `last_at` the last of these by page."""

    newest: dict[int, float | None]
    logged: list[Visit] = field(default_factory=list)
    before_at: list[float | None] = field(default_factory=list)  # of each of them
    late: list[Visit] = field(default_factory=list)
    strange: list[Visit] = field(default_factory=list)
    last_at: dict[int, float] = field(default_factory=dict)


def lined_up(visits: Iterable[Visit], newest: Mapping[int, float | None]) -> Line:
    line = Line(dict(newest))
    known, logged, before = line.newest, line.logged.append, line.before_at.append
    for visit in sorted(visits, key=IN_TIME):
        page, at = visit.page, visit.at
        if page not in known:
            line.strange.append(visit)
            line.last_at[page] = at
        elif (last_at := known[page]) is None or last_at < at:
            logged(visit)
            before(last_at)
            known[page] = at
        else:
            line.late.append(visit)
    return line
