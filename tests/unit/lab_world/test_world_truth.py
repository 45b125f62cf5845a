"""The world is a pure function, and its truth is what it serves."""

import os
import re
import subprocess
import sys
from collections import deque
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.lab.server_map import State
from recrawl.lab.tempers import DAY_S
from recrawl.lab.varied import KINDS, varied_world
from recrawl.lab.world import (
    START_AT,
    World,
    answer,
    changed_at,
    changes_between,
    is_alive,
    is_forbidden,
    locate,
    path_of,
    version,
)
from recrawl.lab.world_parts import Ending, PageSpec, Robots, ServerSpec
from recrawl.model.address import origin_of
from recrawl.model.visit import Ask

WORLD = varied_world(7, servers=3, pages=60)
MONTH_S = 30 * DAY_S
moments = st.floats(START_AT, START_AT + 2 * MONTH_S)
fixed_urls = st.sampled_from([spec.origin + page.path for spec in WORLD.servers for page in spec.pages])

DIGEST = """
from hashlib import sha256
from recrawl.lab.varied import varied_world
from recrawl.lab.world import answer, START_AT
from recrawl.model.visit import Ask
world, digest = varied_world(3, 2, 40), sha256()
for at in (START_AT, START_AT + 86_461.25, START_AT + 900_000):
    for url in sorted(world.urls(at)):
        said = answer(world, Ask(url), at)
        digest.update(repr((url, said.status, said.headers, said.delay_s)).encode() + said.body)
print(digest.hexdigest())
"""


def text_of(url: str, at: float, world: World = WORLD) -> str:
    located = locate(world, url)
    assert located is not None
    said = answer(world, Ask(url), at)
    assert said.status == 200, url
    return said.plain.decode(located[1].charset)


def edition(text: str) -> int:
    found = re.search(r'id="edition">(\d+)<', text)
    assert found is not None
    return int(found[1])


def crawl(world: World, at: float) -> set[str]:
    """Every page reachable from the root without asking for anything forbidden."""
    seen, waiting = {world.root}, deque([world.root])
    found = set()
    while waiting:
        url = waiting.popleft()
        said = answer(world, Ask(url), at)
        if said.status != 200:
            continue
        found.add(url)
        for href in re.findall(rb'<a href="([^"]+)"', said.plain.replace(b"\0", b"")):
            target = href.decode().replace("&amp;", "&")
            target = target if "://" in target else origin_of(url) + target
            if target not in seen and not is_forbidden(world, target):
                seen.add(target)
                waiting.append(target)
    return found


def test_the_same_seed_gives_the_same_bytes_in_every_process() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", DIGEST], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "4711")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].strip()) == 64


def test_another_seed_gives_another_world() -> None:
    at = START_AT + 3 * DAY_S

    def digest(seed: int) -> bytes:
        world = varied_world(seed, 1, 20)
        return sha256(b"".join(answer(world, Ask(url), at).plain for url in sorted(world.urls(at)))).digest()

    assert digest(1) != digest(2)


@pytest.mark.parametrize("days", [0, 2, 11, 29])
def test_every_page_that_is_alive_can_be_reached_from_the_root(days: int) -> None:
    at = START_AT + days * DAY_S + 17.5
    alive = WORLD.urls(at)
    reached = crawl(WORLD, at)
    soft = {url for url in reached - alive if b"Page not found" in answer(WORLD, Ask(url), at).plain}
    assert alive == reached - soft
    assert all(is_alive(WORLD, url, at) for url in alive)


def test_pages_appear_vanish_move_and_turn_soft_within_the_month() -> None:
    before, after = WORLD.urls(START_AT), WORLD.urls(START_AT + MONTH_S)
    assert after - before
    assert before - after
    endings = {page.ending for spec in WORLD.servers for page in spec.pages if page.ended_at < START_AT + MONTH_S}
    assert endings == set(Ending)


@settings(max_examples=300, deadline=None)
@given(fixed_urls, moments)
def test_the_version_stands_on_the_page(url: str, at: float) -> None:
    if is_alive(WORLD, url, at):
        assert edition(text_of(url, at)) == version(WORLD, url, at)


@settings(max_examples=300, deadline=None)
@given(fixed_urls, moments, moments)
def test_the_changes_between_two_moments_are_the_difference_of_the_versions(url: str, one: float, other: float) -> None:
    from_at, to_at = sorted((one, other))
    changes = changes_between(WORLD, url, from_at, to_at)
    assert len(changes) == version(WORLD, url, to_at) - version(WORLD, url, from_at)
    assert changes == sorted(changes)
    assert all(from_at < change <= to_at and change == int(change) for change in changes)
    if changes:
        assert changed_at(WORLD, url, to_at) == changes[-1]
        assert version(WORLD, url, changes[-1]) == version(WORLD, url, to_at)
        assert version(WORLD, url, changes[0] - 0.001) == version(WORLD, url, from_at)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 40), moments, moments)
def test_a_list_differs_exactly_when_its_version_does(number: int, one: float, other: float) -> None:
    url = WORLD.servers[0].origin + "/shop/" + (f"?page={number % 4 + 1}" if number % 4 else "")
    if not (is_alive(WORLD, url, one) and is_alive(WORLD, url, other)):
        return
    same = version(WORLD, url, one) == version(WORLD, url, other)
    assert (text_of(url, one) == text_of(url, other)) is same


@settings(max_examples=200, deadline=None)
@given(moments)
def test_the_items_on_the_lists_are_the_items_that_answer(at: float) -> None:
    origin = WORLD.servers[1].origin
    listed = {url for url in WORLD.urls(at) if url.startswith(f"{origin}/shop/item-")}
    server = WORLD.maps[origin.removeprefix("http://")]
    numbers = server.stocks["/shop/"].window(at)
    assert listed == {f"{origin}/shop/item-{number}" for number in numbers}
    for number in (numbers.start - 1, numbers.start, numbers.stop - 1, numbers.stop):
        page = server.find(f"/shop/item-{number}")
        if page is not None:
            expected = State.ALIVE if number in numbers else State.ENDED if number < numbers.start else State.UNBORN
            assert server.state(page, at) is expected


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.path)
def test_content_stays_byte_for_byte_while_the_version_stays_unless_there_is_noise(kind: PageSpec) -> None:
    page = PageSpec("/page", kind.temper, kind.shape, language=kind.language, charset=kind.charset, noise=kind.noise)
    world = World(5, (ServerSpec("one", pages=(page,)),))
    url, steps = "http://one.test/page", [START_AT + step * DAY_S / 5 for step in range(60)]
    bodies = [(version(world, url, at), answer(world, Ask(url), at).plain) for at in steps]
    for (version_before, before), (version_after, after) in pairwise(bodies):
        assert (before == after) is (version_before == version_after and not kind.noise)


def test_a_change_rewrites_a_part_of_an_article_and_leaves_the_rest() -> None:
    url = WORLD.servers[0].origin + next(page.path for page in WORLD.servers[0].pages if page.path[:6] == "/often")
    change = changes_between(WORLD, url, START_AT, START_AT + MONTH_S)[20]
    before, after = (re.findall("<p>(.*)</p>", text_of(url, at)) for at in (change - 1, change))
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


def test_traps_are_linked_to_and_forbidden_and_no_part_of_the_truth() -> None:
    origin = WORLD.servers[0].origin
    for trap in WORLD.servers[0].robots.traps:
        assert f'href="{trap}"' in text_of(WORLD.root, START_AT)
        assert is_forbidden(WORLD, origin + trap)
        assert origin + trap not in WORLD.urls(START_AT)
    assert origin + "/private/open" in WORLD.urls(START_AT)


def test_another_name_of_a_server_has_the_same_content_or_redirects_and_adds_no_pages() -> None:
    one = ServerSpec("one", pages=(PageSpec("/a"),))
    twin = ServerSpec("twin", alias_of="one")
    www = ServerSpec("www", alias_of="one", alias_redirects=True)
    world = World(1, (one, twin, www))
    said = answer(world, Ask("http://www.test/a"), START_AT)
    assert (said.status, dict(said.headers)["Location"]) == (301, "http://one.test/a")
    assert (
        answer(world, Ask("http://twin.test/a"), START_AT).plain
        == answer(world, Ask("http://one.test/a"), START_AT).plain
    )
    assert world.urls(START_AT) == {"http://one.test/", "http://one.test/a"}


def test_moving_the_servers_elsewhere_changes_their_addresses_alone() -> None:
    world = varied_world(2, 2, 20)
    moved = world.at_authorities({"server-0": "127.0.0.1:8001", "server-1": "127.0.0.1:8002"})
    at = START_AT + DAY_S
    assert answer(moved, Ask("http://127.0.0.1:8002/daily-2"), at) == answer(
        world, Ask("http://server-1.test/daily-2"), at
    )
    assert b"http://127.0.0.1:8002/" in answer(moved, Ask(moved.root), at).plain


def test_robots_may_be_missing_and_then_nothing_is_forbidden() -> None:
    world = World(1, (ServerSpec("one", robots=Robots(disallow=("/x",), status=404)),))
    assert answer(world, Ask("http://one.test/robots.txt"), START_AT).status == 404
    assert not is_forbidden(world, "http://one.test/x")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://a.test", "/"),
        ("http://a.test/x?y=1#z", "/x?y=1"),
        ("http://a.test?q=/", "/?q=/"),
        ("http://a.test/#/", "/"),
    ],
)
def test_the_path_is_what_stands_on_the_request_line(url: str, path: str) -> None:
    assert path_of(url) == path
