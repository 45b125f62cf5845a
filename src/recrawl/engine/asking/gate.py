"""robots.txt of every origin: asked for before anything else, kept a day, never switched off.

The file is asked for in the server's own lane, like any page, so it counts as a request. A redirect within the server
is followed at once; one to another server is left to that server's lane (as a page of category "robots"), because
only its owner may ask it. What came back is stored under the address of the file; a redirect is stored with the
target as its body.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from recrawl.model.address import fingerprint, origin_of, server_of
from recrawl.model.failure import Failure
from recrawl.model.page import Page, Rank
from recrawl.model.server import UNASKED, RobotsFile
from recrawl.model.site import Kind
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.visit import Evidence, Reply
from recrawl.scope.resolve import resolve
from recrawl.scope.robots import SILENCE, Explanation, Judge
from recrawl.scope.robots_policy import Access, RobotsPolicy, decide, expires_at, failures_before

HOPS = 5
ROBOTS = "robots"
BODY_CAP = 512_000
AHEAD_S = 60.0  # a file from further in the future was read by a clock that ran ahead
SPARED_S = 25 * 3600.0  # a crawl that is started once a day comes a little later than the day before


@swift
@dataclass(frozen=True, slots=True)
class Pass:
    """May this address be asked for? `ask_first`: the file to fetch before that can be said."""

    allowed: bool = False
    reason: str = ""
    ask_first: str = ""
    elsewhere: bool = False  # the file lies on another server: its lane will bring it
    crawl_delay_s: float | None = None
    unreachable: bool = False
    unasked: bool = False  # and that because the address guard refused the server
    until_at: float = 0.0  # when an unreachable file is asked for again

    @property
    def asks_here(self) -> bool:
        """The file lies on the page's own server and must be asked for first."""
        return bool(self.ask_first) and not self.elsewhere


class Known(NamedTuple):
    """A file that was read. `silent`: what holds for all of which it does not speak, as of most addresses. `decides`:
    it is there, and not elsewhere."""

    file: RobotsFile
    policy: RobotsPolicy
    silent: Pass
    judge: Judge
    decides: bool


class Gate:
    """Reads the files it is given; asks for none itself."""

    def __init__(self, agent: str, load: Callable[[str], RobotsFile | None]) -> None:
        self._agent = agent
        self._load = load
        self._files: dict[str, Known] = {}
        self.learnt = 0  # files

    def learn(self, file: RobotsFile) -> None:
        self.learnt += 1
        policy = decide(file.status or None, file.body)
        judge, decides = policy.rules.judge(self._agent), not policy.retry and not _leads_on(file)
        self._files[file.origin] = Known(file, policy, self._passed(policy, SILENCE), judge, decides)

    def forget(self, servers: Collection[str]) -> None:
        """Another worker asks them now, and may read another file."""
        for address in [address for address in self._files if server_of(address) in servers]:
            del self._files[address]

    def sitemaps(self, address: str) -> tuple[str, ...]:
        """Those that a file learnt before names."""
        known = self._files.get(address)
        return known.policy.rules.sitemaps if known else ()

    def last_said(self, url: str) -> Pass:
        """By the file that was read last, however old."""
        return self.check(url, None)

    def check(self, url: str, now: float | None, spared: bool = False, silent: bool = False) -> Pass:
        """The decision for one address, by the file of its origin. `spared`: there is one request a day, and the file
        that yesterday's has brought serves for today's, or no page would ever be reached. `silent`: only whether the
        file is there is wanted, not what it says of this address."""
        address = origin_of(url) + "/robots.txt"
        for _ in range(HOPS + 1):
            known = self._known(address, now, spared)
            if known is None:
                return Pass(ask_first=address, elsewhere=server_of(address) != server_of(url))
            if known.decides and (silent or not known.judge.may_speak_of(url)):
                return known.silent
            if not _leads_on(known.file):
                return self._decide(url, known)
            address = known.file.body.decode("utf-8", "replace")
        return Pass(allowed=True, reason=f"robots.txt redirects more than {HOPS} times: taken as absent")

    def judge(self, url: str, now: float, spared: bool = False) -> Judge | None:
        """Whose silence allows an address of this origin; None: its file is to be asked for first, or found elsewhere,
        or forbids what it does not speak of."""
        known = self._known(origin_of(url) + "/robots.txt", now, spared)
        return known.judge if known is not None and known.decides and known.silent.allowed else None

    def _known(self, address: str, now: float | None, spared: bool) -> Known | None:
        known = self._files.get(address)
        if known is not None and _holds(known, now, spared):
            return known
        stored = self._load(address)  # the worker that asks this server may have read it meanwhile
        if stored is None or (known is not None and stored.fetched_at <= known.file.fetched_at):
            return None
        self.learn(stored)
        known = self._files[address]
        return known if _holds(known, now, spared) else None

    def _decide(self, url: str, known: Known) -> Pass:
        policy = known.policy
        if policy.retry:
            unasked, until_at = known.file.status == UNASKED, known.file.expires_at
            return Pass(reason=policy.sentence, unreachable=True, unasked=unasked, until_at=until_at)
        said = policy.explain(url, self._agent)
        return known.silent if said is SILENCE else self._passed(policy, said)

    def _passed(self, policy: RobotsPolicy, said: Explanation) -> Pass:
        reason = policy.sentence if policy.access is Access.ALL else said.sentence
        return Pass(allowed=said.allowed, reason=reason, crawl_delay_s=policy.crawl_delay_s(self._agent))


def _holds(known: Known, now: float | None, spared: bool) -> bool:
    if now is None:
        return True
    if known.file.fetched_at > now + AHEAD_S:
        return False
    spared_until_at = known.file.fetched_at + SPARED_S if spared and not known.policy.retry else 0.0
    return max(known.file.expires_at, spared_until_at) > now


def _leads_on(file: RobotsFile) -> bool:
    return 300 <= file.status < 400


def once_asked(load: Callable[[str], RobotsFile | None]) -> Callable[[str], RobotsFile | None]:
    """Without those of servers that were never asked: they may have been listed as the user's own since."""

    def asked(address: str) -> RobotsFile | None:
        file = load(address)
        return None if file is not None and file.status == UNASKED else file

    return asked


def robots_file(url: str, reply: Reply, now: float, previous: RobotsFile | None) -> RobotsFile:
    """What to remember of an answer to a request for robots.txt."""
    status, body = reply.status, reply.body[:BODY_CAP]
    if reply.evidence is Evidence.FAILED:
        status, body = UNASKED if reply.failure is Failure.FORBIDDEN_ADDRESS else 0, reply.detail.encode()
    if reply.evidence is Evidence.REDIRECT:
        body = (resolve(reply.header("location"), url) or url).encode()
    before = failures_before(previous) if previous is not None else 0
    return RobotsFile(url, now, status, body, expires_at(now, status or None, reply.headers, before))


def robots_page(url: str, site: str, now: float) -> Page:
    """robots.txt of another server, to be brought by its own lane."""
    return Page(
        id=fingerprint(url),
        url=url,
        server=server_of(url),
        site=site,
        kind=Kind.SIGNAL,
        category=ROBOTS,
        rank=Rank.URGENT,
        found_at=now,
        due_at=now,
    )
