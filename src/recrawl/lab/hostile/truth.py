"""Servers that do not tell the truth about what they send."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Answer, Case, Expect, Kind, page, raw, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

KEEPS_ONE = Expect(kept=(FRONT, GOOD, BAD), versions={BAD: 1})
ALL = Expect(kept=(FRONT, GOOD, BAD))
NOT_FOUND = b"<html><head><title>Page not found</title></head><body><h1>404 Page not found</h1>Sorry.</body></html>"


async def new_tag_each_time(question: Question, wire: Wire) -> None:
    await wire.answer(page("Steady"), HTML, ("ETag", f'"{question.times}"'))


async def same_tag_for_all(question: Question, wire: Wire) -> None:
    await wire.answer(page(f"Version {question.times}"), HTML, ("ETag", '"same"'))


async def always_304(question: Question, wire: Wire) -> None:
    await wire.head(304, ("ETag", '"x"'))


async def then_304(question: Question, wire: Wire) -> None:
    """Good once, then 304 whatever was asked."""
    if question.times > 1:
        await wire.head(304)
    else:
        await wire.answer(page("Once"))


async def then_empty(question: Question, wire: Wire) -> None:
    await wire.answer(page("Once") if question.times == 1 else b"", HTML)


async def then_not_found_as_200(question: Question, wire: Wire) -> None:
    await wire.answer(page("Once") if question.times == 1 else NOT_FOUND, HTML)


async def then_truncated(question: Question, wire: Wire) -> None:
    if question.times == 1:
        await wire.answer(page("Once"))
        return
    await wire.head(200, HTML, length=9000)
    await wire.send(page("Once")[:50])
    wire.hang_up()


async def then_bomb_called_gzip(question: Question, wire: Wire) -> None:
    await wire.answer(page("Once"), HTML, *([("Content-Encoding", "gzip")] if question.times > 1 else []))


async def then_500(question: Question, wire: Wire) -> None:
    await wire.answer(page("Once"), HTML, status=200 if question.times == 1 else 500)


async def then_login(question: Question, wire: Wire) -> None:
    if question.times == 1:
        await wire.answer(page("Once"))
    else:
        await wire.answer(b"", HTML, ("Location", "/"), status=302)


async def clock(question: Question, wire: Wire) -> None:
    body = page("Clock").replace(b"</main>", b"<p class=clock>It is %d o'clock</p></main>" % (question.times * 7919))
    await wire.answer(body)


async def by_agent(question: Question, wire: Wire) -> None:
    agent = question.headers.get("user-agent", "")
    body = page("For robots") if "recrawl" in agent or "Scrapy" in agent else page("For people")
    await wire.answer(body, HTML, ("Vary", "User-Agent"))


def dated(name: str, header: str, value: str) -> Case:
    return Case(name, Kind.TRUTH, "does not believe it", {BAD: saying(page(name), HTML, (header, value))}, KEEPS_ONE)


def keeps(name: str, answer: Answer, good: str = "keeps the good copy") -> Case:
    return Case(name, Kind.TRUTH, good, {BAD: answer}, KEEPS_ONE)


SOFT = saying(NOT_FOUND, HTML)

CASES = (
    keeps("etag-new-each-time", new_tag_each_time, "compares the content and finds nothing new"),
    Case("etag-always-the-same", Kind.TRUTH, "asks without it now and then", {BAD: same_tag_for_all}, ALL),
    Case("304-without-question", Kind.TRUTH, "keeps nothing", {BAD: always_304}, Expect(lost=(BAD,))),
    keeps("304-from-then-on", then_304),
    keeps("empty-from-then-on", then_empty),
    keeps("not-found-as-200-from-then-on", then_not_found_as_200),
    keeps("truncated-from-then-on", then_truncated),
    keeps("mislabelled-from-then-on", then_bomb_called_gzip),
    keeps("500-from-then-on", then_500),
    keeps("sent-home-from-then-on", then_login),
    Case("clock-on-the-page", Kind.TRUTH, "finds no change in a clock", {BAD: clock}, ALL),
    Case("vary-by-user-agent", Kind.TRUTH, "says who it is and takes what it is given", {BAD: by_agent}, ALL),
    dated("last-modified-in-the-future", "Last-Modified", "Fri, 01 Jan 2100 00:00:00 GMT"),
    dated("last-modified-before-the-web", "Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT"),
    dated("last-modified-garbage", "Last-Modified", "yesterday, more or less"),
    dated("last-modified-huge", "Last-Modified", "9" * 5000),
    dated("date-wrong", "Date", "Mon, 01 Jan 1900 00:00:00 GMT"),
    dated("expires-garbage", "Expires", "-1"),
    dated("cache-control-absurd", "Cache-Control", "max-age=99999999999999999999, immutable, x=" + "y" * 500),
    dated("etag-star", "ETag", "*"),
    dated("etag-huge", "ETag", '"' + "e" * 20_000 + '"'),
    dated("etag-with-line", "ETag", '"a\tb, "c"'),
    dated("age-negative", "Age", "-99999999"),
    dated("link-header-storm", "Link", ", ".join(f"</x{n}>; rel=stylesheet" for n in range(800))),
    dated("robots-header-storm", "X-Robots-Tag", ", ".join(["all"] * 5000)),
    dated("content-language-garbage", "Content-Language", "\xff" * 500),
    Case(
        "noindex-noarchive",
        Kind.TRUTH,
        "keeps no copy where none is wanted",
        {BAD: saying(page("Secret"), HTML, ("X-Robots-Tag", "noarchive, nofollow"))},
        Expect(asked=(BAD,), versions={BAD: 0}),
    ),
    Case(
        "soft-404-everywhere",
        Kind.TRUTH,
        "knows a page that says it is not there",
        {"/lost/*": SOFT},
        Expect(lost=("/lost/1",)),
        bad=("/lost/1",),
    ),
    Case(
        "401",
        Kind.TRUTH,
        "sends no password and says so",
        {BAD: saying(b"no", HTML, ("WWW-Authenticate", "Basic realm=x"), status=401)},
        Expect(lost=(BAD,), says={BAD: "401"}),
    ),
    Case("402", Kind.TRUTH, "says so", {BAD: saying(b"pay", HTML, status=402)}, Expect(lost=(BAD,), says={BAD: "402"})),
    Case("403", Kind.TRUTH, "says so", {BAD: saying(b"no", HTML, status=403)}, Expect(lost=(BAD,), says={BAD: "403"})),
    Case("404", Kind.TRUTH, "says so", {BAD: saying(b"no", HTML, status=404)}, Expect(lost=(BAD,), says={BAD: "404"})),
    Case("410", Kind.TRUTH, "says so", {BAD: saying(b"no", HTML, status=410)}, Expect(lost=(BAD,), says={BAD: "410"})),
    Case("418", Kind.TRUTH, "says so", {BAD: saying(b"tea", HTML, status=418)}, Expect(lost=(BAD,), says={BAD: "418"})),
    Case("451", Kind.TRUTH, "says so", {BAD: saying(b"law", HTML, status=451)}, Expect(lost=(BAD,), says={BAD: "451"})),
    Case("500", Kind.TRUTH, "says so", {BAD: saying(b"oh", HTML, status=500)}, Expect(lost=(BAD,), says={BAD: "500"})),
    Case("502", Kind.TRUTH, "says so", {BAD: saying(b"oh", HTML, status=502)}, Expect(lost=(BAD,), says={BAD: "502"})),
    Case("599", Kind.TRUTH, "says so", {BAD: saying(b"oh", HTML, status=599)}, Expect(lost=(BAD,), says={BAD: "599"})),
    Case(
        "proxy-wants-password",
        Kind.TRUTH,
        "sends none",
        {BAD: raw(b"HTTP/1.1 407 Proxy\r\nProxy-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")},
        Expect(lost=(BAD,)),
    ),
    Case(
        "negotiate",
        Kind.TRUTH,
        "sends none",
        {BAD: raw(b"HTTP/1.1 401 No\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n")},
        Expect(lost=(BAD,)),
    ),
)
