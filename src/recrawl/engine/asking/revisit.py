"""The revisit: one page, from due to judged.

fetch → detect → extract → verdict; then, in the group commit: observe, pace, archive, save, and it is due again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from recrawl.detect.answers import CONFIRMED
from recrawl.detect.digest import body_digest
from recrawl.detect.digest import fold as folded
from recrawl.detect.honesty import ask_conditionally, is_read_anew
from recrawl.detect.noise import TemplateNoise, fold, memo_key, read_template, write_template
from recrawl.detect.soft404 import MOST_LETTERS, most_letters
from recrawl.detect.verdict import (
    SECOND_LOOK_HEADERS,
    at_once,
    changed_beside,
    first_sight,
    is_unread,
    judge_second_look,
    once_read,
    plainly_differs,
    recalled,
    thorough,
)
from recrawl.engine.asking.looking_back import Kept, LookingBack
from recrawl.engine.asking.loop import each_tried
from recrawl.engine.asking.missing import Missing
from recrawl.engine.asking.shelf import LARGE_BYTES, Begun, Unread
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.hearing.signals import ALTERNATE, Signals
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.recording import FOLDER
from recrawl.engine.wiring import Parts
from recrawl.extract.beside import side_by_side
from recrawl.extract.document import Parsed, compared, glance, kept, parse
from recrawl.extract.selected import selected_text
from recrawl.fetch.journal import Journal
from recrawl.model.directives import from_headers, may_keep
from recrawl.model.document import Document, Media, Sides
from recrawl.model.notice import Source
from recrawl.model.page import Page, Rank, Status
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply, Version, Why
from recrawl.native import compiled

MOST = 16  # documents that are looked at together
MOST_TEMPLATES = 10_000
DOCUMENT, MOVED, ASKED, DUE = Evidence.DOCUMENT, Change.MOVED, Why.ASKED, Why.DUE  # of every visit

NOTICED, HTML = Rank.NOTICED, "text/html"
SAID_NOTHING = frozenset[str]()

if compiled is not None:
    compiled.proving(
        (Page, Reply, Ask),
        (Arrival, Verdict),
        (Evidence.NOT_MODIFIED, Change.SAME, Status.GONE, CONFIRMED, SAID_NOTHING),
    )

AskServer = Callable[[Ask, Site], Awaitable[Reply]]
MayAsk = Callable[[Page], Awaitable[bool]]
Show = Callable[[Page, Reply, Quarry], Awaitable[Reply]]


class Visitor:
    """Makes visits. `ask` is the lane's way to the server, `may_ask_again` waits for its gap and says whether a
    second request is welcome. `show` lets a browser run a page's scripts, where its site wants that."""

    def __init__(self, parts: Parts, ask: AskServer, may_ask_again: MayAsk, show: Show | None = None) -> None:
        self._parts, self._ask, self._may_ask_again, self._show = parts, ask, may_ask_again, show
        self.missing, self._looking_back = Missing(parts, self._kept), LookingBack(parts)
        self._templates: dict[tuple[str, int], TemplateNoise] = {}  # by server and template
        self._learnt: dict[str, bytes] = {}

    async def look_first(self, unread: Sequence[Unread], asked: bool) -> None:
        """At what came for pages that are known, several at a time and step by step: the same code over sixteen pages
        costs less than all of it over one page after another, and the versions kept of all are looked up at once. Most
        are judged with that; the others by `visit`. No server is asked. `asked`: somebody wanted all to be visited."""
        for start in range(0, len(unread), MOST):
            if start:
                await _in_step()
            await self._look_at_some(unread[start : start + MOST], asked)

    async def _look_at_some(self, some: Sequence[Unread], asked: bool) -> None:
        digests: dict[int, bytes] = {}
        for one, found in zip(some, each_tried(lambda one: self._by_its_bytes(one, asked), some), strict=True):
            if isinstance(found, bytes):
                digests[one.page.id] = found
                one.look(None)
            else:
                one.look(found)
        changed = [one for one in some if one.page.id in digests]
        if not changed:
            return
        kept: dict[int, Kept] = await self._parts.look_up(self._looking_back.read, [one.page for one in changed])

        def compared(one: Unread) -> Arrival | Begun:
            body_digest.keep(one.reply.body, digests[one.page.id])  # it would be forgotten over those of others
            return self._beside_kept(one, kept[one.page.id], asked)

        for one, seen in zip(changed, each_tried(compared, changed), strict=True):
            one.look(seen)

    def _by_its_bytes(self, one: Unread, asked: bool) -> bytes | Arrival | None:
        """Their digest, where its text is to be compared with one that nobody has read; or what they prove. None: it is
        left to `visit`."""
        page, reply = one.page, one.reply
        if not is_unread(page) or one.quarry.rendered or is_read_anew(page) or page.size_bytes > LARGE_BYTES:
            return None
        if not reply.header("content-type").startswith(HTML):
            return None
        verdict = at_once(page, reply)
        if verdict is None:
            return body_digest(reply.body)
        return Arrival(page, why_of(page, asked), reply, verdict, directives=_said_in(reply))

    def _beside_kept(self, one: Unread, kept: Kept, asked: bool) -> Arrival | Begun:
        if kept.error is not None:
            raise kept.error
        page, reply, quarry, version = one.page, one.reply, one.quarry, kept.version
        parsed = self._parsed(reply, page, quarry)
        old = self._parsed_again(page, quarry.site, kept, parsed)
        sides = self._sides(page, reply, quarry, parsed, old, version)
        plainly = self._beside(page, why_of(page, asked), reply, quarry, sides, version)
        return plainly or Begun(parsed, True, version, old, sides)

    async def visit(
        self, page: Page, why: Why, quarry: Quarry, came: Reply | None = None, begun: Begun | None = None
    ) -> Arrival:
        """Ask, compare, read: what did this visit prove? `came`: the answer, where it was asked for already; `begun`:
        with it, where a look at it was not enough."""
        if came is not None and begun is not None:
            return await self._compared(page, why, quarry, came, begun)
        reply, is_left = (came, False) if came is not None else await self._answer(page, quarry)
        if quarry.rendered and self._show is not None:
            reply = await self._show(page, reply, quarry)
        if reply.evidence is not DOCUMENT:
            return self.proved(page, why, reply)
        if not page.body_digest:
            await _in_step()
        verdict = at_once(page, reply)
        if verdict is not None:
            document = self._read_anew(page, reply, quarry) if is_read_anew(page) else None
            directives = _said_in(reply) | (document.directives if document else SAID_NOTHING)
            return Arrival(page, why, reply, verdict, document, directives=directives)
        parsed = self._parsed(reply, page, quarry)
        if parsed.sight is not None:  # a tree is too large to wait
            await _in_step()
            self._parts.begin_reading(page.id)
        if not page.body_digest and (seen := self._at_first_sight(page, why, reply, quarry, parsed)) is not None:
            return seen
        return await self._compared(page, why, quarry, reply, Begun(parsed), is_left)

    def opened(self, page: Page, reply: Reply, quarry: Quarry) -> Parsed | None:
        """The document that came for a page that there is no copy of; None: it must be visited."""
        if quarry.rendered or at_once(page, reply) is not None:
            return None
        return self._parsed(reply, page, quarry)

    def looked_at(self, page: Page, why: Why, reply: Reply, quarry: Quarry, parsed: Parsed) -> Arrival | None:
        """What a look at it shows; None: it must be compared (see `visit`)."""
        self._parts.begin_reading(page.id)
        return self._at_first_sight(page, why, reply, quarry, parsed)

    async def _compared(
        self,
        page: Page,
        why: Why,
        quarry: Quarry,
        reply: Reply,
        begun: Begun,
        is_left: bool = False,
    ) -> Arrival:
        """With the version kept, as far as there is one. `is_left`: by a killed run."""
        self._parts.begin_reading(page.id)  # others may have been read meanwhile
        due, previous, (parsed, is_beside, version, old, sides) = page, None, begun
        if unread := is_unread(page) and parsed.media is not Media.OTHER:
            if not is_beside:
                version, old = await self._previous(page, quarry.site, parsed)
                sides = self._sides(page, reply, quarry, parsed, old, version)
            if (plainly := self._beside(page, why, reply, quarry, sides, version)) is not None:
                return plainly
        document = compared(parsed)
        page = self._categorised(page, reply, quarry)
        directives = _said_in(reply) | document.directives
        template = self.template(page.server, document.template)
        error_page, differs = self.missing.known(page.server), False
        if unread:
            previous = kept(old) if old is not None else None
            differs = plainly_differs(page, document, previous, template, error_page)
            page = page if differs else recalled(page, previous, template)
        found = None if differs else once_read(page, reply, document, template, error_page)
        if isinstance(found, Verdict):
            self._learn(page.server, document, found)
            return Arrival(page, why, reply, found, _to_follow(document, quarry), directives=directives)
        if not unread:
            version, old = await self._previous(page, quarry.site, parsed)
            previous = kept(old) if old is not None else None
        leave_unread = differs and may_keep(directives, reply.at)
        verdict = thorough(page, reply, document, previous, template, leave_unread=leave_unread)
        if differs and verdict.change is not Change.CHANGED:  # the text it had is still to be remembered
            page = recalled(page, previous, template)
            verdict = thorough(page, reply, document, previous, template)
        looks = 1
        wanted = verdict.second_look and self._parts.second_looks and not self._vouched_for(page)
        if wanted and is_left:
            return await self.visit(due, why, quarry)  # its answer is used up: now the server is asked
        if wanted and await self._may_ask_again(page):
            second, second_document = await self._second_answer(page, reply, quarry, parsed)
            page = recalled(page, previous, template) if differs else page
            verdict = judge_second_look(page, reply, document, previous, verdict, second, second_document, template)
            looks = 2
        self._learn(page.server, document, verdict)
        return Arrival(page, why, reply, verdict, _to_follow(document, quarry), version, directives, looks=looks)

    def _sides(
        self, page: Page, reply: Reply, quarry: Quarry, parsed: Parsed, old: Parsed | None, version: Version | None
    ) -> Sides | None:
        """Most pages that change do so in a part of their main text and in nothing else: these are judged by that part.
        None: this one is not."""
        if old is None or self.missing.known(page.server) is not None or quarry.script.selector(page.url):
            return None
        met = quarry.met if version is None or quarry.follows_anew(page, version.at) else None
        sides = side_by_side(parsed, old, met, folded)
        return sides if sides is not None and may_keep(sides.document.directives, reply.at) else None

    def _beside(
        self, page: Page, why: Why, reply: Reply, quarry: Quarry, sides: Sides | None, version: Version | None
    ) -> Arrival | None:
        """None: there is more to it, or too little is known yet of pages like it."""
        if sides is None or self.missing.known(page.server) is not None:
            return None
        document = sides.document
        verdict = changed_beside(page, reply, sides, self.template(page.server, document.template))
        if verdict is None or (verdict.second_look and self._parts.second_looks):
            return None
        return Arrival(page, why, reply, verdict, _to_follow(document, quarry), version, document.directives)

    async def _second_answer(
        self, page: Page, reply: Reply, quarry: Quarry, parsed: Parsed
    ) -> tuple[Reply, Document | None]:
        second = await self._ask(_again(reply), quarry.site)
        if quarry.rendered and self._show is not None:
            second = await self._show(page, second, quarry)
        again = self._parsed(second, page, quarry, parsed) if second.evidence is Evidence.DOCUMENT else None
        return second, kept(again) if again else None

    def proved(self, page: Page, why: Why, reply: Reply) -> Arrival:
        """By an answer that brings no document."""
        confirmed: Arrival | None = compiled.confirmed(page, why, reply) if compiled is not None else None
        return confirmed or self._judged(page, why, reply)

    def _judged(self, page: Page, why: Why, reply: Reply) -> Arrival:
        verdict = at_once(page, reply)
        if verdict is None:
            raise RuntimeError("a document is to be read")
        return Arrival(page, why, reply, self._within_redirects(page, verdict), directives=_said_in(reply))

    def _read_anew(self, page: Page, reply: Reply, quarry: Quarry) -> Document:
        """Where an unchanged page leads."""
        return compared(self._parsed(reply, page, quarry))

    async def _answer(self, page: Page, quarry: Quarry) -> tuple[Reply, bool]:
        """One that a killed run left, unless somebody spoke of the page since; or a new one. And whether it was left: a
        second look, however soon, would take for noise what changed while nobody ran."""
        ask, journal, now = self.question(page, quarry), self._parts.journal, self._parts.clock.now()
        if journal is None:
            return await self._ask(ask, quarry.site), False
        left = self._left(page, ask, journal, now)
        if left is not None and not any(notice.at > left.at for notice in self._parts.store.notices(page.id, 1)):
            return left, True
        reply = await self._ask(ask, quarry.site)
        journal.note(page.id, reply)
        return reply, False

    def _left(self, page: Page, ask: Ask, journal: Journal, now: float) -> Reply | None:
        """What a killed run left, but for an answer that was read twice by one that died then."""
        watch = self._parts.death_watch
        if not journal.holds(page.id) or (watch is not None and watch.deaths(page.id) > 1):
            return None
        self._parts.begin_reading(page.id)
        return journal.recall(page, ask, now)

    def _at_first_sight(self, page: Page, why: Why, reply: Reply, quarry: Quarry, parsed: Parsed) -> Arrival | None:
        """A first visit follows the links; what the text says is read from the archive when there is another to compare
        it with. None: the page is so short or odd that it must be read, or no copy of it may be kept."""
        if self.missing.known(page.server) is not None:
            return None
        if quarry.traps.wants(page):
            quarry.traps.saw(page, "\n".join((parsed.title, *(block.text for block in parsed.main))))
        if quarry.traps.wants_links(page):
            quarry.traps.led(page, *quarry.leads(page, parsed.links))
        directives = parsed.directives  # those of its head among them
        if not may_keep(directives, reply.at) or not _is_plainly_a_page(parsed):
            return None
        document = glance(parsed, quarry.met)
        if quarry.script.has_selectors:
            page = self._categorised(page, reply, quarry)
        verdict = first_sight(page, reply)
        return Arrival(
            page, why, self._lightened(reply, document, quarry.site), verdict, document, directives=directives
        )

    def _lightened(self, reply: Reply, document: Document, site: Site) -> Reply:
        """Without the decoded body, where nobody will ask for it: the one that was sent is a third of it, so that more
        visits are written together, and the next page is inflated into room that is still warm."""
        is_wanted = document.offers or site.fields or site.archive == FOLDER
        if is_wanted or reply.sent_body is reply.body or self._parts.archive.needs_body(reply):
            return reply
        return replace(reply, body=b"", let_go_bytes=len(reply.body))

    def _within_redirects(self, page: Page, verdict: Verdict) -> Verdict:
        """Redirects in a row lead so far and no further."""
        most = self._parts.redirects
        if verdict.change is not MOVED or page.hops < most:
            return verdict
        reason = f"more than {most} redirects in a row (fetch.redirects)"
        return replace(verdict, change=Change.UNKNOWN, reason=reason, target="", limit="redirects")

    async def ask_for_signal(self, page: Page, quarry: Quarry) -> Reply:
        return await self._ask(self.question(page, quarry), quarry.site)

    async def hear(self, page: Page, why: Why, reply: Reply, signals: Signals) -> Arrival:
        """What does a sitemap or feed say differently?"""
        self._parts.begin_reading(page.id)
        verdict, signal = await self._parts.look_up(signals.hear, page, reply)
        return Arrival(page, why, reply, verdict, signal=signal)

    def _vouched_for(self, page: Page) -> bool:
        """The server itself, by a notice it signed, said that the page changed: no second look is needed."""
        if page.rank > Rank.NOTICED:
            return False
        told = self._parts.store.notices(page.id, 10)
        return any(notice.source is Source.AGENT and notice.proved is None for notice in told)

    def learnt(self) -> dict[str, bytes]:
        """Template noise learnt since the last call, for the store's memo."""
        learnt, self._learnt = self._learnt, {}
        return learnt

    def question(self, page: Page, quarry: Quarry) -> Ask:
        """What a server says of a page that its scripts fill says nothing of what they fill it with."""
        own, limits = quarry.site.own, self._parts.limits
        if not ask_conditionally(page) or (quarry.rendered and quarry.renders(page.url)):
            return Ask(page.url, own=own, limits=limits)
        return Ask(page.url, page.etag, page.last_modified, own, limits=limits)

    def _parsed(self, reply: Reply, page: Page, quarry: Quarry, beside: Parsed | None = None) -> Parsed:
        self._parts.begin_reading(page.id)
        ignore = (*self._parts.ignore, *quarry.site.ignore)
        content_type = reply.header("content-type")
        met = quarry.met if not page.body_digest and beside is None else None
        return parse(reply.body, content_type, page.url, quarry.extract, reply.headers, ignore, beside=beside, met=met)

    def _categorised(self, page: Page, reply: Reply, quarry: Quarry) -> Page:
        """With the category that the page itself names, where the site file says where to look."""
        selector = quarry.script.selector(page.url)
        if not selector:
            return page
        found = selected_text(parse(reply.body, reply.header("content-type"), page.url, quarry.extract), selector)
        return replace(page, category=found or page.category)

    async def _previous(self, page: Page, site: Site, beside: Parsed) -> tuple[Version | None, Parsed | None]:
        """The version kept, read back from the archive; None: there is none, or it cannot be read."""
        kept = (await self._parts.look_up(self._looking_back.read, (page,)))[page.id]
        if kept.error is not None:
            raise kept.error
        self._parts.begin_reading(page.id)  # others may have been read meanwhile
        return kept.version, self._parsed_again(page, site, kept, beside)

    def _parsed_again(self, page: Page, site: Site, kept: Kept, beside: Parsed | None = None) -> Parsed | None:
        if kept.version is None or kept.payload is None:
            return None
        ignore, settings, payload = (*self._parts.ignore, *site.ignore), self._parts.extract, kept.payload
        content_type = kept.version.content_type
        return parse(payload.body, content_type, page.url, settings, payload.headers, ignore, beside=beside)

    def _kept(self, page: Page, site: Site) -> Document | None:
        found = self._looking_back.read((page,))[page.id]
        self._parts.begin_reading(page.id)
        old = self._parsed_again(page, site, found)
        return None if old is None else kept(old)

    def forget(self, servers: Collection[str]) -> None:
        """Another worker asks them now, and may learn more than is known here."""
        for key in [key for key in self._templates if key[0] in servers]:
            del self._templates[key]
        self.missing.forget(servers)

    def template(self, server: str, number: int) -> TemplateNoise:
        """What is noise on the pages of a server that look alike."""
        known = self._templates.get((server, number))
        if known is None:
            if len(self._templates) >= MOST_TEMPLATES:
                self._templates.clear()
            known = read_template(self._parts.store.memo(memo_key(server, number)))
            self._templates[server, number] = known
        return known

    def _learn(self, server: str, document: Document, verdict: Verdict) -> None:
        if verdict.lessons:
            key = server, document.template
            self._templates[key] = fold(self.template(*key), verdict.lessons)
            self._learnt[memo_key(*key)] = write_template(self._templates[key])


def _said_in(reply: Reply) -> frozenset[str]:
    """By the directives of its head."""
    values = reply.all_headers("x-robots-tag")
    return from_headers(values) if values else SAID_NOTHING


def _to_follow(document: Document, quarry: Quarry) -> Document:
    """What is still asked of a judged document: where it leads, but for where others led, as of one at first sight. All
    else would wait for its batch to be written and take room that the next one finds warm."""
    met = quarry.met
    fresh = [link for link in document.links if link.nofollow or link.relation == ALTERNATE or link.url not in met]
    return replace(document, main=(), links=tuple(fresh))


def _in_step() -> Awaitable[None]:
    """What came for others in this turn of the loop goes through the step before first: the same code over sixteen
    pages costs less than all of it over one page after another (7 % of a first crawl)."""
    return asyncio.sleep(0)


def _is_plainly_a_page(parsed: Parsed) -> bool:
    """Most say so much that their title makes no difference."""
    return parsed.shows_a_page(MOST_LETTERS) or parsed.is_plainly_a_page(most_letters(parsed.title))


def _again(reply: Reply) -> Ask:
    """The second look: with the new validators, so that a 304 proves the change real."""
    return Ask(
        reply.ask.url,
        etag=reply.header("etag"),
        last_modified=reply.header("last-modified"),
        own=reply.ask.own,
        headers=SECOND_LOOK_HEADERS,
        limits=reply.ask.limits,
    )


def why_of(page: Page, asked: bool) -> Why:
    """Why it is visited now. `asked`: somebody wanted everything to be."""
    if page.visits == 0:
        return Why.FIRST
    if page.failures:
        return Why.RETRY
    if page.misses:
        return Why.PROBE
    if page.rank == NOTICED:
        return Why.NOTICE
    return ASKED if asked else DUE
