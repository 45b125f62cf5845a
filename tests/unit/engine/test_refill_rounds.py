"""From the store to the short-term queue: memory has an end, and nobody is hidden behind others."""

from collections.abc import Collection

from recrawl.engine.filling.refill import LOADS, SERVERS, Refill
from recrawl.frontier.queue import Frontier
from recrawl.frontier.reach import Reach
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.store.memory import MemoryStore

DAY_S = 86_400.0
ALL = range(4)


def page(number: int, server: str, due_at: float, site: str = "wanted") -> Page:
    url = f"http://{server}/{number}"
    return Page(fingerprint(url), url, server, site, due_at=due_at)


def stored(*pages: Page) -> MemoryStore:
    store = MemoryStore(partitions=len(ALL))
    store.save(Batch(entered=pages))
    return store


def of_the_wanted_site(pages: list[Page]) -> list[Page]:
    return [one for one in pages if one.site == "wanted"]


def refill_of(store: MemoryStore, frontier: Frontier, reach: Reach | None = None) -> Refill:
    return Refill(store, frontier, ALL, lambda _: None, of_the_wanted_site, reach)


def rounds(refill: Refill, now: float, horizon_s: float) -> int:
    """As many as it takes; how many pages came."""
    taken = refill.round(now, horizon_s)
    while refill.unfinished:
        taken += refill.round(now, horizon_s)
    return taken


def test_however_much_is_due_memory_holds_the_capacity_and_a_little_of_what_is_due_soon() -> None:
    servers = [f"s{number}" for number in range(40)]
    store = stored(*(page(number, server, 1000.0 + number) for server in servers for number in range(100)))
    reach = Reach(capacity=200, load=50, least=2, soon_s=10.0)
    frontier = Frontier()
    rounds(refill_of(store, frontier, reach), 0.0, DAY_S)
    assert 200 <= frontier.held <= 200 + reach.load
    frontier = Frontier()
    rounds(refill_of(store, frontier, reach), 2000.0, DAY_S)
    assert all(len(frontier.queue(server)) >= reach.least for server in servers)
    assert frontier.held <= 200 + reach.load + len(servers) * reach.least


def test_a_full_memory_is_filled_again_from_the_store_until_every_page_was_handed_out_once() -> None:
    pages = [page(number, f"s{number % 7}", float(number)) for number in range(500)]
    store, frontier = stored(*pages), Frontier()
    refill = refill_of(store, frontier, Reach(capacity=40, load=20, least=3))
    met: list[int] = []
    while rounds(refill, 1000.0, DAY_S):
        for server in frontier.open_lanes(1000.0, 100):
            while (one := frontier.next_page(server, 1000.0)) is not None:
                met.append(one.id)
                store.save(Batch(pages=(page(int(one.url.rpartition("/")[2]), server, 1e9),)))
                frontier.drop(one.id)
            frontier.close_lane(server)
    assert sorted(met) == sorted(one.id for one in pages)


def test_a_round_is_short_so_that_requests_go_out_while_others_are_loaded() -> None:
    store = stored(*(page(0, f"s{number}", float(number)) for number in range(3 * LOADS)))
    frontier = Frontier()
    refill = refill_of(store, frontier)
    assert refill.round(1e6, 0.0) == LOADS
    assert refill.unfinished
    assert rounds(refill, 1e6, 0.0) == 2 * LOADS
    assert not refill.unfinished


def test_servers_that_wait_do_not_hide_those_behind_them() -> None:
    waiting = [page(0, f"s{number}", 1.0) for number in range(SERVERS + 10)]
    store, frontier = stored(*waiting), Frontier()
    refill = refill_of(store, frontier)
    assert rounds(refill, 100.0, DAY_S) == SERVERS + 10
    store.save(Batch(entered=(page(1, "late", 99.0),)))
    assert rounds(refill, 101.0, DAY_S) == 1
    assert len(frontier.queue("late")) == 1


def test_what_is_not_wanted_does_not_hide_what_is() -> None:
    paused = [page(number, "s", float(number), "paused") for number in range(30)]
    store, frontier = stored(*paused, page(99, "s", 99.0)), Frontier()
    refill = refill_of(store, frontier, Reach(load=20, least=5, capacity=80))
    assert rounds(refill, 1000.0, DAY_S) == 1


def test_a_server_with_nothing_wanted_is_left_alone_for_a_while_but_not_in_a_run_that_goes_round_once() -> None:
    store, frontier = stored(page(0, "s", 1.0, "paused")), Frontier()
    refill = refill_of(store, frontier)
    assert rounds(refill, 10.0, DAY_S) == 0
    store.save(Batch(entered=(page(1, "s", 5.0),)))
    assert rounds(refill, 11.0, DAY_S) == 0
    assert rounds(refill, 100.0, DAY_S) == 1
    store, frontier = stored(page(0, "s", 1.0, "paused")), Frontier()
    once = refill_of(store, frontier)
    assert rounds(once, 10.0, 0.0) == 0
    store.save(Batch(entered=(page(1, "s", 5.0),)))
    assert rounds(once, 10.5, 0.0) == 1


def test_a_run_that_goes_round_once_finds_what_others_entered_when_a_queue_is_empty() -> None:
    store, frontier = stored(page(0, "s", 1.0)), Frontier()
    once = refill_of(store, frontier)
    assert rounds(once, 10.0, 0.0) == 1
    store.save(Batch(entered=(page(1, "s", 6.0),)))
    assert rounds(once, 10.5, 0.0) == 0
    assert frontier.next_page("s", 10.5) is not None
    assert rounds(once, 11.0, 0.0) == 1


def test_a_page_entered_by_somebody_else_calls_for_its_server() -> None:
    store, frontier = stored(page(0, "s", 5000.0)), Frontier()
    refill = refill_of(store, frontier)
    assert rounds(refill, 0.0, DAY_S) == 1
    assert rounds(refill, 1.0, DAY_S) == 0
    store.save(Batch(entered=(page(1, "s", 1.0),)))
    assert rounds(refill, 2.0, DAY_S) == 1


class Crowded(MemoryStore):
    """Somebody else puts a page in just after we looked what is due."""

    def __init__(self, late: Page) -> None:
        super().__init__(partitions=len(ALL))
        self._late: tuple[Page, ...] = (late,)

    def due(self, server: str, before_at: float, limit: int, skip: Collection[int] = ()) -> list[Page]:
        found = super().due(server, before_at, limit, skip)
        self.save(Batch(entered=self._late))
        self._late = ()
        return found


def test_a_page_put_in_while_its_server_is_loaded_is_met_in_the_next_round() -> None:
    store, frontier = Crowded(page(1, "s", 100.0)), Frontier()
    store.save(Batch(entered=(page(0, "s", DAY_S / 2),)))
    refill = refill_of(store, frontier)
    assert refill.round(100.0, DAY_S) == 1
    assert refill.round(100.5, DAY_S) == 1


def test_a_page_made_due_behind_one_that_was_overdue_is_met_once_the_server_idles() -> None:
    store, frontier = stored(page(0, "s", 50.0), page(1, "s", DAY_S / 2)), Frontier()
    refill = refill_of(store, frontier)
    refill.round(100.0, DAY_S)
    assert frontier.open_lanes(100.0, 1) == ["s"]
    under_way = frontier.next_page("s", 100.0)
    assert under_way is not None
    store.save(Batch(entered=(page(2, "s", 101.0),)))
    assert refill.round(101.0, DAY_S) == 0  # the server is being asked: no hurry
    store.save(Batch(pages=(page(0, "s", DAY_S / 2),)))
    frontier.drop(under_way.id)
    frontier.close_lane("s")
    assert refill.round(102.0, DAY_S) >= 1
    assert fingerprint("http://s/2") in frontier


def test_what_waits_in_memory_for_a_budget_is_not_looked_for_at_every_turn() -> None:
    store, frontier = stored(page(0, "s", 50.0)), Frontier()
    refill = refill_of(store, frontier)
    refill.round(100.0, DAY_S)
    frontier.open_lanes(100.0, 1)
    waiting = frontier.next_page("s", 100.0)
    assert waiting is not None
    frontier.put_back(page(0, "s", 90_000.0))
    frontier.close_lane("s")
    looked: list[str] = []
    settle = store.settle_server
    store.settle_server = lambda server: looked.append(server) or settle(server)  # type: ignore[method-assign,func-returns-value]
    for turn in range(20):
        refill.round(101.0 + turn, DAY_S)
    assert len(looked) == 1


def test_of_pages_shut_out_by_their_robots_txt_no_more_wait_in_memory_than_have_room_there() -> None:
    store, frontier = stored(*(page(number, "s", 1.0) for number in range(500))), Frontier()
    refill = refill_of(store, frontier, Reach(queue=50, load=50))
    for now in range(10, 25):
        refill.round(float(now), 0.0)
        while (taken := frontier.next_page("s", float(now))) is not None:
            frontier.shut_out([taken], 600.0)
    assert frontier.held == 50
    while (taken := frontier.next_page("s", 601.0)) is not None:
        frontier.drop(taken.id)
    assert refill.round(601.0, 0.0)


def test_a_server_that_was_called_for_more_and_has_nothing_due_keeps_no_run_waiting() -> None:
    store, frontier = stored(page(0, "visited", 5000.0), page(0, "due", 1.0)), Frontier()
    refill = refill_of(store, frontier)
    for server in ("visited", "due", "unheard"):
        frontier.leave_rest(server, 1)
    assert frontier.hungry() and rounds(refill, 10.0, 0.0) == 1
    assert not frontier.hungry()
    assert rounds(refill, 5000.0, 0.0) == 1


def test_what_no_budget_pays_for_is_read_less_and_less_often_by_a_run_that_goes_round_once() -> None:
    """Beside others that go on for hours; but a new day must not find it asleep."""
    store, frontier, looks = stored(*(page(number, "s", 1.0) for number in range(30))), Frontier(), list[float]()
    spent = [True]

    def has_room(_: Page) -> bool:
        looks.append(now)
        return not spent[0]

    refill = Refill(store, frontier, ALL, lambda _: None, list, room=lambda pages: filter(has_room, pages))
    for now in range(0, 4 * 3600, 5):
        assert rounds(refill, now, 0.0) == 0
    moments = sorted(set(looks))
    assert moments[1] - moments[0] <= 30.0 and len(moments) < 40
    spent[0] = False
    came = next(now for now in range(4 * 3600, 5 * 3600, 5) if rounds(refill, now, 0.0))
    assert came - 4 * 3600 <= 600.0 and frontier.held == 30


def test_a_site_file_that_changed_is_heeded_at_once_however_long_nothing_was_paid_for() -> None:
    store, frontier, spent = stored(page(1, "s", 1.0)), Frontier(), [True]
    refill = Refill(store, frontier, ALL, lambda _: None, list, room=lambda pages: iter(() if spent[0] else pages))
    for now in range(0, 3600, 5):
        rounds(refill, now, 0.0)
    spent[0] = False
    assert rounds(refill, 3600.0, 0.0) == 0
    refill.forget()
    assert rounds(refill, 3600.0, 0.0) == 1
