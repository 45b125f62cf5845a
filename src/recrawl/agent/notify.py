"""Who is due, what is new to them, and sending it. A robot's place moves only after its notice was taken."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import TypeVar

from recrawl.agent import counts, history, post, registry
from recrawl.agent.outward import NotSent
from recrawl.agent.place import Place
from recrawl.agent.registry import Robot
from recrawl.agent.settings import Settings
from recrawl.agent.summary import summarise
from recrawl.agent.whole import write_whole
from recrawl.formats.his import Entry
from recrawl.model.notice import NoticeKind
from recrawl.model.values import dataclass

Nonce = Callable[[], str]
T = TypeVar("T")


@dataclass(slots=True)
class Told:
    """What one pass did."""

    robots: int = 0
    notices: int = 0
    pings: int = 0
    pinged: int = 0  # addresses in them
    failures: list[str] = field(default_factory=list)


def notify(place: Place, settings: Settings, now: float, nonce: Nonce, at_once: bool = False) -> Told:
    """Tell everybody whose latency is over (`at_once`: everybody)."""
    told = Told()
    with place.held("notify"):  # two passes at once would tell everything twice
        robots = registry.read(place).values()
        chosen = [robot for robot in robots if robot.told] if at_once else registry.due(robots, now)
        for robot in chosen:
            _tell(place, settings, robot, now, nonce, told)
        if settings.indexnow.key:
            _ping(place, settings, now, told)
    counted = {"robots_told": told.robots, "notices_sent": told.notices, "pings": told.pings}
    counts.add(place, Counter({**counted, "sendings_failed": len(told.failures)}))
    return told


def _tell(place: Place, settings: Settings, robot: Robot, now: float, nonce: Nonce, told: Told) -> None:
    entries, position = history.since(place.history, robot.position)
    summary = summarise(entries)
    if not summary:
        _moved(place, robot, replace(robot, position=position))
        return
    try:
        _send(settings, robot, summary, now, nonce)
    except NotSent as failure:
        told.failures.append(f"{robot.email}: {failure}")
        return
    _moved(place, robot, replace(robot, position=position, notified_at=now))
    told.robots += 1
    told.notices += len(summary)


def _send(settings: Settings, robot: Robot, summary: Sequence[Entry], now: float, nonce: Nonce) -> None:
    parts = list(_parts(summary, settings.mail.most_lines))
    if robot.callback:
        for part in parts:
            post.webhook(settings, robot, part, now, nonce())
    else:
        post.send(settings, [post.notice(settings, robot, part, now, nonce()) for part in parts])


def _moved(place: Place, before: Robot, after: Robot) -> None:
    """Only what the notice changed: the robot may have suspended or left while its mail was under way."""
    with registry.changing(place) as robots:
        known = robots.get(before.email)
        if known is not None and known.position == before.position:
            robots[known.email] = replace(known, position=after.position, notified_at=after.notified_at)


def _ping(place: Place, settings: Settings, now: float, told: Told) -> None:
    """Search engines have a position of their own, one for each endpoint. A new one hears of today's changes first."""
    for number, endpoint in enumerate(settings.indexnow.endpoints):
        mark = place.path / f"indexnow-{number}.position"
        if not mark.exists():
            write_whole(mark, history.day_from(now).encode())
        entries, after = history.since(place.history, mark.read_text("ascii").strip())
        urls = [settings.origin + entry.path for entry in summarise(entries)]
        try:
            for part in _parts(urls, post.INDEXNOW_MOST):
                post.ping(settings, endpoint, part)
                told.pings += 1
                told.pinged += len(part)
        except NotSent as failure:
            told.failures.append(str(failure))
            continue
        write_whole(mark, after.encode())


def _parts(whole: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    for at in range(0, len(whole), max(1, most)):
        yield whole[at : at + max(1, most)]


def kinds_of(entries: Sequence[Entry]) -> dict[str, int]:
    counted = Counter(entry.kind for entry in entries)
    return {kind.name.lower(): counted[kind] for kind in NoticeKind}
