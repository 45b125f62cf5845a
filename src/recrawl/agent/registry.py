"""Who is told: robots.json (with secrets, for the owner's eyes) and S4's robots.uod, always written together."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields

from recrawl.agent.place import Place
from recrawl.agent.whole import write_whole
from recrawl.formats import uod
from recrawl.formats.his import day_text, read_moment
from recrawl.formats.uod import Record, Switch
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Robot:
    """`position`: where in the history its last notice ended. `callback` '': notices go by mail."""

    email: str
    latency_days: float
    registered_at: float
    token_digest: str
    secret: str
    callback: str = ""
    confirmed_at: float | None = None
    notified_at: float | None = None
    suspended: bool = False
    position: str = ""
    asked_at: tuple[float, ...] = ()  # when confirmation mails were sent to this address

    @property
    def told(self) -> bool:
        return self.confirmed_at is not None and not self.suspended

    def owns(self, token: str) -> bool:
        return bool(token) and hmac.compare_digest(self.token_digest, digest_of(token))


Robots = dict[str, Robot]


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def read(place: Place) -> Robots:
    if not place.robots.exists():
        return {}
    try:
        rows = json.loads(place.robots.read_text("utf-8"))
        return {row["email"]: _robot(row) for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"not a list of robots: {error}", source=str(place.robots)) from error


@contextmanager
def changing(place: Place) -> Iterator[Robots]:
    """The robots, to be changed in place; written when the block ends well."""
    with place.held("robots"):
        robots = read(place)
        before = dict(robots)
        yield robots
        if robots != before:
            rows = [asdict(robot) for robot in robots.values()]
            write_whole(place.robots, json.dumps(rows, indent=1).encode(), private=True)
            write_whole(place.uod, uod.render(map(record_of, robots.values())).encode(), private=True)


def record_of(robot: Robot) -> Record:
    notified = None if robot.notified_at is None else midnight(robot.notified_at)
    switch = Switch.ON if robot.told else Switch.OFF
    return Record(robot.email, robot.latency_days, midnight(robot.registered_at), notified, switch)


def midnight(at: float) -> int:
    return read_moment(day_text(at))


def due(robots: Iterable[Robot], now: float) -> list[Robot]:
    """Whose days are over."""
    return [
        robot
        for robot in robots
        if robot.told and now >= (robot.notified_at or robot.confirmed_at or 0.0) + robot.latency_days * 86_400.0
    ]


def _robot(row: dict[str, object]) -> Robot:
    names = {one.name for one in fields(Robot)}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items() if name in names}
    return Robot(**values)  # type: ignore[arg-type]
