"""The robot's side of S4 in a folder: registrations, mails taken, notices applied, the batch file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from recrawl.agent import outward
from recrawl.agent.outward import NotSent
from recrawl.answers.reading import Reading
from recrawl.config import Settings
from recrawl.detect.honesty import http_date
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.hearing.heard import Hearing
from recrawl.engine.quarries import quarry_of
from recrawl.fetch.request import user_agent
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.folder.push_book import held
from recrawl.folder.settings import load
from recrawl.formats import batch_file, notice_agent
from recrawl.formats.batch_file import Collected
from recrawl.formats.registration import Action, Answer, Request
from recrawl.model.failure import NotFound, RecrawlError, UsageError
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Status
from recrawl.model.values import dataclass
from recrawl.notices import client, mail, registrations
from recrawl.notices.claim import from_entries, origin_of_url
from recrawl.notices.client import AgentUnreachable
from recrawl.notices.mail import Accepted, Confirmation, NotOurs, SetAside
from recrawl.notices.mailbox import Letter
from recrawl.notices.registrations import Book, Registration, Standing
from recrawl.ports import Store
from recrawl.scope.aliases import AliasTable
from recrawl.version import __version__

MOST_SET_ASIDE = 1000
AFTER = {
    Action.CONFIRM: Standing.ON,
    Action.SUSPEND: Standing.SUSPENDED,
    Action.RESUME: Standing.ON,
}


class Refused(RecrawlError):
    """The agent said no."""

    exit_code = 4


@contextmanager
def hearing(folder: Folder) -> Iterator[Hearing]:
    """Open for claims beside a crawl that may be running."""
    settings = load(folder.need())
    with closing(open_store(folder, settings)) as store:
        yield Ears(folder, settings, store).hearing()


@dataclass(slots=True)
class Ears:
    """Whose claims are taken: the sites of the folder, as their files stand."""

    folder: Folder
    settings: Settings
    store: Store
    _stamp: object = None
    _heard: Hearing | None = None

    def hearing(self) -> Hearing:
        stamp = self.folder.sites_stamp()
        if self._heard is None or stamp != self._stamp:
            watch = AliasWatch(self.store, AliasTable(edited=self.settings.aliases))
            sites = self.folder.sites()
            quarries = {site.name: quarry_of(self.settings, site, watch, self.store) for site in sites}
            self._stamp, self._heard = stamp, Hearing(self.store, quarries)
        return self._heard


@dataclass(frozen=True, slots=True)
class Robot:
    folder: Folder
    settings: Settings

    @classmethod
    def of(cls, folder: Folder) -> "Robot":
        return cls(folder, load(folder.need()))

    @property
    def file(self) -> Path:
        return self.folder.path / "robot.json"

    def book(self) -> Book:
        return registrations.read(self.file)

    def keep(self, book: Book) -> None:
        registrations.write(self.file, book)

    def change(self, change: Callable[[Book], Book]) -> None:
        """Read, change and write while nobody else does."""
        with held(self.folder.path, "robot"):
            self.keep(change(self.book()))

    def origin(self, word: str) -> str:
        """Of a site by its name, or of an address on one of the folder's sites."""
        for site in self.folder.sites():
            if word == site.name:
                return origin_of_url(site.seeds[0])
        if "://" not in word:
            raise NotFound(f"there is no site {word!r}: `recrawl sites` lists them")
        return origin_of_url(word)

    def offered(self, site: str, store: Store) -> tuple[str, ...]:
        """Agents that the server's robots.txt names, as the crawl last read it: nothing is asked for this."""
        file = store.robots(f"{self.origin(site)}/robots.txt")
        return notice_agent.parse(file.body) if file is not None and file.status == 200 else ()

    def register(self, site: str, agent: str, email: str, latency_days: float, callback: str = "") -> Registration:
        origin = self.origin(site)
        answer = self._ask(origin, agent, Request(Action.REGISTER, email, latency_days, callback=callback))
        fresh = Registration(origin, agent, email, latency_days, token=answer.token, callback=callback)
        self.change(lambda book: book.put(fresh))
        return fresh

    def act(self, site: str, action: Action, token: str = "", latency_days: float | None = None) -> Registration:
        """Any of the other actions; what is known of the registration afterwards."""
        book = self.book()
        known = book.of(self.origin(site))
        if known is None:
            raise UsageError(f"not registered with {site}: `recrawl robot register {site} --agent URL --email YOU`")
        token = token or known.token
        answer = self._ask(known.origin, known.agent, Request(action, known.email, latency_days, token))
        after = replace(
            known,
            standing=AFTER.get(action, known.standing),
            token=token,
            secret=answer.secret or known.secret,
            latency_days=known.latency_days if latency_days is None else latency_days,
        )
        leaves = action is Action.UNREGISTER
        self.change(lambda book: book.without(after.origin) if leaves else book.put(after))
        return after

    def _ask(self, origin: str, agent: str, request: Request) -> Answer:
        """Private addresses are asked only for a site of the user's own."""
        seeds = {origin_of_url(seed): site for site in self.folder.sites() for seed in site.seeds}
        private = origin in seeds and bool(seeds[origin].own)

        def post(url: str, form: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
            try:
                return outward.ask("POST", url, form, headers, private)
            except NotSent as error:
                raise AgentUnreachable(f"the agent at {agent} cannot be reached: {error}; is it right?") from error

        named = user_agent(__version__, self.settings.operator.contact)
        answer = client.ask(agent, request, named, post)
        if not answer.success:
            detail = f" ({answer.detail})" if answer.detail else ""
            raise Refused(f"{agent} answered {answer.code} {answer.remark}{detail}")
        return answer

    def take(self, letters: Iterable[Letter], heard: Hearing, now: float, authority: str = "") -> Counter[str]:
        """Every letter judged; notices applied, confirmations answered, forgeries set aside; what came of it."""
        counts: Counter[str] = Counter()
        for letter in letters:
            book = self.book()
            mark = mail.mark_of(letter.raw)
            if mark in book.seen:
                continue
            judgement = mail.judge(letter.raw, book.registrations, frozenset(book.seen), now, authority)
            if isinstance(judgement, NotOurs):
                continue
            came = self._dealt_with(judgement, letter.raw, heard, now)
            marks = (mark, judgement.mark) if isinstance(judgement, Accepted) else (mark,)
            self.change(partial(_taken, marks=marks, came=came))
            letter.done()
            counts += came
        return counts

    def _dealt_with(
        self, judgement: Accepted | Confirmation | SetAside, raw: bytes, heard: Hearing, now: float
    ) -> Counter[str]:
        if isinstance(judgement, Confirmation):
            return self._confirmed(judgement, raw)
        if isinstance(judgement, SetAside):
            return self._set_aside(raw, judgement.reason)
        checked = from_entries(judgement.entries, judgement.registration.origin, Source.AGENT, now)
        counts = heard.take(checked.claims, now)
        counts.update(f"line refused: {reason}" for reason in checked.refused)
        counts["line refused: unreadable"] += judgement.faults
        counts["mails taken"] += 1
        return +counts

    def _confirmed(self, asked: Confirmation, raw: bytes) -> Counter[str]:
        """Only where we had registered: anybody else's question is not ours to answer."""
        waiting = [one for one in self.book().registrations if one.standing is Standing.UNCONFIRMED]
        ours = next((one for one in waiting if one.agent.rstrip("/") == asked.agent.rstrip("/")), None)
        if ours is None:
            return self._set_aside(raw, "confirmation nobody asked for")
        try:
            self.act(ours.origin, Action.CONFIRM, asked.token)
        except RecrawlError as error:
            return self._set_aside(raw, f"confirmation failed: {error}")
        return Counter({"confirmed": 1})

    def _set_aside(self, raw: bytes, reason: str) -> Counter[str]:
        """Kept for a person to look at, within reason."""
        place = self.folder.path / "set-aside"
        place.mkdir(exist_ok=True)
        if len(list(place.iterdir())) < MOST_SET_ASIDE:
            (place / f"{mail.mark_of(raw)}.eml").write_bytes(raw[:1_000_000])
        return Counter({f"set aside: {reason.partition(': ')[0]}": 1})


def _taken(book: Book, marks: tuple[str, ...], came: Counter[str]) -> Book:
    return book.having_seen(*marks).counted(came)


def write_batch_file(found: Reading, server: str, notices: Iterable[Notice], file: Path) -> int:
    """S4's batch file of what the notices of one server led to: the copies kept now, deletions as deletions."""
    newest = {notice.page: notice for notice in sorted(notices, key=lambda one: one.at)}
    pages = [page for page in found.store.pages(sorted(newest)) if page.server == server]
    with file.open("wb") as out:
        out.write(batch_file.render_host(server))
        for page in pages:
            out.write(batch_file.render_document(_collected(found, page, newest[page.id])))
    return len(pages)


def _collected(found: Reading, page: Page, notice: Notice) -> Collected:
    if page.status is Status.GONE or page.checked_at is None:
        return Collected(page.url, NoticeKind.DELETED, int(notice.at))
    modified_at = http_date(page.last_modified) or page.changed_at or page.checked_at
    kind = NoticeKind.ADDED if notice.kind is NoticeKind.ADDED else NoticeKind.UPDATED
    return Collected(page.url, kind, int(modified_at), found.payload(found.version(page)).body)
