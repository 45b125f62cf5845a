"""The laws of ARCHITECTURE.md over the whole engine: simulated weeks with faults, a seed each."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from recrawl.archive.memory import MemoryArchive
from recrawl.config import Settings
from recrawl.engine.pace import JUDGED
from recrawl.lab.faults import rough
from recrawl.lab.month import Month, simulate
from recrawl.lab.requests_log import Request, closer_than, overlapping
from recrawl.lab.simulated import SimulatedFetcher
from recrawl.lab.varied import varied_world
from recrawl.lab.world import is_forbidden, version
from recrawl.model.belief import unpack
from recrawl.model.capture import Place
from recrawl.model.event import EventKind
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.ports import Fetcher
from recrawl.schedule.settings import Settings as Intervals
from recrawl.store.memory import MemoryStore

GAP_S = 2.0
DAYS = 12.0
HOUR_S, DAY_S = 3600.0, 86_400.0
SEEDS = range(8)


def crawl(seed: int, days: float = DAYS) -> Month:
    return simulate(varied_world(seed, servers=2, pages=8), seed, days, rough(seed), gap_s=GAP_S)


@pytest.fixture(scope="module", params=SEEDS)
def month(request: pytest.FixtureRequest) -> Month:
    return crawl(request.param)


def pages_of(month: Month) -> Iterator[Page]:
    after = None
    while found := month.store.scan("", after):
        yield from found
        after = found[-1].id


def test_law_1_a_server_never_sees_two_requests_at_once_nor_two_closer_than_its_gap(month: Month) -> None:
    assert month.requests
    assert not overlapping(month.requests)
    assert not closer_than(month.requests, GAP_S)


def test_law_2_a_disallowed_address_is_never_requested(month: Month) -> None:
    assert not [request.url for request in month.requests if is_forbidden(month.world, request.url)]


def test_law_2_while_robots_txt_is_unreachable_nothing_else_is_asked_for(month: Month) -> None:
    by_server: dict[str, bool] = {}
    for request in month.requests:
        if request.path == "/robots.txt":
            by_server[request.server] = 0 < request.status < 500
        else:
            assert by_server[request.server], f"{request.url} was asked for while robots.txt gave no answer"


def test_law_3_every_address_that_entered_was_visited_or_has_a_reason(month: Month) -> None:
    for page in pages_of(month):
        waits = page.due_at is not None and page.due_at > month.end_at - DAY_S
        assert page.visits or page.reason or waits, page.url
    lasting = month.world.urls(month.world.start_at) & month.world.urls(month.end_at)
    assert {url for url in lasting if not is_forbidden(month.world, url)} <= {page.url for page in pages_of(month)}


def test_law_4_a_first_or_failed_visit_changes_no_belief(month: Month) -> None:
    for page in pages_of(month):
        if not page.belief or page.kind is Kind.SIGNAL:
            continue
        [state] = unpack([page.belief])
        proofs = [visit for visit in month.store.visits(page.id, 100_000) if Change(visit.change) in JUDGED]
        assert int(state["gaps"]) == len(proofs) - 1
        assert np.isclose(state["watched_s"], proofs[0].at - proofs[-1].at, rtol=1e-5, atol=0.01)


def test_law_5_scheduling_state_does_not_grow(month: Month) -> None:
    assert {len(page.belief) for page in pages_of(month)} <= {0, 64}


def test_law_6_every_version_reads_back_from_the_archive_byte_for_byte(month: Month) -> None:
    from hashlib import sha256

    versions = [one for page in pages_of(month) for one in month.store.versions(page.id)]
    assert versions
    for one in versions:
        payload = month.archive.read(Place(one.warc_file, one.warc_offset, one.warc_length))
        assert f"sha256:{sha256(payload.body).hexdigest()}" == one.digest


def test_law_7_no_page_starves(month: Month) -> None:
    for page in pages_of(month):
        if page.status in (Status.LIVE, Status.MOVED):
            assert page.due_at is not None
            assert page.due_at - month.end_at <= 400 * DAY_S


def test_law_9_and_10_a_page_is_gone_only_after_two_misses_in_a_row_and_nothing_disappears(month: Month) -> None:
    for page in pages_of(month):
        answers = (Evidence.DOCUMENT, Evidence.NOT_MODIFIED, Evidence.REDIRECT, Evidence.MISSING)
        visits = [one for one in month.store.visits(page.id, 100_000)[::-1] if one.evidence in answers]
        for place, visit in enumerate(visits):
            if visit.change == Change.GONE:
                misses = [one.evidence for one in visits[max(0, place - 1) : place + 1]]
                assert misses == [Evidence.MISSING, Evidence.MISSING]
        if page.status is Status.GONE:
            assert month.store.versions(page.id) or page.checked_at is None


def test_law_10_a_broken_answer_never_replaces_a_good_copy(month: Month) -> None:
    good = {Evidence.DOCUMENT}
    for page in pages_of(month):
        moments = {visit.at: visit.evidence for visit in month.store.visits(page.id, 100_000)}
        assert all(moments[one.at] in good for one in month.store.versions(page.id))


def test_the_load_index_of_a_server_is_the_sum_over_its_pages(month: Month) -> None:
    for server in month.store.servers():
        intervals = [page.interval_s for page in pages_of(month) if page.server == server.key and page.interval_s > 0]
        assert server.load_per_s == pytest.approx(sum(1 / one for one in intervals), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_found_changed_had_changed_and_what_is_the_same_had_not(seed: int) -> None:
    """Against the world's own truth: noise is no change, and no change is missed by a visit that judged. Pages whose
    validators lie are told apart only by the unconditional visits in between, so they are left out."""
    eager = replace(Settings(), intervals=Intervals(requests_per_page_day=3.0))
    month = simulate(varied_world(seed, servers=1, pages=24), seed, 10.0, gap_s=GAP_S, settings=eager)
    wrong, judged = [], 0
    for page in pages_of(month):
        visits = [one for one in month.store.visits(page.id, 100_000)[::-1] if Change(one.change) in JUDGED]
        for before, after in pairwise(visits):
            if after.change not in (Change.SAME, Change.CHANGED) or "frozen" in page.url:
                continue
            truth = version(month.world, page.url, before.at) != version(month.world, page.url, after.at)
            judged += 1
            if truth != (after.change == Change.CHANGED):
                wrong.append((page.url, before.at, after.at, after.change))
    assert judged > 100
    assert len(wrong) <= 0.01 * judged, wrong


def test_the_same_seed_gives_the_same_weeks_byte_for_byte() -> None:
    one, other = crawl(77, 6.0), crawl(77, 6.0)
    assert one.events == other.events
    assert one.requests == other.requests
    assert crawl(78, 6.0).events != one.events


class Killed(BaseException):
    """Stands for kill -9: nothing gets to clean up after itself."""


class Mortal:
    """A fetcher that dies with the whole worker at its n-th request."""

    def __init__(self, inner: Fetcher, requests: int) -> None:
        self._inner, self._left = inner, requests

    async def fetch(self, ask: Ask) -> Reply:
        self._left -= 1
        if self._left < 0:
            raise Killed
        return await self._inner.fetch(ask)

    async def close(self) -> None:
        await self._inner.close()


@pytest.mark.parametrize("seed", range(6))
def test_a_kill_at_any_request_loses_nothing_and_keeps_the_laws(seed: int) -> None:
    world, store, archive = varied_world(seed, servers=2, pages=8), MemoryStore(), MemoryArchive()
    requests: list[Request] = []
    now = world.start_at
    for life in range(5):
        fetchers: list[SimulatedFetcher] = []

        def wrap(fetcher: Fetcher, life: int = life, fetchers: list[SimulatedFetcher] = fetchers) -> Fetcher:
            assert isinstance(fetcher, SimulatedFetcher)
            fetchers.append(fetcher)
            return Mortal(fetcher, 11 + 7 * seed + 13 * life)

        with pytest.raises(Killed):
            simulate(
                world,
                seed,
                30.0,
                gap_s=GAP_S,
                store=store,
                archive=archive,
                wrap=wrap,
                start_at=now,
            )
        requests += fetchers[0].log
        now = max((request.end_at for request in requests), default=now) + 0.1  # started again at once
    month = simulate(world, seed, 3.0, gap_s=GAP_S, store=store, archive=archive, start_at=now)
    requests += month.requests
    assert not overlapping(requests)
    assert not closer_than(requests, GAP_S)
    assert not [one.url for one in requests if is_forbidden(world, one.url)]
    lasting = world.urls(world.start_at) & world.urls(month.end_at)
    assert {url for url in lasting if not is_forbidden(world, url)} <= {page.url for page in pages_of(month)}
    there: set[str] = set()
    for event in store.events(0, (EventKind.ADDED, EventKind.REMOVED), 100_000):
        assert (event.url in there) == (event.kind is EventKind.REMOVED), f"told twice: {event}"
        there ^= {event.url}
    for page in pages_of(month):
        for one in store.versions(page.id):
            archive.read(Place(one.warc_file, one.warc_offset, one.warc_length))
