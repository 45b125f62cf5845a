"""The flat reader is an optimisation: whatever the page and the limits, it reads what the walk reads."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract import turbo
from recrawl.extract.text import read_runs
from recrawl.extract.text_flat import read_flat

PIECES = (
    "<div hidden>", "<p style='display:none'>", "<b>", "</b>", "<br>", "</div>", "<a href=x>", "</a>", "<li>",
    "<table><tr><td>", "<svg><title>x</title></svg>", "<select><option>o</option></select>", "<script>x</script>",
    "<span>", "</p>", "<!-- c -->", "<noscript>n</noscript>", "<textarea>\n q</textarea>", "<pre>\n\n x</pre>", "words",
    "<em>e</em>", " ", "\n", "<div id=p5 class='nav on'>", "<main>", "<section>", "</main>", "<h2>", "</h2>", "<nav>",
)  # fmt: skip
pages = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(pages, st.integers(1, 400), st.integers(1, 120))
def test_flat_reading_and_walking_give_the_same_runs_and_skeleton(page: str, chars: int, nodes: int) -> None:
    tree = turbo.parse(page)
    for limits in ((4_000_000, 300_000), (chars, 300_000), (4_000_000, nodes)):
        flat = tree.flat()
        assert flat is not None
        walked, read = read_runs(tree, (), *limits), read_flat(tree, flat, (), *limits)
        assert (read.runs, read.skeleton) == (walked.runs, walked.skeleton)


@given(pages)
def test_ignored_elements_are_left_out_by_both(page: str) -> None:
    tree = turbo.parse(page)
    ignored, flat = tree.select("nav, .nav, b"), tree.flat()
    assert flat is not None
    assert read_flat(tree, flat, ignored, 1000, 1000).runs == read_runs(tree, ignored, 1000, 1000).runs


def test_a_page_with_templates_is_walked() -> None:
    assert turbo.parse("<template>hidden</template><p>shown").flat() is None
