"""Scripts learnt on sites that the learner has not seen."""

import asyncio

import pytest
from tests.unit.scope_patterns.crawl_in_memory import HOST, Patience, Wire, crawled, learnt
from tests.unit.scope_patterns.stranger_sites import STRANGERS
from tests.unit.scope_patterns.unseen_sites import WEBS, Web, flat_shop, forum, frame, items, link, news, people, prose

from recrawl.formats import site_toml
from recrawl.model.failure import NotFound
from recrawl.model.page import Link
from recrawl.model.site import Kind, Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.canonical_rules import CanonicalRules
from recrawl.scope.check import prove
from recrawl.scope.learn import Proposal
from recrawl.scope.learn_shapes import segment_shapes, shapes_of
from recrawl.scope.patterns_site import Script, Wanted
from recrawl.scope.rules import Rules

SAMPLE = 120
ALL_WEBS = WEBS | STRANGERS


def learn(web: Web) -> Proposal:
    return asyncio.run(learnt(web, SAMPLE))


@pytest.mark.parametrize("name", ALL_WEBS)
def test_an_unseen_site_is_crawled_well_by_what_was_learnt(name: str) -> None:
    web = ALL_WEBS[name]()
    asked, wanted = crawled(web, learn(web).site), web.wanted
    assert len(asked & wanted) >= 0.98 * len(asked), sorted(asked - wanted)[:20]
    assert len(asked & wanted) >= 0.98 * len(wanted), sorted(wanted - asked)[:20]


def test_calls_are_matched_with_addresses_seen_elsewhere() -> None:
    (rewrite,) = learn(people()).site.rewrites
    assert rewrite.match == "javascript:show_detail({id:int})"
    assert rewrite.target == "/detail.aspx?per_id={id}"


def test_session_ids_are_told_by_looking_twice() -> None:
    assert learn(forum()).site.drop_parameters == ("sid",)


@pytest.mark.parametrize("name", ALL_WEBS)
def test_the_proposal_is_a_site_file_whose_own_examples_hold(name: str) -> None:
    proposal = learn(ALL_WEBS[name]())
    text = site_toml.render(proposal.site, proposal.notes)
    site = site_toml.parse(text)
    assert site == proposal.site
    canonicaliser = Canonicaliser(CanonicalRules.from_site(site))
    outcomes = prove(site, Script(site, canonicaliser), Rules.from_site(site, canonicaliser), HOST + "/")
    assert outcomes and not [one.complaint for one in outcomes if one.complaint]
    assert "addresses seen" in text and "Left out" in text


def test_what_it_is_unsure_of_is_said() -> None:
    assert any("/tag/" in sentence for sentence in learn(news()).unsure)
    assert any("memberlist" in sentence for sentence in learn(forum()).unsure)
    empty = Web("/", lambda path: "<title>x</title><p>nothing</p>" if path == "/" else None, set(), set())
    assert any("--example" in sentence for sentence in learn(empty).unsure)


def test_a_sample_never_exceeds_its_size_and_waits_between_requests() -> None:
    web = flat_shop()
    wire, clock = Wire(web), Patience()

    from recrawl.answers.sample import Sampler
    from recrawl.config import Settings

    asyncio.run(Sampler(Site("x", (HOST + "/",)), Settings(), clock, wire).run([], 30, lambda count, url: None))
    assert len([path for path in wire.asked if path != "/robots.txt"]) <= 30
    assert clock.at - 1000.0 >= Settings().politeness.gap_s * (len(wire.asked) - 1)


def test_an_example_says_what_is_a_detail_where_structure_cannot() -> None:
    """Two kinds of pages in equal blocks: the words of a person decide."""

    def page(path: str) -> str | None:
        nav = link("/songs", "Songs")
        if path in ("/", "/songs"):
            rows = items((link(f"/song/{n}", f"Song {prose(n, 1)}") for n in range(30)), "songs")
            return frame("Songs", nav, rows, "")
        number = path.rpartition("/")[2]
        return frame(f"Song {number}", nav, f"<p>{prose(int(number))}</p>", "") if path.startswith("/song/") else None

    web = Web("/", page, {"/songs"}, {f"/song/{n}" for n in range(30)}, ["/song/7"])
    site = learn(web).site
    read = Script(site, Canonicaliser()).read(Link(f"{HOST}/song/99"), HOST + "/")
    assert isinstance(read, Wanted) and read.kind is Kind.DETAIL


def test_a_calendar_is_left_out_however_far_it_goes() -> None:
    def page(path: str) -> str | None:
        nav = link("/cal/2026/11", "Calendar") + link("/list?page=1", "List")
        parts = path.strip("/").split("/")
        if path == "/":
            return frame("Home", nav, "<p>home</p>", "")
        if parts[0] == "cal":
            month = int(parts[1]) * 12 + int(parts[2])
            days = items((link(f"/day/{parts[1]}-{int(parts[2]):02}-{d:02}", str(d)) for d in range(1, 29)), "days")
            turn = link(f"/cal/{month // 12}/{month % 12 + 1}", "Next month")
            return frame(f"Month {path}", nav, days + turn, "")
        if parts[0] == "day":
            return frame(f"Day {parts[1]}", nav, "<p>open</p>", "")
        if path.startswith("/list?page="):
            number = int(path.partition("=")[2])
            rows = items(
                (link(f"/show/{n}", f"Show {prose(n, 1)}") for n in range(number * 10, number * 10 + 10)), "shows"
            )
            after = link(f"/list?page={number + 1}", "Next") if number < 5 else ""
            return frame(f"List {number}", nav, rows + after, "")
        if parts[0] == "show":
            return frame(f"Show {parts[1]}", nav, f"<p>{prose(int(parts[1]))}</p>", "")
        return None

    lists, details = {f"/list?page={n}" for n in range(1, 6)}, {f"/show/{n}" for n in range(10, 60)}
    web = Web("/", page, lists, details)
    proposal = learn(web)
    assert crawled(web, proposal.site) == web.wanted | {"/"}


def test_shapes_tell_names_from_sections() -> None:
    assert segment_shapes(["12", "7", "2026-11-15", "about"]) == {
        "12": "{int}",
        "7": "{int}",
        "2026-11-15": "{date}",
        "about": "about",
    }
    assert set(segment_shapes(["p1.html", "p2.html"]).values()) == {"p{int}.html"}
    assert set(segment_shapes([f"{word}-lamp-{n}.html" for n, word in enumerate("abcd")]).values()) == {
        "{slug}-{int}.html"
    }
    shapes = shapes_of([f"http://a.example/l?c={n}&page={n}" for n in range(3)])
    assert {str(shape) for shape in shapes.values()} == {"/l?c={int}&page={int}"}


def test_a_start_that_leads_elsewhere_is_followed_there() -> None:
    inner = people()
    web = Web(
        "/home", lambda path: (301, f"{HOST}/") if path == "/home" else inner.page(path), inner.lists, inner.details
    )
    site = learn(web).site
    assert site.seeds == (f"{HOST}/",)
    assert len(site.patterns) >= 2


def test_a_start_that_cannot_be_read_is_said_to_be_so() -> None:
    with pytest.raises(NotFound, match="404"):
        learn(Web("/", lambda path: None, set(), set()))


def test_names_with_numbers_are_one_shape_though_some_have_the_same_words() -> None:
    names = [f"{word}-story-{n}" for n, word in enumerate("abcdefghijklmnopqrstuvwxyz")]
    pages = ["page-2", "page-3"]
    shapes = segment_shapes([*names, "a-story-70", "b-story-71", "b-story-72", *pages])
    assert {shapes[name] for name in ("a-story-0", "a-story-70", "b-story-1", "b-story-72", "z-story-25")} == {
        "{slug}-{int}"
    }
    assert {shapes[page] for page in pages} == {"page-{int}"}


def boards() -> Web:
    """Three boards; the articles of one are called by script, and no address of theirs is seen elsewhere."""
    names = ("free", "notice", "questions")

    def page(path: str) -> str | None:
        where, _, query = path.partition("?")
        of = dict(pair.partition("=")[::2] for pair in query.split("&"))
        nav = "".join(link(f"/board?of={name}", name) for name in names)
        board, number, turn = of.get("of"), int(of.get("number", 0)), int(of.get("page", 1))
        if where == "/":
            return frame("Boards", nav, "welcome", "")
        if where != "/board" or board not in names or not 1 <= turn <= 10 or not 0 <= number <= 100:
            return None
        if number:
            back = link(f"/board?of={board}&page={turn}", "back") + link(
                f"/board?of={board}&number={number - 1}", "old"
            )
            back += link(f"/praise?of={board}&number={number}", "praise")
            return frame(f"{board} {number}", nav, prose(number) + back, "")
        here = range(turn * 10 - 9, turn * 10 + 1)
        called = board == "questions"
        rows = (
            link(
                f"javascript:view('{board}',{n})" if called else f"/board?of={board}&number={n}&page={turn}", f"Say {n}"
            )
            for n in here
        )
        pages = "".join(link(f"/board?of={board}&page={n}", str(n)) for n in range(1, 11))
        return frame(f"{board} {turn}", nav, items(rows, "rows") + pages, "")

    lists = {f"/board?of={name}&page={n}" for name in names for n in range(1, 11)}
    return Web("/", page, lists, set())


def test_a_call_is_not_taken_for_one_that_turns_pages_or_shows_another_board() -> None:
    proposal = learn(boards())
    assert proposal.site.rewrites == ()
    assert any(sentence.startswith("view(…) stands in") for sentence in proposal.unsure)
