"""What became of each case: what is kept, what `why` says, what the servers saw."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from recrawl.answers.reading import Reading, reading
from recrawl.engine.asking.gate import Gate
from recrawl.folder.folder import Folder
from recrawl.lab.hostile.case import Case
from recrawl.lab.hostile.server import neighbour_paths
from recrawl.lab.requests_log import Request, overlapping
from recrawl.model.directives import AGENT
from recrawl.model.page import Page, Status
from recrawl.scope.canonical import Canonicaliser
from tests.hostile.trial import Arena, neighbours

CANONICALISER = Canonicaliser()


@dataclass(frozen=True, slots=True)
class Outcome:
    """`faults` empty: as a good crawler does. `seconds`: the longest that one request was open."""

    name: str
    kind: str
    faults: tuple[str, ...]
    requests: int
    seconds: float
    says: str

    @property
    def good(self) -> bool:
        return not self.faults


def judge(found: Arena, inner: tuple[str, ...] = (), first_crawl: int | None = None) -> list[Outcome]:
    """One outcome a case, and one for the neighbours and those who must not be asked. `first_crawl`: lines of the
    servers' log when it was over; only those requests are counted."""
    by_host: dict[str, list[Request]] = {}
    for request in found.requests(first_crawl):
        by_host.setdefault(request.server.rpartition(":")[0], []).append(request)
    with reading(Folder(found.folder)) as book:
        outcomes = [
            _judge_case(case, found.seed(case.name), by_host.get(found.hosts[case.name], []), book)
            for case in found.chosen
        ]
        faults = [fault for name in neighbours() for fault in _not_whole(found.seed(name), book)]
    outcomes.append(Outcome("neighbours", "all", tuple(faults), 0, 0.0, ""))
    asked = tuple(f"{one.path} of {host} was asked for" for host in inner for one in by_host.get(host, []))
    outcomes.append(Outcome("inner-addresses", "all", asked, len(asked), 0.0, ""))
    return outcomes


def _judge_case(case: Case, seed: str, requests: list[Request], book: Reading) -> Outcome:
    came = [request for request in requests if request.status == 0]
    asked = Counter(request.path for request in came)
    longest = max((request.end_at - request.start_at for request in requests), default=0.0)
    faults = (*_faults(case, seed.rstrip("/"), asked, book), *_at_once(requests))
    says = next((_why(book, seed.rstrip("/") + path) for path in (*case.bad, "/")), "")
    return Outcome(case.name, case.kind, faults, len(came), longest, says)


def _faults(case: Case, origin: str, asked: Counter[str], book: Reading) -> Iterator[str]:
    expect = case.expect
    for path in expect.kept:
        if not _is_kept(book, origin + path):
            yield f"{path} is not kept ({_why(book, origin + path)})"
    for path in expect.lost:
        if _is_kept(book, origin + path):
            yield f"{path} is kept"
    for path in expect.asked:
        if not asked[path]:
            yield f"{path} was not asked for"
    for path in expect.never:
        if any(one == path or (path.endswith("*") and one.startswith(path[:-1])) for one in asked):
            yield f"{path} was asked for"
    for path, word in expect.says.items():
        if not any(one in _why(book, origin + path) for one in word.split("|")):
            yield f"why {path} says {_why(book, origin + path)!r}, not {word}"
    for path, words in expect.holds.items():
        if words not in _copy(book, origin + path):
            yield f"the copy of {path} does not hold {words!r}"
    for path, most in expect.versions.items():
        page = _page(book, origin + path)
        if page is not None and len(book.store.versions(page.id)) > most:
            yield f"{len(book.store.versions(page.id))} versions of {path}"
    for path, most in expect.times.items():
        if asked[path] > most:
            yield f"{path} was asked for {asked[path]} times"
    if (total := sum(asked.values())) > expect.requests:
        yield f"{total} requests"


def _at_once(requests: list[Request]) -> Iterator[str]:
    """What a server had on its hands at the same time; connecting is not asking."""
    answered = [one for one in requests if one.status and not one.path.startswith("(")]
    for first, second in overlapping(answered):
        yield f"{second.path} was asked for {first.end_at - second.start_at:.3f} s before {first.path} was answered"


def _not_whole(seed: str, book: Reading) -> Iterator[str]:
    for path in neighbour_paths():
        if not _is_kept(book, seed.rstrip("/") + path):
            yield f"{seed}{path} is not kept"


def _page(book: Reading, url: str) -> Page | None:
    address = CANONICALISER.canonical(url)
    found = book.store.pages([address.id]) if address else []
    return found[0] if found else None


def _is_kept(book: Reading, url: str) -> bool:
    page = _page(book, url)
    return page is not None and page.status is Status.LIVE


def _copy(book: Reading, url: str) -> str:
    page = _page(book, url)
    kept = book.store.versions(page.id) if page is not None else []
    if not kept:
        return ""
    return book.payload(kept[0]).body.decode()


def _why(book: Reading, url: str) -> str:
    page = _page(book, url)
    if page is None:
        return "not known"
    held_back = Gate(AGENT, book.store.robots).last_said(page.url)
    return f"{page.status.value}_: {page.reason or (held_back.reason if not held_back.allowed else '')}"
