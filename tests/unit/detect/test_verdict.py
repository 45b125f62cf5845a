from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.detect.living_pages import HEADING, NOON, PARAGRAPH, answer, clock, document_of, prose, words

from recrawl.detect.content import content
from recrawl.detect.differing import differing
from recrawl.detect.digest import body_digest
from recrawl.detect.noise import PageNoise, TemplateNoise, fold, read_page, write_page
from recrawl.detect.parts import masked
from recrawl.detect.verdict import NeedsPrevious, at_once, compare, judge_second_look, quick, thorough
from recrawl.model.document import Block, Document, Media
from recrawl.model.failure import Failure
from recrawl.model.page import Link, Page, Status
from recrawl.model.verdict import Change, Lesson, Verdict
from recrawl.model.visit import Ask, Evidence, Reply

URL = "http://site.example/page"
FRESH = Page(id=1, url=URL, server="site.example", site="site")
CONDITIONAL = Ask(URL, etag='"a"')

texts = st.lists(st.text("ab12: é灯", min_size=1, max_size=12), max_size=6)
documents = st.builds(
    lambda title, found: document_of([Block(20 + at % 3, text) for at, text in enumerate(found)], title),
    st.text("ab", max_size=3),
    texts,
)


def after(verdict: Verdict, page: Page = FRESH) -> Page:
    return replace(
        page,
        status=Status.LIVE,
        body_digest=verdict.body_digest,
        text_digest=verdict.text_digest,
        simhash=verdict.simhash,
        noise=verdict.noise,
    )


def kept(document: Document, body: bytes = b"first") -> Page:
    return after(compare(FRESH, answer(body), document, None))


LIVE = kept(document_of(prose()))


@pytest.mark.parametrize(
    ("evidence", "status", "failure"),
    [
        (Evidence.FAILED, 0, Failure.RESET),
        (Evidence.FAILED, 200, Failure.TRUNCATED),
        (Evidence.FAILED, 200, Failure.UNDECODABLE),
        (Evidence.FAILED, 304, Failure.UNASKED_304),
        (Evidence.BROKEN, 500, None),
        (Evidence.BUSY, 503, None),
        (Evidence.REFUSED, 403, None),
    ],
)
@pytest.mark.parametrize("page", [FRESH, LIVE])
def test_a_failed_visit_is_no_evidence_and_leaves_what_is_remembered(
    page: Page, evidence: Evidence, status: int, failure: Failure | None
) -> None:
    reply = answer(b"", evidence=evidence, status=status, failure=failure)
    verdict = compare(page, reply, None, None)
    assert verdict.change is Change.UNKNOWN
    assert verdict.reason
    assert (verdict.body_digest, verdict.text_digest, verdict.noise) == (page.body_digest, page.text_digest, page.noise)


def test_every_kind_of_evidence_gets_a_verdict_or_is_left_to_the_document() -> None:
    for evidence in Evidence:
        verdict = at_once(LIVE, answer(b"other", evidence=evidence, status=299))
        assert (verdict is None) == (evidence is Evidence.DOCUMENT)


def test_a_304_to_a_conditional_request_is_the_same() -> None:
    verdict = compare(LIVE, answer(b"", evidence=Evidence.NOT_MODIFIED, status=304, ask=CONDITIONAL), None, None)
    assert verdict.change is Change.SAME
    assert verdict.text_digest == LIVE.text_digest


def test_an_unasked_304_or_one_for_a_page_never_kept_proves_nothing() -> None:
    unasked = answer(b"", evidence=Evidence.NOT_MODIFIED, status=304)
    assert compare(LIVE, unasked, None, None).change is Change.UNKNOWN
    assert compare(FRESH, replace(unasked, ask=CONDITIONAL), None, None).change is Change.UNKNOWN


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_is_gone_only_when_it_was_missing_twice_in_a_row(status: int) -> None:
    missing = answer(b"", evidence=Evidence.MISSING, status=status)
    assert compare(LIVE, missing, None, None).change is Change.UNKNOWN
    assert compare(replace(LIVE, misses=1), missing, None, None).change is Change.GONE


def test_a_page_that_was_gone_and_answers_again_is_new_even_with_the_old_bytes() -> None:
    gone = replace(LIVE, status=Status.GONE, misses=2)
    verdict = compare(gone, answer(b"first"), document_of(prose()), None)
    assert verdict.change is Change.NEW
    assert verdict.reason == "here again"


@pytest.mark.parametrize(("status", "how"), [(301, "permanently"), (308, "permanently"), (302, "temporarily")])
def test_a_redirect_is_a_move_with_its_target_resolved(status: int, how: str) -> None:
    reply = answer(b"", evidence=Evidence.REDIRECT, status=status, headers=(("location", "../else/where?x=1"),))
    verdict = compare(LIVE, reply, None, None)
    assert (verdict.change, verdict.target) == (Change.MOVED, "http://site.example/else/where?x=1")
    assert how in verdict.reason


@pytest.mark.parametrize("location", ["", URL, URL + "#top", "http://[::"])
def test_a_redirect_to_nowhere_or_to_itself_proves_nothing(location: str) -> None:
    reply = answer(b"", evidence=Evidence.REDIRECT, status=301, headers=(("location", location),))
    assert compare(LIVE, reply, None, None).change is Change.UNKNOWN


def test_a_page_that_was_there_and_is_sent_home_is_a_soft_404_but_home_may_have_many_names() -> None:
    reply = answer(b"", evidence=Evidence.REDIRECT, status=302, headers=(("location", "/"),))
    verdict = compare(LIVE, reply, None, None)
    assert (verdict.change, verdict.soft_404) == (Change.UNKNOWN, True)
    assert compare(FRESH, reply, None, None).change is Change.MOVED
    index = replace(LIVE, url="http://site.example/index.html")
    assert compare(index, replace(reply, ask=Ask(index.url)), None, None).change is Change.MOVED


def test_a_redirect_target_in_raw_utf_8_is_read_as_such() -> None:
    raw = "/등대".encode().decode("latin-1")
    reply = answer(b"", evidence=Evidence.REDIRECT, status=301, headers=(("location", raw),))
    assert compare(LIVE, reply, None, None).target == "http://site.example/%EB%93%B1%EB%8C%80"


@given(documents)
def test_a_document_compared_with_itself_is_the_same(document: Document) -> None:
    page = kept(document)
    assert compare(page, answer(b"first"), document, document).change is Change.SAME
    if document.title or document.text.strip():
        verdict = compare(page, answer(b"other bytes"), document, document)
        assert verdict.change in (Change.SAME, Change.UNKNOWN)  # unknown: an error page, or no text
        assert verdict.changed_bytes == 0


@given(documents, documents)
def test_the_verdict_is_changed_exactly_when_the_content_is(one: Document, other: Document) -> None:
    verdict = compare(kept(one), answer(b"other bytes"), other, one)
    if verdict.change is Change.SAME:
        said = [[*document.title.split(), *document.text.split()] for document in (one, other)]
        assert said[0] == said[1]  # where the words stand does not matter
    if verdict.change is Change.CHANGED:
        assert verdict.changed_bytes > 0
        assert 0.0 < verdict.share <= 1.0


@given(documents, documents)
def test_masked_parts_never_decide(one: Document, other: Document) -> None:
    old, new = (content(replace(document, title="The keeper")) for document in (one, other))
    template = fold(TemplateNoise(), [Lesson(part.key, True) for part in differing(old, new)] * 2)
    before, after_it = document_of(list(old[1:])), document_of(list(new[1:]))
    verdict = compare(kept(before), answer(b"other bytes"), after_it, before, template)
    assert verdict.change is not Change.CHANGED or _left(old, template) != _left(new, template)


def _left(blocks: tuple[Block, ...], template: TemplateNoise) -> list[str]:
    return [block.text for block in masked(blocks, template.noise)]


def test_different_bytes_around_the_same_text_are_only_noise() -> None:
    verdict = compare(LIVE, answer(b"another token"), document_of(prose()), None)
    assert (verdict.change, verdict.only_noise) == (Change.SAME, True)
    assert verdict.body_digest == body_digest(b"another token")


def test_the_previous_version_is_asked_for_only_when_the_text_differs() -> None:
    changed = document_of([*prose(), Block(HEADING, "News")])
    assert isinstance(quick(LIVE, answer(b"x"), document_of(prose())), Verdict)
    assert isinstance(quick(LIVE, answer(b"x"), changed), NeedsPrevious)
    assert thorough(LIVE, answer(b"x"), changed, document_of(prose())).change is Change.CHANGED


def test_a_change_is_measured_in_bytes_and_share() -> None:
    old, new = prose(), [*prose()[:2], Block(PARAGRAPH, prose()[2].text.replace("dawn", "sunrise"))]
    verdict = compare(LIVE, answer(b"x"), document_of(new), document_of(old))
    assert verdict.changed_bytes == len("dawn.") + len("sunrise.")
    assert verdict.share < 0.1


def test_a_page_of_which_no_copy_may_be_kept_is_compared_by_its_sketch() -> None:
    def page(text: str) -> Document:
        return replace(document_of([Block(1, words(5)), Block(2, text)]), directives=frozenset({"noarchive"}))

    known = kept(page(words(6)))
    retouched = compare(known, answer(b"x"), page(words(6) + " and so on"), None)
    rewritten = compare(known, answer(b"x"), document_of([Block(1, words(7)), Block(2, words(8))]), None)
    assert retouched.change is rewritten.change is Change.CHANGED
    assert 0.0 < retouched.share < rewritten.share <= 1.0
    assert 1 <= retouched.changed_bytes < rewritten.changed_bytes


def test_of_a_page_of_which_a_copy_is_kept_no_sketch_is_made() -> None:
    assert LIVE.simhash == 0
    lost = compare(LIVE, answer(b"x"), document_of([Block(1, words(5))]), None)
    assert (lost.change, lost.share, lost.simhash) == (Change.CHANGED, 1.0, 0)


def test_a_title_or_a_link_target_that_changed_is_a_change() -> None:
    def page(title: str, url: str) -> Document:
        return replace(document_of([Block(1, "Download it")], title), links=(Link(url, text="Download"),))

    old = page("Keeper", "http://site.example/v1.zip")
    for new in (page("Keepers", "http://site.example/v1.zip"), page("Keeper", "http://site.example/v2.zip")):
        verdict = compare(kept(old), answer(b"x"), new, old)
        assert verdict.change is Change.CHANGED
        assert verdict.changed_bytes > 0


def test_other_media_are_compared_by_their_bytes_alone() -> None:
    first = compare(FRESH, answer(b"\x89PNG1"), Document(Media.OTHER), None)
    assert first.change is Change.NEW
    page = after(first)
    assert compare(page, answer(b"\x89PNG1"), None, None).change is Change.SAME
    assert compare(page, answer(b"\x89PNG2"), None, None).change is Change.CHANGED


def empty_answer() -> tuple[Reply, Document | None]:
    return answer(b" \n"), None


def text_lost() -> tuple[Reply, Document | None]:
    return answer(b"<p></p>"), document_of([], title="")


def text_broken() -> tuple[Reply, Document | None]:
    return answer(b"x"), document_of([Block(1, "\ufffd\ufffdkeeper\ufffd")])


@pytest.mark.parametrize("odd", [empty_answer, text_lost, text_broken])
def test_an_odd_answer_replaces_a_good_copy_only_the_third_time_in_a_row(odd: object) -> None:
    assert callable(odd)
    page, changes = LIVE, []
    reply, document = odd()
    for _ in range(3):
        verdict = compare(page, reply, document, document_of(prose()))
        changes.append(verdict.change)
        page = after(verdict, page)
    assert changes == [Change.UNKNOWN, Change.UNKNOWN, Change.CHANGED]
    assert read_page(page.noise).odd == 0


def test_a_good_answer_ends_the_row_of_odd_ones() -> None:
    page = after(compare(LIVE, answer(b""), None, None), LIVE)
    page = after(compare(page, answer(b"first"), document_of(prose()), None), page)
    assert compare(page, answer(b""), None, None).change is Change.UNKNOWN
    assert read_page(page.noise).odd == 0


def test_a_part_of_a_document_proves_nothing() -> None:
    assert compare(LIVE, answer(b"part", status=206), document_of(prose()), None).change is Change.UNKNOWN


def test_a_soft_404_keeps_the_good_copy() -> None:
    lost = document_of([Block(1, "Page not found")], title="Not Found | The Keeper")
    verdict = compare(LIVE, answer(b"x"), lost, document_of(prose()))
    assert (verdict.change, verdict.soft_404) == (Change.UNKNOWN, True)
    assert verdict.body_digest == LIVE.body_digest


OLD = document_of([*prose(), Block(HEADING, "Edition of spring")])
NEW = document_of([*prose(), Block(HEADING, "Edition of autumn")])


def first_look() -> tuple[Page, Reply, Verdict]:
    page, reply = kept(OLD), answer(b"second")
    verdict = compare(page, reply, NEW, OLD)
    assert verdict.second_look
    return page, reply, verdict


def test_a_304_at_the_second_look_proves_the_change_real() -> None:
    page, reply, verdict = first_look()
    second = answer(b"", evidence=Evidence.NOT_MODIFIED, status=304, ask=CONDITIONAL)
    judged = judge_second_look(page, reply, NEW, OLD, verdict, second, None)
    assert (judged.change, judged.second_look) == (Change.CHANGED, False)
    assert judged.lessons and not any(lesson.noise for lesson in judged.lessons)


def test_a_second_look_that_fails_teaches_nothing_and_the_first_verdict_stands() -> None:
    page, reply, verdict = first_look()
    for evidence in (Evidence.FAILED, Evidence.BUSY, Evidence.MISSING, Evidence.REDIRECT):
        judged = judge_second_look(page, reply, NEW, OLD, verdict, answer(b"", evidence=evidence), None)
        assert judged == replace(verdict, second_look=False)


def test_an_equal_answer_out_of_a_cache_does_not_prove_a_change_real() -> None:
    page, reply, verdict = first_look()
    cached = answer(b"second", headers=(("age", "12"),))
    assert judge_second_look(page, reply, NEW, OLD, verdict, cached, NEW).lessons == ()
    assert judge_second_look(page, reply, NEW, OLD, verdict, answer(b"second"), NEW).lessons != ()


def test_after_three_proofs_a_place_of_the_template_needs_no_second_look() -> None:
    page, reply, verdict = first_look()
    judged = judge_second_look(page, reply, NEW, OLD, verdict, answer(b"second"), NEW)
    template = TemplateNoise()
    for proofs in range(4):
        assert compare(page, reply, NEW, OLD, template).second_look == (proofs < 3)
        template = fold(template, judged.lessons)


def test_a_clock_that_only_turned_over_is_noise_for_the_whole_template_after_one_second_look() -> None:
    def page_at(at: float, text: str) -> Document:
        return document_of([Block(1, text), Block(2, f"Now {clock(at)}")])

    old, new, again = (page_at(NOON + late, "Ships") for late in (0, 777, 779))
    page = kept(old)
    verdict = compare(page, answer(b"b", NOON + 777), new, old)
    judged = judge_second_look(page, answer(b"b"), new, old, verdict, answer(b"c"), again)
    assert (judged.change, judged.only_noise) == (Change.SAME, True)
    template = fold(TemplateNoise(), judged.lessons)
    sister, later = page_at(NOON, "Sails"), page_at(NOON + 5000, "Sails")
    assert compare(kept(sister), answer(b"z"), later, sister, template).change is Change.SAME


def test_validators_that_outlive_the_content_are_distrusted_for_a_while() -> None:
    page = replace(LIVE, etag='"a"')
    news = document_of([*prose(), Block(HEADING, "News")])
    lied = compare(page, answer(b"x", headers=(("etag", '"a"'),)), news, document_of(prose()))
    honest = compare(page, answer(b"x", headers=(("etag", '"b"'),)), news, document_of(prose()))
    assert read_page(lied.noise).distrust > 0
    assert read_page(honest.noise).distrust == 0


def test_distrust_wears_off_with_every_good_answer() -> None:
    page = replace(LIVE, noise=write_page(PageNoise(distrust=2)))
    verdict = compare(page, answer(b"first"), document_of(prose()), None)
    assert read_page(verdict.noise).distrust == 1
