"""Which page of an unknown site to look at next: some of every kind, then more of what shows new addresses."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import unquote

from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.learn_cleaning import promising_redirects
from recrawl.scope.learn_graph import BLOCK, are_named
from recrawl.scope.learn_shapes import has_several_words, parts_of, turns_pages
from recrawl.scope.learn_values import Sampled, Seen, is_page_key

ENOUGH = 4  # pages of a kind tell what it is
SINGLES_SHARE = 0.3  # of the sample at most goes to addresses that are alone of their kind

Sort = tuple[object, ...]


class Plan:
    """Filled by `learn` with pages, emptied by `choose`."""

    def __init__(self, pages: int, server: str, canonicaliser: Canonicaliser) -> None:
        self._pages, self._server, self._canonicaliser = pages, server, canonicaliser
        self._waiting: dict[Sort, dict[str, None]] = defaultdict(dict)
        self._known: set[str] = set()
        self._calls: set[str] = set()
        self._asked: Counter[Sort] = Counter()
        self._yield: dict[Sort, float] = {}
        self._sort_of: dict[str, Sort] = {}
        self._first: list[str] = []
        self._singles = 0

    def prefer(self, urls: Iterable[str]) -> None:
        """To be looked at before anything else."""
        self._first += [url for url in urls if url not in self._known]

    def learn(self, page: Sampled) -> None:
        self._known.add(page.url)
        fresh_named = 0
        places: dict[tuple[int, int, tuple[str, ...]], list[Seen]] = defaultdict(list)
        for link in page.links:
            if link.relation != "script" and not link.nofollow and self._is_here(link.url):
                _, segments, query = parts_of(link.url)
                places[(link.place, len(segments), tuple(sorted(name for name, _ in query)))].append(link)
        for (_, _, keys), links in places.items():
            fresh = {link.url for link in links} - self._known
            is_block = len({link.url for link in links}) >= BLOCK
            if is_block and are_named(links):
                fresh_named += len(fresh)
            self._enter(links, fresh, keys, is_block)
        fresh_named += self._fresh_calls(page)
        if (sort := self._sort_of.get(page.url)) is not None:
            self._yield[sort] = 0.5 * self._yield.get(sort, fresh_named) + 0.5 * fresh_named

    def _fresh_calls(self, page: Sampled) -> int:
        """A list may name its goods by calls alone; whether they lead anywhere is found out with the whole sample."""
        places: dict[int, list[Seen]] = defaultdict(list)
        for link in page.links:
            if link.relation == "script":
                places[link.place].append(link)
        blocks = [links for links in places.values() if len({link.url for link in links}) >= BLOCK and are_named(links)]
        fresh = {link.url for links in blocks for link in links} - self._calls
        self._calls |= fresh
        return len(fresh)

    def try_redirects(self) -> None:
        """Addresses that hold another address are asked for early: only the answer tells whether they lead there."""
        waiting = [url for urls in self._waiting.values() for url in urls]
        self._first += promising_redirects(waiting, self._canonicaliser)

    def choose(self) -> str | None:
        """The next address; None when nothing more is to be learnt."""
        while self._first:
            url = self._first.pop(0)
            if url not in self._known or url not in self._sort_of:
                return self._take(url)
        sorts = [sort for sort, urls in self._waiting.items() if urls]
        young = [sort for sort in sorts if self._asked[sort] < ENOUGH and self._may_be_single(sort)]
        if young:
            sort = min(young, key=lambda one: (self._asked[one], -len(self._waiting[one]), str(one)))
        else:
            plain = [sort for sort in sorts if not self._is_variant(sort)]
            sort = max(plain, key=lambda one: (self._yield.get(one, 0.0), str(one)), default=())
            if not sort or self._yield.get(sort, 0.0) <= 0.5:
                return None
        return self._take(next(iter(self._waiting[sort])))

    def _may_be_single(self, sort: Sort) -> bool:
        alone = len(self._waiting[sort]) == 1 and not self._asked[sort]
        return not alone or self._singles < SINGLES_SHARE * self._pages

    def _is_variant(self, sort: Sort) -> bool:
        """The same path with more parameters than another sort has: orders and views of the same goods."""
        return any(_has_more(sort, other) for other in self._asked)

    def _take(self, url: str) -> str:
        sort = self._sort_of.get(url, ("first", url))
        self._singles += len(self._waiting[sort]) == 1 and not self._asked[sort]
        self._waiting[sort].pop(url, None)
        self._asked[sort] += 1
        self._sort_of[url] = sort
        return url

    def _enter(self, links: list[Seen], fresh: set[str], keys: tuple[str, ...], is_block: bool) -> None:
        common = _common_segments([parts_of(link.url)[1] for link in links]) if is_block else []
        for link in links:
            if link.url not in fresh or link.url in self._sort_of:
                continue
            segments = parts_of(link.url)[1]
            sort = (
                *(
                    (text if text in common[at] else "*") if is_block else _class(text)
                    for at, text in enumerate(segments)
                ),
                "?",
                *keys,
            )
            self._sort_of[link.url] = sort
            self._known.add(link.url)
            self._waiting[sort][link.url] = None

    def _is_here(self, url: str) -> bool:
        return url.partition("://")[2].partition("/")[0] == self._server


def _common_segments(segments: list[tuple[str, ...]]) -> list[set[str]]:
    """By place, what all links of a block have there, or so many of them that it names a section: rows may lead to
    goods and to their makers."""
    return [_common_texts(texts) for texts in zip(*dict.fromkeys(segments), strict=True)]


def _common_texts(texts: tuple[str, ...]) -> set[str]:
    counts = Counter(texts)
    sections = {text for text, count in counts.items() if count >= BLOCK and not _has_digit(text)}
    return set(texts) if len(counts) == 1 else sections


def _has_more(sort: Sort, other: Sort) -> bool:
    if "?" not in sort or "?" not in other:
        return False
    mine, theirs = sort.index("?"), other.index("?")
    extra = set(sort[mine + 1 :]) - set(other[theirs + 1 :])
    same_path = mine == theirs and all(
        one in (two, "*") or two == "*" for one, two in zip(sort[:mine], other[:theirs], strict=True)
    )
    return (
        same_path
        and bool(extra)
        and set(other[theirs + 1 :]) < set(sort[mine + 1 :])
        and not any(is_page_key(str(key)) for key in extra)
    )


def _class(text: str) -> str:
    if turned := turns_pages(text):
        return turned
    return "*" if _has_digit(text) or has_several_words(text) else text


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, unquote(text)))
