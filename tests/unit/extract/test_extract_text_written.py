"""Reading a page as its parser writes it, and only what differs of its next version: what walking the tree reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract import turbo
from recrawl.extract.document import compared, parse, read
from recrawl.extract.links import anchored, links_in
from recrawl.extract.page_read import links_of, read_page
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import ExtractSettings
from recrawl.extract.text_flat import read_flat
from recrawl.extract.text_written import Written, other_text, written_text

LIMITS = (4_000_000, 300_000)
URL, HTML = "http://example.com/dir/page.html", "text/html; charset=utf-8"
PIECES = (
    "<div hidden>", "<p style='display:none'>", "<b>", "</b>", "<br>", "</div>", "<a href=x>", "</a>", "<li>", "<hr>",
    "<table><tr><td>", "<svg><title>x</title></svg>", "<select><option>o</option></select>", "<script>x<b></script>",
    "<span>", "</p>", "<!-- c > -->", "<noscript>n</noscript>", "<textarea>\n q</textarea>", "<pre>\n\n x</pre>", "it",
    "<em>e</em>", " ", "\n", "<div id=p5 class='nav on'>", "<main>", "<section>", "</main>", "<h2>", "</h2>", "<nav>",
    "<hr hidden>", "<br style='visibility:hidden'>", "<span hidden>", "</span>", "&amp;lt;&nbsp;&quot;&gt;", "\u3000é",
    "<style>a>b{}</style>", "<iframe><p>q</iframe>", "<div <!-- foo --> >", "<!---->", "<object>o<p>", "</object>",
    "<math><mi>k", "<img src=x>", '<p =x=1 a<b "c>', "<body class=z>", "<strong>", "<p role=navigation>", "<x-y>",
    "<a href='/a?b=1&amp;c=2' rel='nofollow me'>one<br>two</a>", "<a>", "<area href=/d>", "<link rel=next href=/n>",
    "<iframe src=/f></iframe>", "<meta http-equiv=refresh content='0;url=/r'>", "<svg><a xlink:href=/s>s</a></svg>",
    '<a "odd=1 href=/o>', "<a href=\'/q\"q\'>\u3000 q ", "<a href=/h hidden>h</a>", f"<a href=/l>{'long ' * 60}</a>",
    "<li class='a b'>t</li>" * 40, "<p>some words here.</p>" * 40, "<form>", "</table>", "<svg><link>u</link>", "<i>",
)  # fmt: skip
ODD = (
    "<xmp><b>shown</b></xmp>", "<plaintext>shown", "<svg><style><g>t</g></style></svg>", "<template>t</template>",
    "<script>a<!--<script></script>--></script>shown", "<body hidden>",
)  # fmt: skip
pages = st.lists(st.sampled_from(PIECES), max_size=30)
edits = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 2), st.lists(st.sampled_from(PIECES), max_size=2)), max_size=3
)


def walked(page: str) -> Written | None:
    """Read as written, and found to be what the walk reads; None where only a walk will do."""
    tree = turbo.parse(page)
    written = written_text(tree, *LIMITS)
    if written is not None:
        flat = tree.flat()
        assert flat is not None
        whole = read_flat(tree, flat, (), *LIMITS)
        assert (written.reading.runs, written.reading.skeleton) == (whole.runs, whole.skeleton)
    page = read_page(tree, ExtractSettings())
    if page is not None:
        flat = tree.flat()
        assert flat is not None
        whole, resolver = read_flat(tree, flat, (), *LIMITS), Resolver(URL)
        assert (page.reading.runs, page.reading.skeleton) == (whole.runs, whole.skeleton)
        links = [link for some in links_of(page, resolver) for link in some]
        assert links == links_in(anchored(tree, resolver, ExtractSettings()), tree, resolver, ExtractSettings())
    return written


@given(pages)
def test_pages_with_links_of_all_sorts_read_as_they_are_walked(pieces: list[str]) -> None:
    walked("".join(pieces))


def edited(pieces: list[str], steps: list[tuple[int, int, list[str]]]) -> list[str]:
    after = list(pieces)
    for at, gone, come in steps:
        after[at : at + gone] = come
    return after


@given(pages, edits)
def test_a_page_and_its_next_version_read_as_they_are_walked(
    pieces: list[str], steps: list[tuple[int, int, list[str]]]
) -> None:
    written, after = walked("".join(pieces)), "".join(edited(pieces, steps))
    tree = turbo.parse(after)
    flat = tree.flat()
    assert flat is not None
    other = other_text(written, tree, *LIMITS) if written else None
    assert other is None or other.runs == read_flat(tree, flat, (), *LIMITS).runs


@given(pages, edits, st.lists(st.sampled_from(("<a href=/1>one</a>", "<a href=2 rel=next>two</a>", "<base href=/z/>"))))
def test_a_document_read_beside_another_version_is_the_same_document(
    pieces: list[str], steps: list[tuple[int, int, list[str]]], links: list[str]
) -> None:
    before, after = "".join([*links, *pieces]), "".join([*edited(pieces, steps), *links[::-1]])
    beside = compared(parse(after.encode(), HTML, URL, beside=parse(before.encode(), HTML, URL)))
    alone = read(after.encode(), HTML, URL)
    assert (beside.title, beside.main, beside.links) == (alone.title, alone.main, alone.links)
    assert (beside.directives, beside.offers, beside.base) == (alone.directives, alone.offers, alone.base)


@pytest.mark.compiled
def test_plain_pages_are_read_as_written_and_what_is_odd_is_walked() -> None:
    plain = f"<title>t</title><main>{'<p>words</p><!-- c --><script>1<2</script>' * 50}</main>"
    assert walked(plain) is not None
    assert read_page(turbo.parse(plain), ExtractSettings()) is not None
    for odd in ODD:
        assert walked(f"<p>before</p>{odd}") is None, odd
        assert read_page(turbo.parse(f"<p>before</p>{odd}"), ExtractSettings()) is None, odd


def test_pages_that_a_limit_may_cut_are_walked() -> None:
    page = "<p>words</p>" * 100
    assert written_text(turbo.parse(page), 100, 300_000) is None
    assert written_text(turbo.parse(page), 4_000_000, 100) is None
    cut = parse(page.encode(), HTML, URL, ExtractSettings(text_chars=100))
    assert sum(len(block.text) for block in cut.main) == 100


def test_of_a_long_page_with_one_new_paragraph_only_the_paragraphs_near_it_are_read_again() -> None:
    paragraphs = [f"<p>words of number {number}</p>" for number in range(1000)]
    before, after = "".join(paragraphs), "".join([*paragraphs[:500], "<p>new</p>", *paragraphs[500:]])
    written = written_text(turbo.parse(before), *LIMITS)
    assert written is not None
    other = other_text(written, turbo.parse(after), *LIMITS)
    assert other is not None
    read_anew = [run for run in other.runs if not any(run is known for known in written.reading.runs)]
    assert "new" in [run.text for run in read_anew]
    assert len(read_anew) < 100


def test_of_a_page_that_changed_at_both_ends_the_middle_is_not_read_again() -> None:
    rows = [f"<tr id=row-{number}><td>words of number {number}<td><a href=/{number}>more</a>" for number in range(400)]
    before = turbo.parse(f"<p>1 reader<table>{''.join(rows)}</table><p>12:00")
    after = turbo.parse(f"<p>2 readers<table>{''.join(rows[:200])}<tr><td>new{''.join(rows[200:])}</table><p>12:01<p>x")
    written = written_text(before, *LIMITS)
    flat = after.flat()
    assert written is not None
    assert flat is not None
    other = other_text(written, after, *LIMITS)
    assert other is not None
    assert other.runs == read_flat(after, flat, (), *LIMITS).runs
    known = set(map(id, written.reading.runs))
    assert sum(id(run) not in known for run in other.runs) < 10


def test_elements_that_differ_only_in_their_number_stand_for_the_same_and_levels_of_headings_do_not() -> None:
    page = "".join(f"<div id=post-{number}><p class=c{number}>a<h{1 + number % 6}>b</h1></div>" for number in range(12))
    written = walked(page)
    assert written is not None
    assert len({run.place for run in written.reading.runs if run.tag == "p"}) == 1
    assert {run.level for run in written.reading.runs} == set(range(7))


def test_a_page_of_open_tags_or_of_one_endless_line_is_walked_for_its_state_would_be_large() -> None:
    for page in ("<span itemprop=b>x" * 1000, "<p>" + "<b>x</b> " * 1000):
        assert written_text(turbo.parse(page), *LIMITS) is None
        parsed = parse(page.encode(), HTML, URL)
        assert parsed.blocks
    assert written_text(turbo.parse("<p>" + "<b>x</b> " * 100 + "<p>y" * 1000), *LIMITS) is not None
