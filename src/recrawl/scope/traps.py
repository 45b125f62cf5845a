"""Spaces without end, told by what their pages say: addresses of one shape whose pages are all alike.

A page of such a group is read now and then. A group is closed, and no more of its addresses are let in, when
    nearly all its pages say exactly the same (a session in the address, a filter that filters nothing),
    nearly all are alike but for numbers and dates, and a long chain of them led from one to the next (a calendar),
    or so are very many of them while ever more are found (endless numbers),
    or every one looked at leads to addresses never met and none of them back (nonsense made up as it is asked for).
A whole server is closed where that is so, or the same is said, wherever one looks: its shapes may be without end, too.
Whatever they say, a server and a shape have no more pages than the limits allow, and none lies deeper.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, field
from functools import lru_cache
from typing import Any

from recrawl.model.address import Address
from recrawl.model.late import late
from recrawl.model.page import Page
from recrawl.model.values import dataclass

_SAYING = late(r"[0-9A-Za-z]*[0-9][0-9A-Za-z]*")
_DIGIT = late("[0-9]")
_AGAIN = late(r"(/0)(?:/0)+(?=/|$)")
_MONTHS = ("january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
           "december", "may")  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAMED = frozenset(name[:end] for name in (*_MONTHS, *_DAYS) for end in (3, None))
_WORD = late(r"\w+")
_FIRST = 8  # pages of a group that are not looked at
_LOOK_EVERY, _LOOK_CALMLY, _LOOK_RARELY = 4, 16, 256
_SAMPLES = 16  # before a group is called unlike
_NONE_ALIKE = 6  # the same, where none was like another
_UNLIKE = 0.5
_REMEMBERED = 4  # sketches a group
_WORDS = 600  # of a page
_ALIKE = 0.85  # of the words of two pages
_SAYS_NOTHING = 20  # words; pages this short may well be alike, unless their query tells them apart
_PATIENCE = 10
_SOONER = 4  # times, where a query tells the pages apart: anybody can make up another value
_ONWARD_EVERY = 16  # pages
_ONWARD_SAMPLES = 24
_LED_BACK = 3  # pages that do: such a group is honest, and not looked at again
_WHOLE_SERVER = 4  # times as many pages where all of a server's only lead on
_MOST_SAID = 4096  # texts of a server that are remembered: one that shows all of itself again below every page
_ALL = " all"  # behind the name of a server: the group of all its pages
MOST_GROUPS = 20_000
WORTH_KEEPING = 50  # pages of a group that is remembered beyond the run
SAVE_EVERY = 1000  # pages let in


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """Beyond these an address is taken for a trap: a calendar without end, a link relative to itself, a filter."""

    url_characters: int = 2048
    equal_segments: int = 3  # of one path
    segments: int = 32
    parameters: int = 24
    depth: int = 1000  # links away from a seed; a site file may say less
    pages_per_server: int = 1_000_000  # of one site
    pages_per_pattern: int = 200_000  # addresses that differ only in numbers, tokens and their last word
    alike_share: float = 0.9  # of the pages of a pattern that say the same …
    alike_pages: int = 200  # … word for word, after so many of them (ten times as many where they say next to nothing)
    alike_chain: int = 300  # … but for numbers and dates, where so many led from one to the next
    alike_many: int = 10_000  # … or where there are so many and ever more are found (a quarter, where queries differ)
    onward_pages: int = 500  # so many pages of a pattern that lead only to pages never met, and none back


@dataclass(slots=True)
class Group:
    let_in: int = 0
    waiting: int = 0  # of these: nobody has asked the store yet whether an earlier run let them in
    visited: int = 0
    theirs: tuple[int, int] = (0, 0)  # of those let in and visited: by other workers, who remember them
    samples: int = 0
    alike: int = 0
    same: int = 0
    since_same: int = 0  # samples since one said word for word what another did
    chain: int = 0
    silent: bool = False  # its pages say next to nothing
    closed: str = ""
    onward: int = 0  # pages looked at that only lead on
    led_back: int = 0
    sketches: "deque[tuple[int, frozenset[str]]]" = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    recent: "deque[tuple[bool, bool]]" = field(default_factory=lambda: deque(maxlen=_SAMPLES * 2))
    said: set[int] = field(default_factory=set)  # texts met before; of a whole server only

    @property
    def own(self) -> tuple[int, int]:
        return max(0, self.let_in - self.theirs[0]), max(0, self.visited - self.theirs[1])

    @property
    def written(self) -> int:
        return self.let_in - self.waiting

    def is_due(self, every: int) -> bool:
        """Whether the page just counted is one to look at."""
        unlike = self.samples >= (_SAMPLES if self.alike else _NONE_ALIKE) and self.alike < _UNLIKE * self.samples
        return self.visited > _FIRST and self.visited % (_LOOK_RARELY if unlike else every) == 0

    def may_only_lead_on(self) -> bool:
        """Whether it should be looked where the page just counted leads."""
        return self.led_back < _LED_BACK and self.visited % _ONWARD_EVERY == 0

    def note(self, exact: int, bag: frozenset[str]) -> None:
        """What a page says, against what those before it said."""
        alike = any(_alike(bag, other) for _, other in self.sketches)
        same = exact in self.said or any(exact == other for other, _ in self.sketches)
        if not same:
            self.sketches.append((exact, bag))
        self.samples += 1
        self.alike += alike or same
        self.since_same = 0 if same else self.since_same + 1
        self.recent.append((alike, same))


@lru_cache(maxsize=4096)
def shape_of(url: str) -> str:
    """What addresses of one kind have in common: `/cal/2026/11?view=x` is `/cal/0?view`, `/a/some-title` is `/a/*`."""
    place, _, query = url.partition("?")
    folder, _, last = place.rpartition("/")
    name, dot, extension = last.rpartition(".")
    shown = f"*.{extension}" if dot and name and len(extension) <= 5 else "*" if last else ""
    if _DIGIT.search(last):
        shown = "0" + shown[1:]
    shape = f"{_without_numbers(folder)}/{shown}"
    if "/0/0" in shape:
        shape = _AGAIN.sub(r"\1", shape)
    names = sorted({_SAYING.sub("0", part.partition("=")[0]) for part in query.split("&")}) if query else []
    return f"{shape}?{'&'.join(names)}" if names else shape


@lru_cache(maxsize=4096)  # pages of a site lie in few folders
def _without_numbers(folder: str) -> str:
    """Of a folder and its server, which keeps its own; the scheme says nothing."""
    server, slash, path = folder[folder.find("//") + 2 :].partition("/")
    return f"{server}{slash}{_SAYING.sub('0', path)}"


class Traps:
    """The groups of one site. Fed with every address let in and every page visited; asked before both."""

    def __init__(self, limits: TrapLimits | None = None) -> None:
        self.limits = limits or TrapLimits()
        self._groups: dict[str, Group] = {}
        self._servers: dict[str, int] = {}
        self._theirs: dict[str, int] = {}  # of these pages: let in by other workers
        self._chains: dict[int, int] = {}
        self._waiting: dict[int, tuple[str, str]] = {}  # shape and server of pages let in that are not written yet
        self._most_alike = self._most_together = 0  # pages of one group, and of one server
        self._news: list[str] = []
        self._unsaved = 0
        self.any_closed = False

    def refusal(self, address: Address) -> str:
        """Why no more addresses like this are let in; '' if they are."""
        if self._servers.get(address.server, 0) >= self.limits.pages_per_server:
            return self._full(address.server, f"{address.server} has more than {self.limits.pages_per_server} pages")
        if self.any_closed and (whole := self._groups.get(address.server + _ALL)) and whole.closed:
            return whole.closed
        shape = shape_of(address.url)
        group = self._groups.get(shape) or self._group(shape)
        if not group.closed and group.let_in >= self.limits.pages_per_pattern:
            self._close(group, address.url, f"there are more than {self.limits.pages_per_pattern} pages like this one")
        return group.closed

    def nears_a_limit(self, more: int) -> bool:
        """Whether so many more addresses may be too many: then only those count that are new."""
        limits = self.limits
        return (
            self._most_alike + more >= limits.pages_per_pattern or self._most_together + more >= limits.pages_per_server
        )

    def let_in(self, address: Address, found_from: Page | None) -> None:
        """Counts for now: `written` says whether it was new."""
        shape, number = shape_of(address.url), address.id
        if number not in self._waiting:
            self._waiting[number] = shape, address.server
            self._count(shape, address.server, 1).waiting += 1
            self._unsaved += 1
        if found_from is not None and shape_of(found_from.url) == shape:
            if len(self._chains) > MOST_GROUPS * 10:
                self._chains.clear()
            self._chains[number] = self._chains.get(found_from.id, 0) + 1

    def written(self, number: int, new: bool) -> None:
        """The store has this page now. Not `new`: it had it before, so it has counted already."""
        if (waiting := self._waiting.pop(number, None)) is not None:
            shape, server = waiting
            group = self._count(shape, server, -1) if not new else self._groups.get(shape) or self._group(shape)
            group.waiting = max(0, group.waiting - 1)

    def _count(self, shape: str, server: str, more: int) -> Group:
        group = self._groups.get(shape) or self._group(shape)
        group.let_in = alike = max(0, group.let_in + more)
        self._servers[server] = together = max(0, self._servers.get(server, 0) + more)
        if alike > self._most_alike:
            self._most_alike = alike
        if together > self._most_together:
            self._most_together = together
        return group

    def is_closed(self, url: str, server: str = "") -> str:
        """Why a page that waits is not visited any more; '' if it is."""
        if not self.any_closed:
            return ""
        groups = (self._groups.get(shape_of(url)), self._groups.get(server + _ALL))
        return next((group.closed for group in groups if group and group.closed), "")

    def wants(self, page: Page) -> bool:
        """Whether the text of this page, about to be read for the first time, should be shown to `saw`."""
        if page.visits:
            return False
        group, whole = self._kin(page)
        group.visited += 1
        whole.visited += 1
        if (chain := self._chains.get(page.id, 0)) > group.chain:
            group.chain = chain
        if group.visited % _LOOK_EVERY and whole.visited % _ONWARD_EVERY:
            return False  # as nearly always: both are rarer still where they are calm or unlike
        every = _LOOK_CALMLY if self._is_calm(group, page.url) else _LOOK_EVERY
        return group.is_due(every) or whole.is_due(_ONWARD_EVERY)

    def saw(self, page: Page, text: str) -> None:
        group, whole = self._kin(page)
        words = _words(text[: _WORDS * 12])
        exact = hash(tuple(words))
        bag = frozenset(map(_plain, set(words)))
        group.silent = len(words) < _SAYS_NOTHING and "?" not in page.url
        if whole.is_due(_ONWARD_EVERY):
            whole.note(exact, bag)
            if len(words) >= _SAYS_NOTHING and len(whole.said) < _MOST_SAID:
                whole.said.add(exact)
            self._judge_whole(whole, page.url)
        group.note(exact, bag)
        self._judge(group, page.url)

    def wants_links(self, page: Page) -> bool:
        """Whether `led` should hear where this page leads; asked behind `wants`."""
        if page.visits:
            return False
        group, whole = self._kin(page)
        if group.visited % _ONWARD_EVERY and whole.visited % _ONWARD_EVERY:
            return False  # as nearly always
        return group.may_only_lead_on() or whole.may_only_lead_on()

    def led(self, page: Page, fresh: int, known: int) -> None:
        """How many pages of the site it leads to that were never met, and that were."""
        for group, times in zip(self._kin(page), (1, _WHOLE_SERVER), strict=True):
            if not group.may_only_lead_on():
                continue
            group.led_back += bool(known)
            group.onward += bool(fresh and not known)
            pages, enough = group.onward * _ONWARD_EVERY, self.limits.onward_pages * times
            if not group.closed and not group.led_back and group.onward >= _ONWARD_SAMPLES and pages >= enough:
                self._close(group, page.url, f"some {pages} pages only lead on, to pages never met, and none back")

    @property
    def has_news(self) -> bool:
        return bool(self._news)

    def news(self) -> list[str]:
        """What was closed since the last call."""
        news, self._news = self._news, []
        return news

    def memo(self, least: int = SAVE_EVERY) -> bytes | None:
        """What to remember beyond this run, when so many pages were let in or something was closed; None: not yet."""
        if self._unsaved < least:
            return None
        self._unsaved = 0
        groups = {
            shape: [*one.own, one.closed]
            for shape, one in self._groups.items()
            if one.closed or (one.let_in >= WORTH_KEEPING and any(one.own))
        }
        servers = {server: max(0, pages - self._theirs.get(server, 0)) for server, pages in self._servers.items()}
        return json.dumps({"servers": servers, "groups": groups, "limits": asdict(self.limits)}).encode()

    def closed(self) -> dict[str, str]:
        """Groups that no address is let in of any more, and why; a server that is full is told by its number alone."""
        if not self.any_closed:
            return {}
        return {shape: group.closed for shape, group in self._groups.items() if group.closed and shape[-1] != " "}

    def hear(self, closed: Mapping[str, str]) -> None:
        """These are closed, be it by another worker or by a run before this one."""
        for shape, because in closed.items():
            self._group(shape).closed = because
            self.any_closed = True

    def recall(self, memo: bytes | None, others: Iterable[bytes] = ()) -> None:
        """What this worker counted, and what others did, whatever their number was; and what was closed under these
        limits: whoever changes them has all judged anew."""
        for other in filter(None, others):
            self._recall(json.loads(other))
        self._theirs = dict(self._servers)
        for group in self._groups.values():
            group.theirs = group.let_in, group.visited
        if memo:
            self._recall(json.loads(memo))
        self._most_alike = max((group.let_in for group in self._groups.values()), default=0)
        self._most_together = max(self._servers.values(), default=0)

    def _recall(self, kept: Mapping[str, Any]) -> None:
        limits = asdict(self.limits)
        holds = kept.get("limits", limits) == limits
        for server, pages in kept["servers"].items():
            self._servers[server] = self._servers.get(server, 0) + pages
        for shape, (let_in, visited, closed) in kept["groups"].items():
            group = self._group(shape)
            group.let_in, group.visited = group.let_in + let_in, group.visited + visited
            if holds and closed:
                group.closed, self.any_closed = closed, True

    def _judge(self, group: Group, url: str) -> None:
        limits, seen = self.limits, len(group.recent)
        if group.closed or seen < _SAMPLES:
            return
        patience = _PATIENCE if group.silent else 1
        many = self._very_many(url)
        alike, same = (sum(flags) / seen for flags in zip(*group.recent, strict=True))
        if same >= limits.alike_share and group.visited >= limits.alike_pages * patience:
            self._close(group, url, f"{same:.0%} of the pages like this one say the same, word for word")
        elif alike >= limits.alike_share and group.chain >= limits.alike_chain:
            self._close(group, url, f"{group.chain} pages led from one to the next and are alike but for numbers")
        elif alike >= limits.alike_share and group.visited >= many and group.written > 1.2 * group.visited:
            self._close(group, url, f"{group.visited} pages are alike but for numbers, and ever more are found")

    def _is_calm(self, group: Group, url: str) -> bool:
        """None of its pages says what another did, and there are too few of them to be too many."""
        return (
            group.since_same >= _SAMPLES
            and group.chain < self.limits.alike_chain
            and group.visited < self._very_many(url)
        )

    def _very_many(self, url: str) -> int:
        return self.limits.alike_many // (_SOONER if "?" in url else 1)

    def _judge_whole(self, whole: Group, url: str) -> None:
        """Pages of many shapes that say the same."""
        seen = len(whole.recent)
        if whole.closed or seen < _SAMPLES or whole.visited < self.limits.alike_pages * _WHOLE_SERVER:
            return
        same = sum(one for _, one in whole.recent) / seen
        if same >= self.limits.alike_share:
            self._close(whole, url, f"{same:.0%} of all pages of this server say what others said, word for word")

    def _close(self, group: Group, url: str, because: str) -> None:
        group.closed = f"taken for a trap: {because} ({shape_of(url)}); see [traps] in recrawl.toml"
        self.any_closed = True
        self._tell(group.closed)

    def _full(self, server: str, because: str) -> str:
        sentence = f"taken for a trap: {because}; see [traps] in recrawl.toml"
        key = f"{server} "
        if key not in self._groups:
            self._groups[key] = Group(closed=sentence)
            self._tell(sentence)
        return sentence

    def _tell(self, sentence: str) -> None:
        self._news.append(sentence)
        self._unsaved += SAVE_EVERY

    def _kin(self, page: Page) -> tuple[Group, Group]:
        """Those like it, and all of its server."""
        shape, all_of_it = shape_of(page.url), page.server + _ALL
        group = self._groups.get(shape) or self._group(shape)
        return group, self._groups.get(all_of_it) or self._group(all_of_it)

    def _group(self, shape: str) -> Group:
        group = self._groups.get(shape)
        if group is None:
            if len(self._groups) >= MOST_GROUPS:
                self._groups = dict(self._worth_remembering())
            group = self._groups[shape] = Group()
        return group

    def _worth_remembering(self) -> Iterator[tuple[str, Group]]:
        largest = sorted(self._groups.items(), key=lambda item: (not item[1].closed, -item[1].let_in))
        return iter(largest[: MOST_GROUPS // 2])


def _words(text: str) -> list[str]:
    if text.isascii():  # small letters make no other words
        return _WORD.findall(text.lower())[:_WORDS]
    return [word.lower() for word in _WORD.findall(text)[:_WORDS]]


def _plain(word: str) -> str:
    """The word, or the same for all numbers and dates."""
    return "0" if word in _NAMED or (not word.isalpha() and _SAYING.fullmatch(word)) else word


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < _ALIKE * max(len(one), len(other)):
        return False
    shared = len(one & other)
    return shared >= _ALIKE * (len(one) + len(other) - shared)
