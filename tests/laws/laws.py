"""The laws of ARCHITECTURE.md, asked of a story that has been told. Each gives back what broke it; nothing is good."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise

import numpy as np

from recrawl.engine.settling.pace import JUDGED
from recrawl.formats import site_toml
from recrawl.lab.requests_log import by_server, closer_than, impatient, overlapping, parse_lines, render_line
from recrawl.lab.world import is_forbidden
from recrawl.model.address import server_of
from recrawl.model.belief import unpack
from recrawl.model.capture import Place
from recrawl.model.event import CHANGES, Event, EventKind
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind, Site
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Visit
from recrawl.scope.robots_policy import Access, access_of
from tests.laws.play import Told
from tests.laws.story import GAP_S

Broken = Iterator[str]
DAY_S = 86_400.0
CEILING_S = 400 * DAY_S
ANSWERS = (Evidence.DOCUMENT, Evidence.NOT_MODIFIED, Evidence.REDIRECT, Evidence.MISSING)
MOST = 100_000


def one_at_a_time(told: Told) -> Broken:
    """1. By the true clock, over all lives and workers; Retry-After within a life: a kill may forget it."""
    yield from (f"two at once: {pair}" for pair in overlapping(told.requests))
    yield from (f"closer than the gap: {pair}" for pair in closer_than(told.requests, GAP_S))
    for life in told.lives:
        yield from (f"Retry-After not kept: {pair}" for pair in impatient(life.requests))


def robots_decide(told: Told) -> Broken:
    """2. Nothing disallowed is asked for, and nothing at all while robots.txt gives no answer."""
    for server, requests in by_server(told.requests).items():
        answered = False
        for request in requests:
            if request.path == "/robots.txt":
                answered = access_of(request.status or None) is not Access.NONE
            elif not answered:
                yield f"{request.url} was asked for while robots.txt of {server} gave no answer"
            elif is_forbidden(told.story.world, request.url):
                yield f"{request.url} is disallowed"


def every_address_has_its_visit_or_its_reason(told: Told) -> Broken:
    """3. And in the calm at the end whatever lasts has been found, unless the budget was too small."""
    for page in told.pages():
        if not (page.visits or page.reason or page.due_at is not None):
            yield f"{page.url} was neither visited, nor waits, nor has a reason"
    if told.story.requests_per_day is None and not told.story.clock_jumps:
        world = told.story.world
        lasting = {url for url in world.urls(world.start_at) & world.urls(told.end_at) if not is_forbidden(world, url)}
        yield from (f"{url} was not found" for url in lasting - {page.url for page in told.pages()})


def only_proof_changes_belief(told: Told) -> Broken:
    """4. A belief has seen as many gaps as there are judged visits after the first, and never negative time. A clock
    that ran ahead and has been set right costs a page one gap."""
    for page in told.pages():
        if not page.belief or page.kind is Kind.SIGNAL:
            continue
        [state] = unpack([page.belief])
        proofs = [visit for visit in _visits(told, page) if Change(visit.change) in JUDGED]
        if not all(np.isfinite(state[name]).all() for name in state.dtype.names) or state["watched_s"] < 0:
            yield f"{page.url} believes nonsense: {state}"
        lacking = len(proofs) - 1 - int(state["gaps"])
        set_right = len(told.story.lives) - 1 if told.story.clock_jumps else 0  # at most
        if not 0 <= lacking <= set_right:
            yield f"{page.url} has {len(proofs)} proofs and believes in {state['gaps']} gaps"
        watched_s = sum(abs(after.at - before.at) for before, after in pairwise(proofs))
        if not told.story.clock_jumps and not np.isclose(state["watched_s"], watched_s, rtol=1e-5, atol=0.01):
            yield f"{page.url} was watched for {watched_s} s and believes {state['watched_s']}"


def beliefs_do_not_grow(told: Told) -> Broken:
    """5. That batches may come in any order is a law of the policies (test_policy_laws.py)."""
    yield from (f"{page.url}: {len(page.belief)} bytes" for page in told.pages() if len(page.belief) not in (0, 64))


def every_version_reads_back(told: Told) -> Broken:
    """6. Byte for byte, by its digest; and what was announced as kept is kept."""
    kept = set()
    for page in told.pages():
        for one in told.store.versions(page.id):
            kept.add((page.id, one.digest))
            try:
                body = told.archive.read(Place(one.warc_file, one.warc_offset, one.warc_length)).body
            except RecrawlError as error:
                yield f"{page.url} at {one.at}: {error}"
                continue
            if f"sha256:{sha256(body).hexdigest()}" != one.digest:
                yield f"{page.url} at {one.at} is not what was kept"
    for event in _announced(told):
        if event.digest and event.kind is EventKind.ADDED and (event.page, event.digest) not in kept:
            yield f"announced and lost: {event}"


def within_the_budget(told: Told) -> Broken:
    """7. Over any day of the worker's own calendar (a clock that jumps makes days of its own), robots.txt and second
    looks included. And no page waits beyond the ceiling."""
    budget, story = told.story.requests_per_day, told.story
    if budget is not None and not story.clock_jumps:
        days = Counter(int(request.start_at // DAY_S) for request in told.requests)
        yield from (f"day {day}: {count} of {budget}" for day, count in days.items() if count > budget)
    for page in told.pages():
        if page.status in (Status.LIVE, Status.MOVED):
            jump_s = max((abs(jump) for life in story.lives for jump in life.jumps_s), default=0.0)
            if page.due_at is None or page.due_at - told.end_at > CEILING_S + jump_s:
                yield f"{page.url} starves: due at {page.due_at}"


def texts_round_trip(told: Told) -> Broken:
    """8. The formats have property tests of their own; here, what this story itself wrote."""
    requests = told.requests
    if parse_lines("".join(map(render_line, requests))) != requests:
        yield "the log of requests does not read back"
    hosts = tuple(server_of(spec.origin + "/") for spec in told.story.world.servers)
    site = Site("world", seeds=tuple(f"http://{host}/" for host in hosts), own=hosts, hosts=hosts, gap_s=GAP_S)
    if site_toml.parse(site_toml.render(site), name="world", source="world.toml") != site:
        yield "the site file does not read back"


def nothing_disappears(told: Told) -> Broken:
    """9. What was known after one life is known after all the others."""
    known = {page.url for page in told.pages()}
    for life in told.lives:
        yield from (f"{url} was known once" for url in life.known - known)


def gone_is_proved_and_good_copies_stay(told: Told) -> Broken:
    """10. Two misses in a row prove it; only whole documents become versions; no validator is believed for ever."""
    for page in told.pages():
        visits = _visits(told, page)
        answers = [one for one in visits if one.evidence in ANSWERS]
        for place, visit in enumerate(answers):
            misses = [one.evidence for one in answers[max(0, place - 1) : place + 1]]
            if visit.change == Change.GONE and misses != [Evidence.MISSING, Evidence.MISSING]:
                yield f"{page.url} is called gone after {misses}"
        moments = {visit.at: visit.evidence for visit in visits}
        for one in told.store.versions(page.id):
            if moments.get(one.at) is not Evidence.DOCUMENT:
                yield f"{page.url}: the version of {one.at} came from {moments.get(one.at)}"
        streak = 0
        for visit in answers:
            streak = streak + 1 if visit.conditional else 0
            if streak > 20:
                yield f"{page.url} was asked for conditionally more than 20 times in a row"


def the_change_feed_tells_each_thing_once(told: Told) -> Broken:
    """Cursors rise, nothing is told twice, a page is added once until removed or moved, and what was announced is
    there."""
    events = told.store.events(0, (), MOST)
    yield from told_twice(events)
    kept = {event.cursor: event for event in events}
    yield from (f"announced and lost: {event}" for event in _announced(told) if kept.get(event.cursor) != event)


def told_twice(events: Sequence[Event]) -> Broken:
    """A feed read whole: cursors that do not rise, and what it tells more than once."""
    if any(after.cursor <= before.cursor for before, after in pairwise(events)):
        yield "cursors do not rise"
    there: set[str] = set()
    elsewhere: set[str] = set()  # a page that moved may come back, or be gone after all
    for event in events:
        known = event.url in there or event.url in elsewhere
        if event.url in there if event.kind is EventKind.ADDED else event.kind is EventKind.REMOVED and not known:
            yield f"told twice: {event}"
        if event.kind in (EventKind.ADDED, EventKind.MOVED, EventKind.REMOVED):
            there.discard(event.url)
            elsewhere.discard(event.url)
        if event.kind is EventKind.ADDED:
            there.add(event.url)
        if event.kind is EventKind.MOVED:
            elsewhere.add(event.url)
        if event.kind is EventKind.LOST and not event.facts["left"]:
            there.discard(event.url)
    twice = Counter((event.kind, event.url, event.at) for event in events if event.kind in CHANGES)
    yield from (f"told {count} times: {what}" for what, count in twice.items() if count > 1)


def the_sums_are_the_sums(told: Told) -> Broken:
    """The load index of a server is the sum over its pages; the totals are what counting gives."""
    pages = told.pages()
    for server in told.store.servers():
        load = sum(1 / page.interval_s for page in pages if page.server == server.key and page.interval_s > 0)
        if not np.isclose(server.load_per_s, load, rtol=1e-6, atol=1e-12):
            yield f"the load of {server.key} is {server.load_per_s}, its pages make {load}"
    totals = told.store.totals()
    counted = {
        "pages": sum(page.kind is not Kind.SIGNAL for page in pages),
        "versions": sum(len(told.store.versions(page.id)) for page in pages),
        "gone": sum(page.status is Status.GONE for page in pages if page.kind is not Kind.SIGNAL),
        "visits": sum(len(_visits(told, page)) for page in pages),
    }
    for name, count in counted.items():
        if getattr(totals, name) != count:
            yield f"totals say {name} = {getattr(totals, name)}, counting gives {count}"


def _visits(told: Told, page: Page) -> list[Visit]:
    """In order of the true time where clocks do not jump; of the wall clock otherwise."""
    return told.store.visits(page.id, MOST)[::-1]


def _announced(told: Told) -> list[Event]:
    """Told by a worker as committed."""
    return [event for life in told.lives for event in life.told if event.cursor]


LAWS: tuple[Callable[[Told], Broken], ...] = (
    one_at_a_time,
    robots_decide,
    every_address_has_its_visit_or_its_reason,
    only_proof_changes_belief,
    beliefs_do_not_grow,
    every_version_reads_back,
    within_the_budget,
    texts_round_trip,
    nothing_disappears,
    gone_is_proved_and_good_copies_stay,
    the_change_feed_tells_each_thing_once,
    the_sums_are_the_sums,
)


def broken_laws(told: Told) -> list[str]:
    return [f"{law.__name__}: {what}" for law in LAWS for what in law(told)]
