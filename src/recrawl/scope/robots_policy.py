"""What the answer to /robots.txt means, and how long it holds (RFC 9309 sections 2.3 and 2.4)."""

import math
from collections.abc import Iterable
from datetime import UTC
from enum import StrEnum

from recrawl.model.directives import AGENT
from recrawl.model.mail_date import read_mail_date
from recrawl.model.server import UNASKED, RobotsFile
from recrawl.model.values import dataclass
from recrawl.scope.robots import Explanation, RobotsRules

HOUR_S = 3600.0
LONGEST_S = 24 * HOUR_S  # RFC 9309 2.4
SHORTEST_S = HOUR_S  # a server that forbids caching would otherwise see robots.txt before every page
FIRST_RETRY_S = 300.0
LONGEST_RETRY_S = 6 * HOUR_S


class Access(StrEnum):
    RULES = "rules"  # the file decides
    ALL = "all"  # there is no file, so everything is allowed
    NONE = "none"  # nobody knows, so nothing is allowed, and it is asked for again


@dataclass(frozen=True, slots=True)
class RobotsPolicy:
    access: Access
    rules: RobotsRules
    sentence: str

    @property
    def retry(self) -> bool:
        return self.access is Access.NONE

    def allowed(self, url_or_path: str, agent: str = AGENT) -> bool:
        if self.access is Access.NONE:
            return False
        return self.rules.allowed(agent, url_or_path)

    def explain(self, url_or_path: str, agent: str = AGENT) -> Explanation:
        if self.access is Access.NONE:
            return Explanation(False, line=self.sentence)
        return self.rules.explain(url_or_path, agent)

    def crawl_delay_s(self, agent: str = AGENT) -> float | None:
        return self.rules.crawl_delay_s(agent)


def decide(status: int | None, body: bytes = b"") -> RobotsPolicy:
    """`status` and `body` are those of the last hop; None or 0: no answer, and why."""
    meaning = access_of(status)
    if meaning is Access.RULES and status != 304:
        return RobotsPolicy(Access.RULES, RobotsRules.parse(body), "The server's robots.txt decides.")
    if meaning is Access.ALL:
        sentence = f"The server has no robots.txt (status {status}): all is allowed."
        return RobotsPolicy(Access.ALL, RobotsRules.parse(b""), sentence)
    return RobotsPolicy(Access.NONE, RobotsRules.parse(b""), _unread(status, body))


def _unread(status: int | None, body: bytes) -> str:
    why = body.decode("utf-8", "replace")
    if status == UNASKED:
        return f"not asked, since {why}."
    said = f"status {status}" if status else why or "no answer"
    return f"robots.txt could not be read ({said}): nothing is allowed until it can."


def access_of(status: int | None) -> Access:
    """429 is a server in distress, not a server without the file. A redirect left over after five hops
    leads nowhere, which is the same as no file."""
    if status is None or status == 429:
        return Access.NONE
    if 200 <= status < 300 or status == 304:
        return Access.RULES
    return Access.ALL if 300 <= status < 500 else Access.NONE


def expires_at(now: float, status: int | None, headers: Iterable[tuple[str, str]] = (), failures: int = 0) -> float:
    """When to ask again: an answer holds between an hour and a day, as its headers say; no answer is asked for
    again after five minutes, then ten, twenty, … up to six hours, and never before Retry-After."""
    named = {name.lower(): value for name, value in headers}
    if access_of(status) is Access.NONE:
        wait_s = min(FIRST_RETRY_S * 2.0 ** min(failures, 16), LONGEST_RETRY_S)
        return now + min(max(wait_s, _retry_after_s(named, now)), LONGEST_S)
    return now + min(max(_fresh_for_s(named), SHORTEST_S), LONGEST_S)


def failures_before(previous: RobotsFile) -> int:
    """How often in a row there was no answer, by how long the last one made us wait."""
    if previous.status == UNASKED or access_of(previous.status or None) is not Access.NONE:
        return 0
    waited_s = max(previous.expires_at - previous.fetched_at, FIRST_RETRY_S)
    return 1 + round(math.log2(waited_s / FIRST_RETRY_S))


def _fresh_for_s(headers: dict[str, str]) -> float:
    directives = [part.strip().lower().partition("=") for part in headers.get("cache-control", "").split(",")]
    for name, _, value in directives:
        if name in ("no-cache", "no-store"):
            return 0.0
        if name == "max-age" and value.strip('"').isdecimal():
            return float(value.strip('"'))
    expires = _moment(headers.get("expires", ""))
    date = None if expires is None else _moment(headers.get("date", ""))
    return LONGEST_S if expires is None or date is None else expires - date


def _retry_after_s(headers: dict[str, str], now: float) -> float:
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return float(value[:9])
    moment = _moment(value)
    return 0.0 if moment is None else moment - now


def _moment(text: str) -> float | None:
    if not text:  # what reads dates is large, and loaded for the first
        return None
    try:
        moment = read_mail_date(text)
    except (ValueError, TypeError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
