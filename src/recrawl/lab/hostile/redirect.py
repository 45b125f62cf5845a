"""Redirects that lead round, away, inside or nowhere."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Answer, Case, Expect, Kind, moved, page, raw, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

INNER = "127.81.0.1"  # listens, belongs to nobody, and must never be asked
PRIVATE = ("10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1")
LEADS = "follows a redirect only to a page it may ask for"


async def longer_and_longer(question: Question, wire: Wire) -> None:
    await wire.answer(b"", HTML, ("Location", question.path + "a"), status=302)


async def counts_up(question: Question, wire: Wire) -> None:
    number = int(question.path.rpartition("/")[2] or 0)
    await wire.answer(b"", HTML, ("Location", f"/chain/{number + 1}"), status=302)


async def to_itself_with_cookie(question: Question, wire: Wire) -> None:
    """A cookie wall: the page is shown only to those who bring the cookie back."""
    if "seen=1" in question.headers.get("cookie", ""):
        await wire.answer(page("Behind the wall"))
        return
    await wire.answer(b"", HTML, ("Location", question.path), ("Set-Cookie", "seen=1"), status=302)


async def other_port(question: Question, wire: Wire) -> None:
    await wire.answer(b"", HTML, ("Location", f"http://{question.host}:9/{'secret'}"), status=302)


async def refreshes(question: Question, wire: Wire) -> None:
    other = "/refresh/b" if question.path.endswith("a") else "/refresh/a"
    head = f'<html><head><meta http-equiv="refresh" content="0; url={other}"><title>Round</title></head>'.encode()
    await wire.answer(head + page("Round and round")[60:])


async def refreshes_for_ever(question: Question, wire: Wire) -> None:
    number = int(question.path.rpartition("/")[2] or 0)
    head = f'<html><head><meta http-equiv="refresh" content="0; url=/on/{number + 1}"></head><body>on'.encode()
    await wire.answer(head)


def leads(name: str, target: str, good: str = LEADS, status: int = 302, *, never: tuple[str, ...] = ()) -> Case:
    return Case(name, Kind.REDIRECT, good, {BAD: moved(target, status)}, Expect(lost=(BAD,), never=never))


def inside(host: str) -> Case:
    target = f"http://{host}/" if ":" in host and not host.endswith("]") else f"http://{host}:{{port}}/secret"
    return Case(
        f"redirect-to-{host}",
        Kind.REDIRECT,
        "never asks an inner address that it was not told it owns",
        {BAD: to_port(target)},
        Expect(lost=(BAD,)),
    )


def to_port(target: str) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(b"", HTML, ("Location", target.replace("{port}", str(question.port))), status=302)

    return answer


LOOP = {"/loop/a": moved("/loop/b"), "/loop/b": moved("/loop/c"), "/loop/c": moved("/loop/a")}

CASES = (
    Case("redirect-to-itself", Kind.REDIRECT, "stops at once", {BAD: moved(BAD)}, Expect(lost=(BAD,), requests=6)),
    Case(
        "redirect-loop",
        Kind.REDIRECT,
        "asks for each page of the loop once",
        LOOP,
        Expect(lost=tuple(LOOP), requests=8),
        bad=("/loop/a",),
    ),
    Case(
        "redirect-chain-without-end",
        Kind.REDIRECT,
        "stops after a few, and says so",
        {"/chain/*": counts_up},
        Expect(requests=12, says={"/chain/5": "redirects"}),
        bad=("/chain/0",),
    ),
    Case(
        "redirect-that-grows",
        Kind.REDIRECT,
        "stops after a few",
        {"/grow*": longer_and_longer},
        Expect(requests=12),
        bad=("/grow",),
    ),
    Case(
        "redirect-chain-of-three",
        Kind.REDIRECT,
        "arrives",
        {"/c/1": moved("/c/2", 301), "/c/2": moved("/c/3", 307), "/c/3": saying(page("Arrived"))},
        Expect(kept=(FRONT, GOOD, "/c/3"), lost=("/c/1", "/c/2")),
        bad=("/c/1",),
    ),
    leads("redirect-to-file", "file:///etc/passwd"),
    leads("redirect-to-data", "data:text/html,<a href=/evil>x</a>", never=("/evil",)),
    leads("redirect-to-javascript", "javascript:alert(1)"),
    leads("redirect-to-ftp", "ftp://127.0.0.1/x"),
    leads("redirect-to-gopher", "gopher://127.0.0.1:6379/_FLUSHALL"),
    leads("redirect-to-mailto", "mailto:a@example.org"),
    leads("redirect-to-nowhere", ""),
    leads("redirect-to-spaces", "   "),
    leads("redirect-to-garbage", "http://[::1"),
    leads("redirect-to-nul", "/with\\x00nul"),
    leads("redirect-to-port-zero", "http://127.0.0.1:0/"),
    leads("redirect-to-port-99999", "http://127.0.0.1:99999/"),
    leads("redirect-with-fragment-only", "#here"),
    leads("redirect-too-long", "/" + "x" * 60_000),
    leads("redirect-to-another-host", "http://example.invalid/", "does not leave the site"),
    Case(
        "redirect-with-credentials",
        Kind.REDIRECT,
        "never sends a password that a server made up",
        {BAD: moved("http://admin:secret@{host}/private")},
        Expect(lost=(BAD,)),
    ),
    Case(
        "redirect-relative",
        Kind.REDIRECT,
        "resolves it",
        {"/dir/x": moved("../up.html"), "/up.html": saying(page("Up"))},
        Expect(kept=(FRONT, GOOD, "/up.html")),
        bad=("/dir/x",),
    ),
    Case(
        "redirect-with-two-locations",
        Kind.REDIRECT,
        "takes one of them or none",
        {
            BAD: raw(b"HTTP/1.1 302 Found\r\nLocation: /one\r\nLocation: /two\r\nContent-Length: 0\r\n\r\n"),
            "/one": saying(page("One")),
            "/two": saying(page("Two")),
        },
        Expect(lost=(BAD,)),
    ),
    Case(
        "redirect-without-location",
        Kind.REDIRECT,
        "says that it leads nowhere",
        {BAD: saying(page("Where?"), HTML, status=301)},
        Expect(lost=(BAD,), says={BAD: "_"}),
    ),
    Case("redirect-to-another-port", Kind.REDIRECT, "does not leave the site", {BAD: other_port}, Expect(lost=(BAD,))),
    Case(
        "redirect-header-injection",
        Kind.REDIRECT,
        "sends no line that a server made up",
        {BAD: moved("/x%0d%0aX-Evil:%201\tand\tmore")},
        Expect(lost=(BAD,)),
    ),
    *(inside(host) for host in (INNER, "2130706433", "0x7f000001", "[::ffff:127.81.0.1]", *PRIVATE)),
    Case(
        "refresh-loop",
        Kind.REDIRECT,
        "asks for each page once",
        {"/refresh/*": refreshes},
        Expect(requests=8),
        bad=("/refresh/a",),
    ),
    Case(
        "refresh-without-end",
        Kind.REDIRECT,
        "sees that it leads nowhere and stops",
        {"/on/*": refreshes_for_ever},
        Expect(requests=260),
        bad=("/on/0",),
    ),
    Case(
        "cookie-wall",
        Kind.REDIRECT,
        "keeps nothing and does not go round",
        {BAD: to_itself_with_cookie},
        Expect(lost=(BAD,), requests=6),
    ),
)
