"""Pages that change as pages do, and the little of an engine that is needed to visit them."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from recrawl.detect.noise import TemplateNoise, fold, read_template, write_template
from recrawl.detect.verdict import compare, judge_second_look
from recrawl.model.document import Block, Document, Media
from recrawl.model.page import Page, Status
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply

NOON = 1_800_014_400.0  # some noon
DAY = 86_400.0
HEADING, PARAGRAPH, ASIDE, PRICE, ITEM = 11, 12, 13, 14, 15

PROSE = (
    "A lighthouse keeper writes down every ship that passes by in the night.",
    "The book is kept in the tower, and nobody else is allowed to read it.",
    "When the fog comes the horn is sounded twice a minute until dawn.",
)

Script = Callable[[float, int], list[Block]]
"""What a page shows at a moment to the n-th request it ever got."""


def words(number: int) -> str:
    """A sentence that is another one for every number, with no digit in it."""
    letters = hashlib.sha256(str(number).encode()).hexdigest()[:24].translate(str.maketrans("0123456789", "ghijklmnop"))
    return " ".join(letters[at : at + 6] for at in range(0, 24, 6))


def token(number: int) -> str:
    return hashlib.sha256(b"token%d" % number).hexdigest()[:32]


def clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%A, %d %B %Y %H:%M:%S")


def document_of(blocks: list[Block], title: str = "The keeper", template: int = 7) -> Document:
    return Document(Media.HTML, title=title, blocks=tuple(blocks), main=tuple(blocks), template=template)


def answer(body: bytes, at: float = NOON, **changes: object) -> Reply:
    reply = Reply(Ask("http://site.example/page"), at=at, evidence=Evidence.DOCUMENT, status=200, body=body)
    return replace(reply, **changes)  # type: ignore[arg-type]


def prose() -> list[Block]:
    return [Block(PARAGRAPH, text) for text in PROSE]


@dataclass
class Walk:
    """Visits to the pages of one template, with second looks if they can be afforded."""

    second_looks: bool = True
    template: bytes = b""
    asked: int = 0
    looks: int = 0
    pages: dict[str, Page] = field(default_factory=dict)
    copies: dict[str, Document] = field(default_factory=dict)

    def visit(self, script: Script, at: float, url: str = "http://site.example/page") -> Verdict:
        page = self.pages.get(url) or Page(id=1, url=url, server="site.example", site="site")
        known = read_template(self.template)
        reply, document = self._ask(script, at, url)
        verdict = compare(page, reply, document, self.copies.get(url), known)
        if verdict.second_look and self.second_looks:
            verdict = self._look_again(script, page, reply, document, verdict, known)
        self._remember(page, document, verdict, at)
        return verdict

    def changes(self, script: Script, visits: int, gap_s: float = DAY + 217.0) -> list[Change]:
        return [self.visit(script, NOON + number * gap_s).change for number in range(visits)]

    def _ask(self, script: Script, at: float, url: str) -> tuple[Reply, Document]:
        self.asked += 1
        blocks = script(at, self.asked)
        body = repr((blocks, self.asked if script.__name__ == "hidden_token" else 0)).encode()
        return replace(answer(body, at), ask=Ask(url)), document_of(blocks)

    def _look_again(
        self, script: Script, page: Page, reply: Reply, document: Document, verdict: Verdict, known: TemplateNoise
    ) -> Verdict:
        self.looks += 1
        second, second_document = self._ask(script, reply.at + 1.4, page.url)
        previous = self.copies.get(page.url)
        return judge_second_look(page, reply, document, previous, verdict, second, second_document, known)

    def _remember(self, page: Page, document: Document, verdict: Verdict, at: float) -> None:
        self.template = write_template(fold(read_template(self.template), verdict.lessons))
        if verdict.change in (Change.NEW, Change.CHANGED):
            self.copies[page.url] = document
        self.pages[page.url] = replace(
            page,
            status=Status.LIVE,
            body_digest=verdict.body_digest,
            text_digest=verdict.text_digest,
            simhash=verdict.simhash,
            noise=verdict.noise,
            checked_at=at,
        )
