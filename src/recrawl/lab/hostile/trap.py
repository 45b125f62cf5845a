"""Spaces without end: every page leads to another that nobody needs."""

import itertools
import re
from hashlib import sha256

from recrawl.lab.hostile.case import FRONT, GOOD, Answer, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

SOON = 400  # requests after which a trap must have been seen
STOPS = "sees that the pages bring nothing new, stops, and says why"
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip


def luck(*words: object) -> str:
    return sha256("/".join(map(str, words)).encode()).hexdigest()


def filler(path: str, words: int = 60) -> str:
    """Words of its own for every page, always the same for the same path."""
    letters = luck(path)
    return " ".join(luck(letters, number)[:6] for number in range(words))


async def calendar(question: Question, wire: Wire) -> None:
    year, month = (int(part) for part in re.findall(r"\d+", question.path)[:2])
    following, before = (year + month // 12, month % 12 + 1), (year - (month == 1), (month - 2) % 12 + 1)
    links = [f"/cal/{y}/{m:02}" for y, m in (following, before)]
    days = " ".join(str(day) for day in range(1, 31))
    await wire.answer(page(f"{MONTHS[month - 1]} {year}", *links, text=f"No events. {days} " * 3))


async def calendar_by_query(question: Question, wire: Wire) -> None:
    year, month, day = (int(part) for part in re.findall(r"\d+", question.path)[:3])
    links = [f"/when?y={year + 1}&m={month}&d={day}", f"/when?y={year}&m={month % 12 + 1}&d={day}"]
    links += [f"/when?y={year}&m={month}&d={day % 28 + 1}"]
    await wire.answer(page(f"{day}.{month}.{year}", *links, text="Nothing happens on this day. " * 12))


async def session_in_query(question: Question, wire: Wire) -> None:
    token = luck(question.path, question.times)[:24]
    links = [f"/shop/{name}?visitor={token}" for name in ("a", "b", "c")]
    await wire.answer(page(f"Shop {question.path[:7]}", *links))


async def session_in_path(question: Question, wire: Wire) -> None:
    token = luck(question.path, question.times)[:20]
    await wire.answer(page("Welcome", *(f"/(S({token}))/{name}" for name in ("list", "home"))))


async def known_session(question: Question, wire: Wire) -> None:
    token = luck(question.path, question.times)[:26]
    await wire.answer(page(f"Known {question.path[:8]}", f"/known/a;jsessionid={token}", f"/known/b?PHPSESSID={token}"))


async def repeats_path(question: Question, wire: Wire) -> None:
    """A relative link that the server answers everywhere."""
    await wire.answer(page("Deep", "deeper/", "sub/page/", text="Always the same. " * 20))


async def grows_path(question: Question, wire: Wire) -> None:
    word = luck(question.path)[:5]
    await wire.answer(page("Deep", f"{question.path.rstrip('/')}/{word}/", text=filler(question.path)))


async def permutes(question: Question, wire: Wire) -> None:
    names = ("color", "size", "brand", "sort", "page")
    links = ["/filter?" + "&".join(f"{name}=1" for name in order) for order in itertools.permutations(names)]
    start = int(luck(question.path)[:4], 16) % 100
    await wire.answer(page("Filtered", *links[start : start + 20]))


async def facets(question: Question, wire: Wire) -> None:
    chosen = set(re.findall(r"f=(\d+)", question.path))
    links = ["/facet?" + "&".join(f"f={one}" for one in sorted(chosen | {str(new)}, key=int)) for new in range(30)]
    await wire.answer(page("Facets", *links, text="The same goods as ever. " * 20))


async def pagination(question: Question, wire: Wire) -> None:
    number = int((re.findall(r"\d+", question.path) or ["1"])[0])
    items = "".join(f"<p>Item {number * 10 + item} for sale at {item} EUR, in stock.</p>" for item in range(10))
    body = page(f"Page {number}", f"/goods?page={number + 1}", f"/goods?page={max(number - 1, 1)}", text=items)
    await wire.answer(body)


async def pagination_with_words(question: Question, wire: Wire) -> None:
    number = int((re.findall(r"\d+", question.path) or ["1"])[0])
    await wire.answer(page(f"Page {number}", f"/words?page={number + 1}", text=filler(question.path, 150)))


async def branches(question: Question, wire: Wire) -> None:
    links = [f"/b/{luck(question.path, number)[:10]}" for number in range(10)]
    await wire.answer(page("A page", *links, text="One page of very many, all alike. " * 10))


async def spider_food(question: Question, wire: Wire) -> None:
    """Random words, random links: every page unlike the others."""
    links = [f"/w/{luck(question.path, number)[:8]}.html" for number in range(8)]
    await wire.answer(page(luck(question.path)[:12], *links, text=filler(question.path, 120)))


async def numbers(question: Question, wire: Wire) -> None:
    number = int((re.findall(r"\d+", question.path) or ["1"])[-1])
    links = [f"/n/{number * 3 + more}" for more in (1, 2, 3)]
    await wire.answer(page(f"Number {number}", *links, text=f"The number {number} has followers. " * 12))


async def case_game(question: Question, wire: Wire) -> None:
    links = [
        "/c/"
        + "".join(letter.upper() if luck(n, question.path)[i] < "8" else letter for i, letter in enumerate("mixedcase"))
        for n in range(5)
    ]
    await wire.answer(page("Case", *links))


async def fragments(question: Question, wire: Wire) -> None:
    links = [f"/frag#{number}" for number in range(500)] + [f"/frag?#{number}" for number in range(20)]
    await wire.answer(page("Fragments", *links))


async def slashes(question: Question, wire: Wire) -> None:
    links = [question.path + "/", question.path.rstrip("/") + "//x", "/slash/./x", "/slash/../slash/x"]
    await wire.answer(page("Slashes", *links))


async def endless_subdomains(question: Question, wire: Wire) -> None:
    links = [f"http://{luck(question.path, n)[:6]}.{question.host}.nip.invalid/" for n in range(20)]
    await wire.answer(page("Subdomains", *links))


async def tracking(question: Question, wire: Wire) -> None:
    links = [f"/track?utm_source={n}&fbclid={luck(n, question.path)}" for n in range(20)]
    await wire.answer(page("Tracked", *links))


def trap(
    name: str, start: str, route: str, answer: Answer, requests: int = SOON, says: dict[str, str] | None = None
) -> Case:
    expect = Expect(kept=(FRONT, GOOD), requests=requests, says=says or {})
    return Case(name, Kind.TRAP, STOPS, {route: answer}, expect, bad=(start,))


CASES = (
    trap("calendar", "/cal/2026/11", "/cal/*", calendar),
    trap("calendar-by-query", "/when?y=2026&m=11&d=15", "/when*", calendar_by_query, 500),
    trap("session-id-in-query", "/shop/a", "/shop/*", session_in_query),
    trap("session-id-in-path", "/(S(x))/home", "/(*", session_in_path),
    trap("known-session-id", "/known/a", "/known/*", known_session, 12),
    trap("path-repeat", "/deep/", "/deep/*", repeats_path, 90),
    trap("path-that-grows", "/long/", "/long/*", grows_path, 60),
    trap("query-permutation", "/filter?color=1", "/filter*", permutes),
    trap("facets", "/facet?f=1", "/facet*", facets),
    trap("endless-pagination", "/goods?page=1", "/goods*", pagination),
    trap("endless-pagination-with-words", "/words?page=1", "/words*", pagination_with_words),
    trap("branching", "/b/0", "/b/*", branches),
    trap("numbers", "/n/1", "/n/*", numbers),
    trap("case-game", "/c/mixedcase", "/c/*", case_game),
    trap("fragments", "/frag", "/frag*", fragments, 12),
    trap("slashes", "/slash/x", "/slash/*", slashes, 40),
    trap("subdomains", "/subs", "/subs*", endless_subdomains, 8),
    trap("tracking-parameters", "/track", "/track*", tracking, 12),
    Case(
        "spider-food",
        Kind.TRAP,
        "takes no more pages of one server and pattern than its limit",
        {"/w/*": spider_food},
        Expect(kept=(FRONT, GOOD), requests=1200),
        bad=("/w/0.html",),
    ),
    Case(
        "parking-page",
        Kind.TRAP,
        "keeps one copy of the same page under every name",
        {"/*": saying(page("This domain is for sale", *(f"/offer{n}?q={n}" for n in range(30))), HTML)},
        Expect(kept=(FRONT,), requests=SOON),
        bad=(),
    ),
)
