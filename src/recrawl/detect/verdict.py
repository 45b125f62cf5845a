"""The one decision: what did this visit prove?

    at_once             the reply alone                    failed, 304, missing, moved, equal bytes
    first_sight         a document plainly of its own      new, its text unread (`recalled` makes up for it)
    quick               and its document                   new, soft 404, equal text once noise is masked
    thorough            and the version kept before        changed, how much; or only noise after all
    judge_second_look   and a second answer seconds later  noise or real, for good

Each step gives a verdict or leaves it to the next, so the archive is read only when the text differs.
"""

from collections.abc import Sequence
from hashlib import sha256
from operator import is_

from recrawl.detect.answers import at_once, equal_bytes, has_copy, kept, odd, settled
from recrawl.detect.content import ASIDE, LINKS, TITLE, but_for_links, content, has_text, leads_alike
from recrawl.detect.difference import NO_EXTENT, Extent, extent, extent_beside
from recrawl.detect.differing import differing, differing_in
from recrawl.detect.digest import body_digest, digest_of, fold
from recrawl.detect.honesty import DISTRUST_VISITS, last_modified_ago_s, validators_lied
from recrawl.detect.lately import lately
from recrawl.detect.learning import (
    Learnt,
    after_difference,
    after_look,
    after_second_look,
    is_small,
    wants_second_look,
    weighed,
)
from recrawl.detect.noise import Knowledge, Nature, PageNoise, TemplateNoise, read_page, write_page
from recrawl.detect.parts import Found, masked, values
from recrawl.detect.simhash import share_between, simhash
from recrawl.detect.soft404 import MOST_LETTERS, ErrorPage, is_soft_404, most_letters
from recrawl.model.directives import from_headers, may_keep
from recrawl.model.document import Block, Document, Media, Sides
from recrawl.model.ends import ends
from recrawl.model.page import Page
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.model.verdict import Change, Lesson, Verdict
from recrawl.model.visit import Evidence, Reply

__all__ = [
    "NeedsPrevious",
    "at_once",
    "changed_beside",
    "compare",
    "first_sight",
    "is_unread",
    "judge_second_look",
    "once_read",
    "plainly_differs",
    "quick",
    "recalled",
    "thorough",
]

SECOND_LOOK_HEADERS = (("cache-control", "no-cache"),)  # a copy from a cache would prove nothing
FIRST_SEEN = "first seen"
UNDECODABLE_SHARE = 0.05  # of replacement characters in a text

Shown = tuple[Sequence[Block], Sequence[Block]]


@dataclass(frozen=True, slots=True)
class NeedsPrevious:
    """The text differs: only the version kept before can tell how."""

    text_digest: bytes


def compare(
    page: Page,
    reply: Reply,
    document: Document | None,
    previous: Document | None,
    template: TemplateNoise | None = None,
    error_page: ErrorPage | None = None,
) -> Verdict:
    """`quick`, then `thorough`, for callers who have the previous version at hand."""
    verdict = quick(page, reply, document, template, error_page)
    if isinstance(verdict, Verdict):
        return verdict
    return thorough(page, reply, document, previous, template) if document else _by_bytes(page, reply)


def quick(
    page: Page,
    reply: Reply,
    document: Document | None,
    template: TemplateNoise | None = None,
    error_page: ErrorPage | None = None,
) -> Verdict | NeedsPrevious:
    """`document` None: not a kind that can be read, its bytes decide."""
    return at_once(page, reply) or once_read(page, reply, document, template, error_page)


def once_read(
    page: Page,
    reply: Reply,
    document: Document | None,
    template: TemplateNoise | None = None,
    error_page: ErrorPage | None = None,
) -> Verdict | NeedsPrevious:
    """`quick` where `at_once` left the verdict to what comes after it."""
    verdict = _by_reading(page, document, error_page)
    if verdict is not None:
        return verdict
    if document is None or not has_text(document):
        return _by_bytes(page, reply)
    knowledge = Knowledge(read_page(page.noise), template or TemplateNoise())
    blocks = _shown(document, knowledge)
    if not has_copy(page):
        return _new(page, reply, document, blocks)
    digest = _digest(blocks)
    if digest == page.text_digest:
        return _only_noise(page, reply, document, knowledge, blocks)
    return NeedsPrevious(digest)


def first_sight(page: Page, reply: Reply) -> Verdict:
    """New, of a page without a copy whose text is plainly its own: what is remembered of the text can wait
    (`recalled`)."""
    noise = write_page(settled(read_page(page.noise))) if page.noise else b""
    digest, ago_s = sha256(reply.body).digest(), last_modified_ago_s(reply, page)
    return Verdict(Change.NEW, body_digest=digest, noise=noise, reason=FIRST_SEEN, changed_ago_s=ago_s)


def is_unread(page: Page) -> bool:
    """A copy is kept whose text nobody has read."""
    return has_copy(page) and not page.text_digest


def recalled(page: Page, previous: Document | None, template: TemplateNoise | None = None) -> Page:
    """An unread page with what there is to remember of the text it had, from the version kept; itself if that cannot be
    read."""
    if previous is None or not has_text(previous):
        return page
    knowledge = Knowledge(read_page(page.noise), template or TemplateNoise())
    return replace(page, text_digest=_digest(_shown(previous, knowledge)))


def plainly_differs(
    page: Page,
    document: Document,
    previous: Document | None,
    template: TemplateNoise | None = None,
    error_page: ErrorPage | None = None,
) -> bool:
    """Of an unread page: it would be `recalled` for nothing, since `quick` could but leave it to `thorough`. Neither of
    the two texts needs a digest to be told from the other."""
    if not document.main or not has_text(previous) or _by_reading(page, document, error_page) is not None:
        return False
    knowledge = Knowledge(read_page(page.noise), template or TemplateNoise())
    return previous is not None and not _equal(_sides(previous, document, knowledge))


def thorough(
    page: Page,
    reply: Reply,
    document: Document,
    previous: Document | None,
    template: TemplateNoise | None = None,
    *,
    leave_unread: bool = False,
) -> Verdict:
    """Compare with the version kept. `previous` None: it cannot be read any more. `leave_unread`: of a page that was
    unread and changed, the new version may be kept so as well: its text is `recalled` when somebody asks for it."""
    knowledge = Knowledge(read_page(page.noise), template or TemplateNoise())
    if previous is None or not has_text(previous):
        return _estimated(page, reply, document, _shown(document, knowledge), Learnt(knowledge.page))
    sides = _sides(previous, document, knowledge)
    if _equal(sides):
        return _only_noise(page, reply, document, knowledge, _shown(document, knowledge))
    compared = (content(previous), content(document)) if knowledge.mask else sides
    found = _not_noise(knowledge, differing(*compared))
    learnt = after_difference(knowledge, found, reply.at)
    wiser = Knowledge(learnt.noise, knowledge.template)
    if wiser.mask != knowledge.mask:
        sides = _shown(previous, wiser), _shown(document, wiser)
        if _equal(sides):
            return _only_noise(page, reply, document, wiser, sides[1], learnt.lessons)
    difference = _difference(*sides)
    left = _not_noise(wiser, found)
    asks = wants_second_look(knowledge, learnt.noise, left, difference.share, difference.changed_bytes)
    blocks = sides[1] if leave_unread else _shown(document, wiser)
    return _changed(page, reply, document, blocks, difference, learnt, second_look=asks, leave_unread=leave_unread)


def changed_beside(page: Page, reply: Reply, sides: Sides, template: TemplateNoise) -> Verdict | None:
    """`thorough` of an unread page of which a copy may be kept, the new version left unread as well, by what differs
    alone. None: there is more to it than that."""
    document = sides.document
    if sides.gone == sides.come or "noindex" in document.directives:
        return None
    if sides.letters <= MOST_LETTERS and sides.letters <= most_letters(document.title):
        return None
    if Knowledge(read_page(page.noise), template).mask if page.noise else template.noise:
        return None
    learnt = weighed(page.noise, template, differing_in(sides.rows), reply.at)
    if learnt.is_masked:
        return None
    difference = extent_beside(sides)
    return Verdict(
        Change.CHANGED,
        share=difference.share,
        changed_bytes=difference.changed_bytes,
        body_digest=body_digest(reply.body),
        text_bytes=sides.text_bytes + _bytes(fold(document.title)),
        noise=write_page(_remembered(page, reply, learnt.noise, changed=True)),
        reason=_says(difference),
        second_look=learnt.is_doubtful and is_small(difference.share, difference.changed_bytes),
        changed_ago_s=last_modified_ago_s(reply, page),
    )


def judge_second_look(
    page: Page,
    reply: Reply,
    document: Document,
    previous: Document | None,
    verdict: Verdict,
    second: Reply,
    second_document: Document | None,
    template: TemplateNoise | None = None,
) -> Verdict:
    """The final verdict on the first of two answers seconds apart. `page` is as it was before the visit, `verdict`
    what `thorough` said. The second answer should be asked for with the first one's validators and
    `SECOND_LOOK_HEADERS`. If it fails, nothing is learnt and the first verdict stands."""
    plain = replace(verdict, second_look=False)
    moving = _moving(reply, document, second, second_document)
    if moving is None or previous is None:
        return plain
    noise = replace(read_page(verdict.noise), distrust=read_page(page.noise).distrust)  # one visit, counted once
    known = Knowledge(noise, template or TemplateNoise())
    new = content(document)
    suspects = _not_noise(known, differing(content(previous), new))
    standing = values(new, {part.key for part in moving})
    learnt = after_second_look(known.page, suspects, moving, standing, conclusive=not _from_cache(second))
    lessons = (*verdict.lessons, *learnt.lessons)
    wiser = Knowledge(learnt.noise, known.template)
    before, blocks = _shown(previous, wiser), _shown(document, wiser)
    if _equal((before, blocks)):
        return _only_noise(page, reply, document, wiser, blocks, lessons)
    return _changed(page, reply, document, blocks, _difference(before, blocks), Learnt(learnt.noise, lessons))


def _by_reading(page: Page, document: Document | None, error_page: ErrorPage | None) -> Verdict | None:
    """Answers that came whole but are not the page."""
    if document is None or document.media is Media.OTHER:
        return None
    if is_soft_404(document, page.url, error_page):
        reason = "a page that says not found under status 200"
        return replace(kept(page, Change.UNKNOWN, reason), soft_404=True)
    if _is_garbled(document):
        return odd(page, "text that cannot be decoded")
    empty = not document.main and bool(page.text_digest or page.simhash)  # there was text before
    return odd(page, "a document without text") if empty else None


def _is_garbled(document: Document) -> bool:
    garbled = [block for block in document.main if "\ufffd" in block.text]
    text = document.text if garbled else ""
    return text.count("\ufffd") > UNDECODABLE_SHARE * len(text)


def _by_bytes(page: Page, reply: Reply) -> Verdict:
    if (same := equal_bytes(page, reply)) is not None:
        return same
    new = not has_copy(page)
    noise = _remembered(page, reply, read_page(page.noise), changed=not new)
    return Verdict(
        Change.NEW if new else Change.CHANGED,
        share=0.0 if new else 1.0,
        changed_bytes=0 if new else len(reply.body),
        body_digest=body_digest(reply.body),
        noise=write_page(noise),
        reason=FIRST_SEEN if new else "the bytes differ, and there is no text to compare",
        changed_ago_s=last_modified_ago_s(reply, page),
    )


def _new(page: Page, reply: Reply, document: Document, blocks: Sequence[Block]) -> Verdict:
    reason = "here again" if page.body_digest else FIRST_SEEN
    return _measured(page, reply, document, Change.NEW, blocks, Learnt(read_page(page.noise)), reason)


def _only_noise(
    page: Page,
    reply: Reply,
    document: Document,
    knowledge: Knowledge,
    blocks: Sequence[Block],
    lessons: tuple[Lesson, ...] = (),
) -> Verdict:
    whole = content(document)
    learnt = after_look(settled(knowledge.page), values(whole, knowledge.page.keys(Nature.NOISE)))
    after = Knowledge(learnt.noise, knowledge.template)
    if _all_noise(whole, blocks):
        reason = "all noise: everything on the page changes at every look, so a visit proves nothing"
        return replace(kept(page, Change.UNKNOWN, reason, learnt.noise), only_noise=True, lessons=lessons)
    return Verdict(
        Change.SAME,
        body_digest=body_digest(reply.body),
        text_digest=_digest(_shown(document, after)),
        simhash=page.simhash or _simhash(reply, document, blocks),
        text_bytes=_text_bytes(blocks),
        noise=write_page(learnt.noise),
        reason="only noise differs",
        only_noise=True,
        lessons=(*lessons, *learnt.lessons),
    )


def _estimated(page: Page, reply: Reply, document: Document, blocks: Sequence[Block], learnt: Learnt) -> Verdict:
    """Changed, from a version that cannot be read any more."""
    share = share_between(page.simhash, _sketch(blocks)) if page.simhash else 1.0
    difference = Extent(max(1, round(share * _text_bytes(blocks))), share)
    verdict = _changed(page, reply, document, blocks, difference, learnt)
    return replace(verdict, reason="the text differs; how much is estimated")


def _changed(
    page: Page,
    reply: Reply,
    document: Document,
    blocks: Sequence[Block],
    difference: Extent,
    learnt: Learnt,
    *,
    second_look: bool = False,
    leave_unread: bool = False,
) -> Verdict:
    return _measured(
        page, reply, document, Change.CHANGED, blocks, learnt, _says(difference), difference, second_look, leave_unread
    )


def _says(difference: Extent) -> str:
    return f"{difference.share:.1%} of the text differs, {difference.changed_bytes} bytes"


def _measured(
    page: Page,
    reply: Reply,
    document: Document,
    change: Change,
    blocks: Sequence[Block],
    learnt: Learnt,
    reason: str,
    difference: Extent = NO_EXTENT,
    second_look: bool = False,
    leave_unread: bool = False,
) -> Verdict:
    return Verdict(
        change,
        share=difference.share,
        changed_bytes=difference.changed_bytes,
        body_digest=body_digest(reply.body),
        text_digest=b"" if leave_unread else _digest(blocks),
        simhash=_simhash(reply, document, blocks),
        text_bytes=_text_bytes(blocks),
        noise=write_page(_remembered(page, reply, learnt.noise, changed=change is Change.CHANGED)),
        reason=reason,
        second_look=second_look,
        lessons=learnt.lessons,
        changed_ago_s=last_modified_ago_s(reply, page),
    )


def _remembered(page: Page, reply: Reply, noise: PageNoise, changed: bool) -> PageNoise:
    lied = changed and validators_lied(page, reply)
    return replace(settled(noise), distrust=DISTRUST_VISITS) if lied else settled(noise)


def _difference(old: Sequence[Block], new: Sequence[Block]) -> Extent:
    """Of the text; of the links only where no word differs."""
    text = extent(_without_links(old), _without_links(new))
    return text if text.changed_bytes else extent(old, new)


def _equal(sides: Shown) -> bool:
    """Most blocks are the same objects: only those between need a look."""
    old, new = sides
    head, tail = ends(old, new, is_)
    return len(old) == len(new) and _texts(old[head : len(old) - tail]) == _texts(new[head : len(new) - tail])


def _sides(old: Document, new: Document, knowledge: Knowledge) -> Shown:
    """What both show; without their links where these make no difference and none of it may be noise."""
    if not knowledge.mask and leads_alike(old, new):
        return but_for_links(old), but_for_links(new)
    return _shown(old, knowledge), _shown(new, knowledge)


def _shown(document: Document, knowledge: Knowledge) -> tuple[Block, ...]:
    """Its content without what is noise."""
    return masked(content(document), knowledge.mask) if knowledge.mask else content(document)


def _not_noise(knowledge: Knowledge, found: Sequence[Found]) -> tuple[Found, ...]:
    mask = knowledge.mask
    return tuple(part for part in found if part.key not in mask and part.place not in mask)


def _moving(
    reply: Reply, document: Document, second: Reply, second_document: Document | None
) -> Sequence[Found] | None:
    """What differs between the two looks; None if the second one says nothing."""
    if second.evidence is Evidence.NOT_MODIFIED and second.ask.conditional:
        return ()
    if second.evidence is not Evidence.DOCUMENT:
        return None
    if second.body == reply.body:
        return ()
    if second_document is None or not has_text(second_document) or is_soft_404(second_document, second.ask.url):
        return None
    return differing(content(document), content(second_document))


def _from_cache(reply: Reply) -> bool:
    return reply.header("age").strip() not in ("", "0")


def _all_noise(whole: Sequence[Block], blocks: Sequence[Block]) -> bool:
    had_main = any(block.place not in (TITLE, *ASIDE) for block in whole)
    return had_main and all(block.place in (TITLE, *ASIDE) for block in blocks)


def _without_links(blocks: Sequence[Block]) -> Sequence[Block]:
    """They stand behind all text."""
    if not any(block.place == LINKS for block in blocks[-len(ASIDE) :]):
        return blocks
    return [block for block in blocks if block.place != LINKS]


def _text_bytes(blocks: Sequence[Block]) -> int:
    return _bytes("".join([block.text for block in blocks if block.place not in ASIDE]))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _simhash(reply: Reply, document: Document, blocks: Sequence[Block]) -> int:
    """What the next version is compared with if no copy of this one may be kept; else 0."""
    directives = document.directives | from_headers(reply.all_headers("x-robots-tag"))
    return 0 if may_keep(directives, reply.at) else _sketch(blocks)


def _sketch(blocks: Sequence[Block]) -> int:
    return simhash("\n".join(block.text for block in blocks if block.place not in ASIDE))


def _texts(blocks: Sequence[Block]) -> list[str]:
    return [block.text for block in blocks]


@lately
def _digest(blocks: Sequence[Block]) -> bytes:
    return digest_of(_texts(blocks))
