"""A changed page that is judged by what differs alone is judged as if both versions had been read in full."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recrawl.detect.digest import fold
from recrawl.detect.noise import PageNoise, TemplateNoise, Votes, write_page
from recrawl.detect.parts import place_key
from recrawl.detect.verdict import changed_beside, plainly_differs, thorough
from recrawl.extract.beside import side_by_side
from recrawl.extract.contexts import Contexts
from recrawl.extract.document import Parsed, compared, kept, parse
from recrawl.extract.page_read import links_unmet
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import DEFAULT
from recrawl.model.document import Document, Sides
from recrawl.model.met import Met
from recrawl.model.page import Link, Page
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.native import compiled

URL = "http://example.org/a/page.html"
LONG = "A sentence that is long enough to be taken for content by itself, whatever stands around it. " * 15
WORDS = ("spring tide", "12:04:31", "7 visitors came", "9 visitors came", "moor & more", "Straße", "e\u0301", "\ufffd")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
blocks = st.tuples(st.sampled_from(("p", "p class=x", "li", "h2")), texts).map(
    lambda one: f"<{one[0]}>{one[1]}</{one[0].partition(' ')[0]}>"
)
anchors = st.sampled_from(
    (
        '<a href="/met">spring</a>',
        '<a href="/new">moor tide</a>',
        "<a href=/met rel=nofollow>7</a>",
        "<a href=b?c>visitors</a>",
        '<link rel=next href="/next" title="tide">',
        "<a>nowhere</a>",
    )
)
pytestmark = pytest.mark.compiled


def page_of(some: list[str], links: list[str], title: str = "A page", frame: str = "", long: str = LONG) -> bytes:
    text = f"<nav>{frame}</nav><main><p>{long}</p>{''.join(some)}<div>{''.join(links)}</div></main>"
    return f"<html><head><meta charset=utf-8><title>{title}</title></head><body>{text}</body></html>".encode()


def versions(old: bytes, new: bytes) -> tuple[Parsed, Parsed]:
    parsed = parse(new, "text/html", URL)
    return parsed, parse(old, "text/html", URL, beside=parsed)


def read_at_once(old: bytes, new: bytes) -> Sides | None:
    """With a memory of where others led, such as a crawl has, nobody asks for what stands between. What is left to
    closer looks is the same as if nobody had tried."""
    parsed, before = versions(old, new)
    sides = side_by_side(parsed, before, some_met(), fold)
    one, other = versions(old, new)
    assert (compared(parsed), kept(before)) == (compared(one), kept(other))
    return sides


def read_sides(old: bytes, new: bytes) -> Sides | None:
    return side_by_side(*versions(old, new), some_met(), fold)


def some_met() -> Met:
    met: Met = compiled.Met(10, 1)
    met.remember(["http://example.org/met", "http://example.org/nav"])
    return met


def with_links_unmet(document: Document) -> Document:
    met = some_met()
    return replace(document, links=tuple(link for link in document.links if link.nofollow or link.url not in met))


def judged(old: bytes, new: bytes, noise: PageNoise, template: TemplateNoise) -> Sides | None:
    """What was said of both side by side, where anything was: it is the same."""
    parsed, before = versions(old, new)
    sides = side_by_side(parsed, before, (), fold)
    assert read_at_once(old, new) == (sides and replace(sides, document=with_links_unmet(sides.document)))
    if sides is None:
        return None
    page = Page(1, URL, "example.org", "s", body_digest=b"x" * 32, noise=write_page(noise), visits=1, checked_at=5.0)
    reply = Reply(Ask(URL), 90.0, Evidence.DOCUMENT, 200, body=new)
    verdict = changed_beside(page, reply, sides, template)
    document, previous = compared(parsed), kept(before)
    assert sides.document == replace(document, main=())
    if verdict is None:
        return None
    assert plainly_differs(page, document, previous, template)
    assert verdict == thorough(page, reply, document, previous, template, leave_unread=True)
    return sides


@given(
    st.lists(blocks, max_size=6),
    st.integers(0, 6),
    st.integers(0, 3),
    st.lists(blocks, max_size=3),
    st.lists(anchors, max_size=4),
    st.booleans(),
    st.booleans(),
)
@example(["<p>spring tide</p>"], 0, 0, ["<p>moor tide</p>"], ['<a href="/new">moor tide</a>'], False, True)
def test_what_differs_is_judged_as_all_of_it_would_be(
    some: list[str], at: int, gone: int, come: list[str], links: list[str], is_real: bool, is_framed: bool
) -> None:
    frame, links = ("".join(links), list[str]()) if is_framed else ("", links)
    old, new = (page_of(each, links, frame=frame) for each in (some, [*some[:at], *come, *some[at + gone :]]))
    places = {block.place for parsed in versions(old, new) for block in parsed.main} if is_real else set()
    judged(old, new, PageNoise(), TemplateNoise(tuple(Votes(place_key(place), real=5) for place in places)))


def test_usual_changes_are_judged_by_what_differs() -> None:
    some = [f"<p>This is paragraph {number} of them.</p>" for number in range(9)]
    links = ['<a href="/met">see also</a>']
    for other, gone, come in (
        ([*some[:4], "<p>Come later.</p>", *some[4:]], [], ["Come later."]),
        ([*some[:4], *some[5:]], ["This is paragraph 4 of them."], []),
        ([*some[:4], "<p>Other words</p>", *some[5:]], ["This is paragraph 4 of them."], ["Other words"]),
        ([*some[:8], "<p>Straße</p>"], ["This is paragraph 8 of them."], ["Straße"]),
    ):
        sides = judged(page_of(some, links), page_of(other, links), PageNoise(), TemplateNoise())
        assert sides is not None and (sides.gone, sides.come) == (gone, come)


@pytest.mark.parametrize(
    ("title", "letters", "is_told"),
    [("A page", 600, True), ("A page", 300, False), ("Page not found", 600, False), ("Page not found", 1300, True)],
)
def test_a_short_page_is_judged_so_unless_it_may_say_that_it_is_none(title: str, letters: int, is_told: bool) -> None:
    old, new = (page_of([f"<p>{word}</p>"], [], title, long=LONG[:letters]) for word in ("spring", "tide"))
    sides = judged(old, new, PageNoise(), TemplateNoise())
    assert sides is not None if is_told else sides is None


@pytest.mark.parametrize(
    ("link", "is_plain"),
    [
        ('<a href="/met">see also</a>', True),
        ('<a href="/new">see also</a>', True),
        ('<a href="/met" rel=nofollow>see also</a>', True),
        ('<link rel=next href="/met">', False),
    ],
)
def test_a_page_with_plain_links_is_not_read_step_by_step(
    link: str, is_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, leads_like = list[Parsed](), Parsed.leads_like

    def told(one: Parsed, other: Parsed) -> bool:
        asked.append(one)
        return leads_like(one, other)

    monkeypatch.setattr(Parsed, "leads_like", told)
    assert read_sides(page_of(["<p>spring</p>"], [link]), page_of(["<p>tide</p>"], [link])) is not None
    assert bool(asked) is not is_plain


def test_what_heads_say_is_looked_at_first() -> None:
    old, new = page_of(["<p>spring</p>"], []), page_of(["<p>tide</p>"], [])
    for heads, is_told in (
        (((), ()), True),
        ([(("X-Robots-Tag", "nofollow"),)] * 2, True),
        (((("x-robots-tag", "nofollow"),), ()), False),
        (((("Link", "</x>; rel=next"),), ()), False),
        (((), (("link", "</x>; rel=next"),)), False),
    ):
        parsed = parse(new, "text/html", URL, headers=heads[0])
        before = parse(old, "text/html", URL, headers=heads[1], beside=parsed)
        sides = side_by_side(parsed, before, some_met(), fold)
        assert (sides is not None) is is_told
        if sides is not None:
            assert sides.document == replace(compared(parsed), main=())


def test_what_is_not_plain_is_left_to_reading_both() -> None:
    some, links = ["<p>spring</p>"], ['<a href="/new">moor</a>']
    old = page_of(some, links)
    for new in (
        page_of(["<p>tide</p>"], links, title="Another page"),
        page_of(["<p>tide</p>"], []),
        page_of(["<p>e\u0301</p>"], links),
        page_of(["<p>\ufffd</p>"], links),
        page_of(some, links, frame="<p>the same in its main text</p>"),
        b"<b><i>not plainly nested</b></i>",
    ):
        assert judged(old, new, PageNoise(), TemplateNoise()) is None
    framed = [page_of([f"<p>{word}</p>"], [], frame=links[0]) for word in ("spring", "moor", "tide")]
    assert judged(framed[0], framed[1], PageNoise(), TemplateNoise()) is None  # now the link may be one of its text
    assert judged(framed[0], framed[2], PageNoise(), TemplateNoise()) is not None
    noisy = TemplateNoise((Votes(place_key(1), noise=5),))
    assert judged(old, page_of(["<p>tide</p>"], links), PageNoise(), noisy) is None


@given(st.lists(anchors, max_size=6))
def test_of_links_only_those_to_known_pages_are_passed_over(links: list[str]) -> None:
    parsed = parse(page_of([], links), "text/html", URL)
    met = compiled.Met(10, 1)
    met.remember(["http://example.org/met"])
    read = parsed.page
    assert read is not None
    found = links_unmet(read, parsed.base, lambda: Resolver(parsed.base), DEFAULT, met)
    assert found == [link for link in parsed.links if link.nofollow or link.url not in met]
    assert links_unmet(read, parsed.base, lambda: Resolver(parsed.base), DEFAULT, ()) == list(parsed.links)
    assert Link("http://example.org/met", "a", "spring") not in found


def test_other_values_are_refused() -> None:
    for given_ in (((), [], [], fold), ([("run",)], [], [], fold), ([], [])):
        with pytest.raises(TypeError):
            compiled.side_by_side(*given_)
    contexts = Contexts()
    plain = ("", "", 9, contexts.body, contexts.child, 9, fold, "", None, 9, compiled.Met(1, 1))
    for place in (0, 1, 2, 3, 5, 7, 9, 10):
        with pytest.raises(TypeError):
            compiled.beside(*plain[:place], {}, *plain[place + 1 :])
    with pytest.raises(TypeError):
        compiled.beside(*plain[1:])
    for wrong in (([], "", None, 5, {}), ([], 5, None, 5, compiled.Met(1, 1)), ([],)):
        with pytest.raises(TypeError):
            compiled.unmet_items(*wrong)
