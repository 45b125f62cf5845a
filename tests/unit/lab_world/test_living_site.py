"""The living site of the demo has a page of every temper and stays alive."""

import html.parser
import re

import pytest

from recrawl.lab.faults import FaultKind, fault_at, refuses
from recrawl.lab.living import CRAWL_DELAY_S, living_faults, living_world
from recrawl.lab.server_map import State
from recrawl.lab.tempers import DAY_S, HOUR_S, Bursty, Poisson, Regular, Rhythm, Still
from recrawl.lab.world import answer, changes_between, is_forbidden, locate
from recrawl.lab.world_parts import Declared, Ending, Noise, Shape
from recrawl.model.visit import Ask

WORLD = living_world()
NOW = WORLD.start_at + 5 * HOUR_S
VOID = {"meta", "input", "link", "br"}


class Nesting(html.parser.HTMLParser):
    """Notices tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def body_of(url: str) -> str:
    located = locate(WORLD, url)
    assert located is not None
    return answer(WORLD, Ask(url), NOW).plain.decode(located[1].charset)


def test_it_is_a_small_town_of_six_servers() -> None:
    assert [spec.name for spec in WORLD.servers] == ["gazette", "bazaar", "plaza", "archive", "attic", "ticker"]
    for days in (0, 3, 30):
        assert 120 <= len(WORLD.urls(WORLD.start_at + days * DAY_S)) <= 200


def test_it_has_a_page_of_every_temper_shape_noise_and_ending() -> None:
    pages = [page for server in WORLD.maps.values() for page in server.alive(WORLD.start_at)]
    assert {type(page.temper) for page in pages} == {Still, Regular, Poisson, Rhythm, Bursty}
    assert {page.shape for page in pages} >= set(Shape) - {Shape.HUB}
    assert {kind for page in pages for kind in page.noise} == set(Noise)
    assert {page.language for page in pages} == {"en", "ko", "ja", "zh", "de", "ru"}
    assert {page.declared for page in pages} >= set(Declared) - {Declared.NOWHERE}
    assert {page.ending for page in pages if page.ended_at < WORLD.start_at + 9 * DAY_S} == set(Ending)


@pytest.mark.parametrize("name", [spec.name for spec in WORLD.servers])
def test_every_page_is_well_formed_html_in_its_charset(name: str) -> None:
    for url in sorted(url for url in WORLD.urls(NOW) if url.startswith(f"http://{name}.test")):
        text, nesting = body_of(url), Nesting()
        nesting.feed(text)
        assert nesting.open == []
        assert re.search("<title>.+</title>", text)


def test_korean_and_japanese_pages_are_written_in_their_scripts() -> None:
    assert re.search("[가-힣]{2}.*이다|다[.]", body_of("http://plaza.test/ko/1"))
    assert re.search("[ぁ-ん].*。", body_of("http://plaza.test/ja/1"))


def test_the_ticker_changes_far_faster_than_its_crawl_delay_lets_anybody_follow() -> None:
    day = (WORLD.start_at, WORLD.start_at + DAY_S)
    pages = [url for url in WORLD.urls(NOW) if "ticker" in url]
    changes = sum(len(changes_between(WORLD, url, *day)) for url in pages)
    assert changes > 5 * DAY_S / CRAWL_DELAY_S
    assert f"Crawl-delay: {CRAWL_DELAY_S:g}".encode() in answer(WORLD, Ask("http://ticker.test/robots.txt"), NOW).plain


def test_the_attic_fails_in_spells_and_is_well_most_of_the_time() -> None:
    plan = living_faults()
    moments = [WORLD.start_at + step * 600 for step in range(6 * 24 * 14)]
    met = [fault.kind if (fault := fault_at(plan, "attic", "/box/1", at)) else None for at in moments]
    assert {FaultKind.CONNECT, FaultKind.ERROR, FaultKind.BUSY} <= set(met)
    assert met.count(None) > len(met) / 2
    assert any(refuses(plan, "attic", at) for at in moments)
    assert all(fault_at(plan, "gazette", "/", at) is None for at in moments)


def test_its_traps_are_forbidden_and_its_truth_is_alive() -> None:
    traps = [spec.origin + path for spec in WORLD.servers for path in spec.robots.traps]
    assert traps
    assert all(is_forbidden(WORLD, trap) for trap in traps)
    for url in WORLD.urls(NOW):
        located = locate(WORLD, url)
        assert located is not None
        assert located[0].state(located[1], NOW) is State.ALIVE
        assert answer(WORLD, Ask(url), NOW).status == 200
