"""Who is asked next: rank, due time, one lane a server, nothing twice."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.frontier.queue import Frontier
from recrawl.model.page import Page, Rank


def page(number: int, server: str = "a", due_at: float | None = 0.0, rank: int = Rank.GENERAL) -> Page:
    return Page(number, f"http://{server}/{number}", server, "site", due_at=due_at, rank=rank)


def test_due_pages_come_by_rank_then_due_time() -> None:
    frontier = Frontier()
    frontier.offer([page(1, due_at=5), page(2, due_at=3), page(3, due_at=9, rank=Rank.URGENT), page(4, due_at=99)])
    assert frontier.open_lanes(10, 10) == ["a"]
    taken = [frontier.next_page("a", 10) for _ in range(4)]
    assert [one.id if one else None for one in taken] == [3, 2, 1, None]


def test_a_page_is_held_once_until_it_is_dropped() -> None:
    frontier = Frontier()
    assert frontier.offer([page(1), page(1)]) == 1
    assert 1 in frontier
    assert frontier.next_page("a", 1) is not None
    assert frontier.offer([page(1)]) == 0
    frontier.drop(1)
    assert frontier.offer([page(1)]) == 1


def test_a_server_has_one_lane_unless_its_owner_raised_parallel() -> None:
    frontier = Frontier()
    frontier.offer(page(number) for number in range(5))
    assert frontier.open_lanes(1, 10) == ["a"]
    assert frontier.open_lanes(1, 10) == []
    frontier.close_lane("a")
    frontier.queue("a").parallel = 3
    assert frontier.open_lanes(1, 10) == ["a", "a", "a"]


def test_nothing_is_handed_out_before_the_server_is_free() -> None:
    frontier = Frontier()
    frontier.offer([page(1)])
    frontier.set_free_at("a", 7.0)
    assert frontier.open_lanes(6.9, 10) == []
    assert frontier.next_page("a", 6.9) is None
    assert frontier.wake_at() == 7.0
    assert frontier.open_lanes(7.0, 10) == ["a"]


def test_no_more_lanes_are_opened_than_there_is_room_for_and_the_rest_comes_later() -> None:
    frontier = Frontier()
    frontier.offer(page(number, f"s{number}") for number in range(10))
    first = frontier.open_lanes(1, 4)
    second = frontier.open_lanes(1, 100)
    assert len(first) == 4
    assert sorted([*first, *second]) == sorted(f"s{number}" for number in range(10))


def test_a_page_put_back_is_offered_again() -> None:
    frontier = Frontier()
    frontier.offer([page(1)])
    taken = frontier.next_page("a", 1)
    assert taken is not None
    frontier.put_back(taken)
    assert frontier.next_page("a", 1) == taken


def test_pages_put_first_come_before_those_that_are_as_urgent_and_as_long_due() -> None:
    frontier = Frontier()
    frontier.offer([*(page(number) for number in range(4)), page(9, due_at=2, rank=Rank.URGENT)])
    taken = [one for one in (frontier.next_page("a", 1) for _ in range(2)) if one]
    assert [one.id for one in taken] == [0, 1]
    for one in reversed(taken):
        frontier.put_first(one)
    assert frontier.held == 5 and frontier.open_lanes(2, 10) == ["a"]
    order = [frontier.next_page("a", 2) for _ in range(5)]
    assert [one.id if one else None for one in order] == [9, 0, 1, 2, 3]


def test_pages_shut_out_come_when_that_is_over_and_those_due_later_in_their_time() -> None:
    frontier = Frontier()
    frontier.offer([page(1), page(2, due_at=50), page(3, due_at=900)])
    frontier.shut_out(frontier.queue("a").pages(), 100.0)
    assert frontier.held == 3 and frontier.open_lanes(99, 10) == []
    assert sorted((one.id, one.due_at) for one in frontier.queue("a").pages()) == [(1, 100), (2, 100), (3, 900)]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 100), st.sampled_from(Rank.ALL)), max_size=40),
    st.floats(0, 120),
)
def test_every_page_that_is_due_comes_exactly_once_and_no_other(
    drawn: list[tuple[int, float, int]], now: float
) -> None:
    frontier = Frontier()
    pages = [page(number, f"s{server}", due, rank) for number, (server, due, rank) in enumerate(drawn)]
    frontier.offer(pages)
    came = []
    for server in frontier.open_lanes(now, 1000):
        while (taken := frontier.next_page(server, now)) is not None:
            came.append(taken.id)
    assert sorted(came) == [one.id for one in pages if one.due_at is not None and one.due_at <= now]


@given(
    st.lists(st.tuples(st.floats(0, 50), st.sampled_from(Rank.ALL), st.integers(0, 20)), max_size=40),
    st.lists(st.floats(0, 60), min_size=1, max_size=8),
)
def test_pages_come_by_rank_due_time_and_offer_however_many_of_them_ripen_at_once(
    drawn: list[tuple[float, int, int]], moments: list[float]
) -> None:
    """`drawn`: due time, rank, and in which round each is offered."""
    frontier, offered, waiting = Frontier(), list[int](), dict[int, Page]()
    pages = [page(number, "s", due, rank) for number, (due, rank, _) in enumerate(drawn)]
    for step, now in enumerate(sorted(moments)):
        fresh = [one for one, (*_, turn) in zip(pages, drawn, strict=True) if turn % len(moments) == step]
        frontier.offer(fresh)
        offered += [one.id for one in fresh]
        waiting |= {one.id: one for one in fresh}
        for _ in range(5):
            ripe = [one for one in waiting.values() if one.due_at is not None and one.due_at <= now]
            wanted = min(ripe, key=lambda one: (one.rank, one.due_at, offered.index(one.id)), default=None)
            assert frontier.next_page("s", now) is wanted
            if wanted is not None:
                del waiting[wanted.id]
