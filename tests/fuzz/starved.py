"""Every function of the compiled part with each of its allocations refused, alone and with all that follow: it raises
MemoryError, or gives the same as ever. `make sanitize` runs this under the sanitizers.
"""

import _testcapi
import socket
import struct
import sys
from array import array
from collections.abc import Callable
from math import inf
from select import select
from time import monotonic
from typing import Any

import recrawl.archive.tray
import recrawl.detect.content
import recrawl.engine.asking.revisit
import recrawl.engine.scheduling.kin
import recrawl.engine.settling.confirmed
import recrawl.extract.page_read
import recrawl.extract.sight
import recrawl.fetch.journal
import recrawl.schedule.numbers  # noqa: F401 (they tell the compiled part what it reads)
from recrawl.archive.member import stored
from recrawl.archive.record import Record
from recrawl.engine.settling.arrival import Arrival
from recrawl.extract import turbo
from recrawl.extract.contexts import Contexts
from recrawl.extract.resolve import is_origin
from recrawl.extract.settings import DEFAULT
from recrawl.extract.text import Run
from recrawl.formats.cdxj import CdxLine, written
from recrawl.model.capture import Capture
from recrawl.model.document import Block, Document, Media
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Link, Page, Status
from recrawl.model.swift import replace
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply, Times, Why
from recrawl.native import compiled
from recrawl.store.columns import EVENT_PLAN, PAGE_PLAN
from recrawl.store.columns import PAGE as COLUMNS
from recrawl.store.rows import page_row

WIRES = socket.socketpair()
MOST_ALLOCATIONS = 2_000  # of one call
REFUSED = object()
SPARES = 100  # of lists, and of dictionaries and numbers
UNHARMED = 20  # answers in a row: it asks for no more
LONG = "A sentence that is long enough to be taken for content by itself, whatever stands around it. "
PAGE = (
    "<!doctype html><html><head><title>T\u00e9 &amp; x</title><base href=/d/><meta name=robots content=noindex>"
    "<link rel=next href='/n?a=1&amp;b'></head><body><main class='a b-c nav2' id=x>"
    f"<div class=post><p>{LONG * 2}<a href='/x?&amp;{'y' * 600}'>\u6771\u4eac {LONG}</a><a rel=nofollow href=/b>b</a>"
    f"<area href=/c rel=x><br>{LONG}</div><table><tr><td>x</table><iframe src=/q></iframe></main></body></html>"
)
PLAIN = PAGE.replace("<area href=/c rel=x>", "<p class='[&amp;]'>&eacute;</p><select><option>o</select><h2>h</h2>")
LINES = [b"HTTP/1.1 200 OK\r\n", b"Server: x\r\n", b"X-Odd-Name: y\r\n", b"\r\n"]
PAIRS = tuple((f"name{number}", "v" * 300) for number in range(20))
ITEMS = [("a", "/x", None, "t"), ("a", "http://o.example/y", None, "t"), ("a", None, None, ""), ("a", "z", None, "")]
LINE = CdxLine(
    "org,e)/", "20260101000000", "http://e.org/", "text/html", "200", "A" * 32, 5, 6, "f", (("sha256", "0f" * 32),)
)
SAME = Capture(
    "http://e.org/", 1767225699.5, Reply(Ask(""), 0.0, Evidence.NOT_MODIFIED, 304, peer="127.0.0.1"), "", 1767225600.5
)
KEY = b"org,e)/ 20260101000000 "
DOCUMENT = Document(
    Media.HTML,
    main=(Block(0, "\u00e9 " + " ".join(f"w{number}" for number in range(600))),),
    links=tuple(Link(f"http://e/{number}?q={number}", "a", f"w{number} \u00e9") for number in range(300)),
)
KNOWN = Page(1, "http://h.example/x", "h.example", "s", simhash=1 << 63, found_at=5.0)
NUMBERS = {"": 0, "s": 1}
ROW = (*page_row(KNOWN, NUMBERS), KNOWN.server)
CONFIRMED = Arrival(
    replace(KNOWN, status=Status.LIVE, body_digest=b"x" * 32, changed_at=5.0, visits=300, conditional=300),
    Why.DUE,
    replace(SAME.reply, ask=Ask("", '"a"'), headers=(("etag", '"b"'),), received_bytes=300),
    Verdict(Change.SAME),
)
LINE_DIGEST = "sha256:" + "0f" * 32
FIRST = Arrival(
    KNOWN,
    Why.FIRST,
    Reply(Ask(""), 0.0, Evidence.DOCUMENT, 200, (("etag", '"b"'),), body=b"x", received_bytes=300),
    Verdict(Change.NEW, body_digest=b"x" * 32),
    Document(Media.HTML),
)
SEEN = replace(CONFIRMED, page=replace(CONFIRMED.page, site="t", checked_at=5.0))
WHOLE = turbo.parse(PAGE).whole()


def anew(text: str) -> str:
    """Another object, which nobody has asked for its UTF-8 yet."""
    return text[:1] + text[1:]


def page_read() -> Any:
    contexts = Contexts()
    return compiled.read_page(anew(WHOLE or ""), contexts.body, contexts.child, DEFAULT.link_text_chars)


def source_read() -> Any:
    """And another version beside it."""
    contexts = Contexts()
    body, child, chars = contexts.body, contexts.child, DEFAULT.link_text_chars
    *read, trail = compiled.read_source(anew(PLAIN), 1_000, body, child, chars, None)
    beside = compiled.read_source(anew(PLAIN.replace("<br>", "<hr>")), 1_000, body, child, chars, trail)
    return read, beside


def both_read() -> Any:
    """Up to what differs."""
    contexts = Contexts()
    page = (
        f"<html><head><title>t</title></head><body><main><p>{LONG * 2}<p>\u6771 a<a href=/x>t</a></main></body></html>"
    )
    settings = contexts.body, contexts.child, DEFAULT.link_text_chars, anew, "http://h.example", is_origin, 1_000
    (*old, _), *rest = compiled.beside(
        anew(page), anew(page.replace(" a<", " b<")), 1_000, *settings, compiled.Met(9, 1)
    )
    return old, rest  # but for the trail, which is another one each time


def side_by_side() -> Any:
    """Of runs and items whose texts nobody has asked for their UTF-8 yet."""
    runs = [Run(0, anew(LONG * 2), 0, 0, 0, "p"), Run(1, anew("\u6771 a"), 0, 0, 0, "p"), Run(1, "b", 0, 0, 0, "p")]
    other = [runs[0], Run(1, anew("\u6771 c"), 0, 0, 0, "p"), Run(2, "d", 0, 0, 0, "p"), runs[2]]
    return compiled.side_by_side(runs, other, [*ITEMS, ("link", {"title": "b"})], anew)


def unmet_items() -> Any:
    known = compiled.Met(10, 5)
    known.remember(["http://h/x"])
    return compiled.unmet_items(ITEMS, "http://h", is_origin, 1_000, known)


def link_targets() -> Any:
    """Of a document, and of another version of it."""
    links = tuple(replace(link, text=link.text) for link in DOCUMENT.links)
    versions = (DOCUMENT.main, (*DOCUMENT.main, Block(0, "other words")))
    return [compiled.link_targets(main, links, 5_000) for main in versions]


def met() -> bool:
    known = compiled.Met(10, 5)
    known.remember(["http://e/\u00e9", *map(str, range(20))])
    return "http://e/\u00e9" in known


def head_lines() -> Any:
    head = compiled.HeadLines()
    head.begin(20, 2)
    return [head(line) for line in LINES], head.lines, head.is_over


def in_order() -> Any:
    runs: list[bytes] = []
    compiled.write_in_order(b"b\na\n", runs.append, 2)
    return runs


def answering(inflate: Callable[[bytes, Ask], bytes]) -> None:
    compiled.answering(Reply, Times, monotonic, Evidence.NOT_MODIFIED, Evidence.DOCUMENT, inflate, 99)


def not_modified() -> Any:
    answering(lambda body, ask: body)
    came = [b"HTTP/1.1 304 Not Modified\r\n", *LINES[1:]]
    return compiled.not_modified(SAME.reply.ask, 1.5, "h", "/", [b"If-None-Match: 1"], came, SAME.reply.times, "", 5)


def came_whole() -> Any:
    came = [b"HTTP/1.1 200 OK\r\n", b"Content-Encoding: gzip\r\n", *LINES[1:]]
    answering(lambda body, ask: bytes([*body]))
    return compiled.came_whole(SAME.reply.ask, 1.5, "h", "/", [b"a: b"], came, SAME.reply.times, "", 5, b"body")


def first_noted() -> Any:
    """And the page after it."""
    pages: dict[int, Page] = {}
    rows: tuple[list[object], ...] = ([], [], [])
    noted = compiled.first_noted(replace(FIRST), KNOWN, pages, *rows)
    return noted, pages, rows, compiled.checked([FIRST], bytes(64), bytes(8), bytes(8))


def told_rows() -> Any:
    told = Event(EventKind.ADDED, 5.5, KNOWN.url, "s", 1, LINE_DIGEST, facts={"target": "x"})
    return compiled.rows_of(EVENT_PLAN, [told, told], NUMBERS)


def kept() -> Any:
    rows: list[tuple[object, ...]] = []
    keep = compiled.keeper(rows)
    keep(1, "x" * 300)
    return rows


def received() -> Any:
    """What a call before could not take is there, too."""
    near, far = WIRES
    compiled.sent(near.fileno(), b"x" * 300)
    return compiled.received(far.fileno())[:300]


def answered() -> Any:
    """Nothing is left of a call before."""
    near, far = WIRES
    answering(lambda body, ask: body)
    while select([far], [], [], 0)[0]:
        far.recv(65536)
    near.send(b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n')
    asked = SAME.reply.ask, 1.5, b"GET / HTTP/1.1\r\nIf-None-Match: 1\r\n\r\n"
    return replace(compiled.answered(far.fileno(), *asked, monotonic(), "", 999, 99), times=Times())


def confirmed_run() -> Any:
    pages: dict[int, Page] = {}
    visits: list[object] = []
    copies: list[object] = []
    only_checked: list[Page] = []
    arrival = replace(CONFIRMED)
    noted = compiled.confirmed_run([arrival], [KNOWN], 0, {}, str.isascii, True, pages, visits, copies, only_checked)
    return noted, pages, visits, copies, only_checked


LAWS = tuple(array("d", [0.1] * count) for count in (12, 12, 12, 144, 12, 1, 1))
STATES = struct.pack("<d56x", 1e8) * 2
CLOCKS = (0.0, 9, 1, array("d", range(10)))


def moments() -> "array[float]":
    return array("d", [2e8, 2e8])


def truths(count: int) -> memoryview:
    return memoryview(bytearray(count)).cast("?")


def folded() -> Any:
    states, sums, proof = bytearray(STATES), array("d", [1.0] * 12), array("d", [0.0] * 7)
    trust = tuple(array("d", [1.0]) for _ in range(5))
    outcomes = array("q", [0, 0]), array("q", [0, 0]), array("q", [0, 0]), truths(2), moments()
    seen = moments(), truths(2), truths(2), moments(), moments(), moments()
    group = array("q", [0, 0])
    count = compiled.folded(
        states, seen, group, None, LAWS, array("q", [0]), truths(1), *CLOCKS, array("d", [*range(10)] * 7), sums, proof,
        trust, outcomes,
    )  # fmt: skip
    return count and (count, states, sums, proof, trust)


def next_gaps(find: Any = compiled.next_gaps) -> Any:
    found, weight, rhythm = moments(), array("d", [0.1] * 7), array("d", [1.0] * 24)
    trust = tuple(array("d", [1.0]) for _ in range(5))
    wishes = (2e8, 1.0, 0.1, 1e7, 60.0, 1e6, 0.0, 0.0, 2e4)
    left = find(
        STATES, moments(), moments(), moments(), array("q", [0, 0]), array("q", [0, 0]), LAWS, array("q", [0]), *CLOCKS,
        weight, rhythm, trust, wishes, found,
    )  # fmt: skip
    return None if left is None else (left, found)


CALLS: dict[str, Callable[[], Any]] = {
    "alike": lambda: compiled.alike([(1, 2, 0, 1, 3, 4.0, 5.0)], 1e9),
    "came_whole": came_whole,
    "checked": lambda: compiled.checked([CONFIRMED], bytes(64), bytes(8), bytes(8)),
    "clean_behind": lambda: compiled.clean_behind("https://a", ["https://a/b"], 99),
    "condition_lines": lambda: compiled.condition_lines('"a"', "1"),
    "plain_head": lambda: compiled.plain_head("http://h/a", 8, '"a"', "1", b" HTTP/1.1\r\n"),
    "confirmed": lambda: compiled.confirmed(CONFIRMED.page, CONFIRMED.why, CONFIRMED.reply),
    "confirmed_run": confirmed_run,
    "deflated": lambda: compiled.deflated(b"Header: value\r\n" * 50, False),
    "first_noted": first_noted,
    "fitting_line": lambda: compiled.fitting_line([""], [written(LINE)], KEY, "http://e.org/", "", ""),
    "head": lambda: compiled.head(LINES),
    "head_lines": head_lines,
    "is_plain_head": lambda: compiled.is_plain_head(b"".join(LINES), (b"x",)),
    "joined_lines": lambda: compiled.joined_lines(bytes(48), [(-1, 2, 3), (0, 4, 5)]),
    "is_plain_request": lambda: compiled.is_plain_request(b"GET / HTTP/1.1\r\na: b\r\n\r\n", (b"x",)),
    "keeper": kept,
    "kin_names": lambda: compiled.kin_names([KNOWN, KNOWN], {"s": 1.0}, 1e9, 1e6, 1e6),
    "laid_out": lambda: compiled.laid_out(bytes(24 * 8), b"", bytes(7 * 8), bytes(7 * 8), 5, 3),
    "line_key": lambda: compiled.line_key("http://e.org/a", 5.5),
    "lines_beginning_with": lambda: compiled.lines_beginning_with(b"a 1\na 2\nb 3\n", b"a "),
    "lines_of": lambda: compiled.lines_of(bytes(48), 0),
    "link_targets": link_targets,
    "record_parts": lambda: compiled.record_parts(b"WARC/1.1\r\na: b\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"),
    "response_told": lambda: compiled.response_told(
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: u\r\nWARC-Date: d\r\nContent-Length: 38\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nX-Odd-Name: y\r\n\r\nbody\r\n\r\n"
    ),
    "unpacked": lambda: compiled.unpacked(stored(b"Header: value\r\n" * 50, b"block", 1)),
    "stand_alike": lambda: compiled.stand_alike(
        (*DOCUMENT.main, Block(0, "gone")), (*DOCUMENT.main, Block(0, "come")), DOCUMENT.links, 5_000
    ),
    "due_again": lambda: compiled.due_again(bytearray(64), bytes(8), bytes(8), 60.0),
    "beside": both_read,
    "bindable": lambda: compiled.bindable([(1, None), (b"2", True)], 0.0),
    "side_by_side": side_by_side,
    "ends": lambda: compiled.ends(ITEMS, ITEMS[1:], True),
    "folded": folded,
    "folded_blocks": lambda: compiled.folded_blocks(
        (*DOCUMENT.main, Block(0, "a"), Block(0, "b", 1)), lambda block: block
    ),
    "main_runs": lambda: compiled.main_runs([Run(0, LONG * 2, 0, 0, 0, "p"), Run(0, "x", 0, 1, 4, "p")]),
    "made": lambda: (Record(fields=()), CdxLine(*[""] * 9)),
    "met": met,
    "named_fields": lambda: compiled.named_fields(PAIRS),
    "next_gaps": next_gaps,
    "not_modified": not_modified,
    "own_line": lambda: compiled.own_line(written(LINE)),
    "packed_answers": lambda: compiled.packed_answers([(1, SAME.reply)]),
    "plain_links": lambda: compiled.plain_links(ITEMS, "http://h", Link, is_origin, 1_000),
    "prepared": lambda: compiled.prepared(array("d", [1.0 / 12] * 12)),
    "read_page": page_read,
    "read_source": source_read,
    "replace": lambda: replace(LINE, url="x"),
    "received": received,
    "answered": answered,
    "rows_of": lambda: compiled.rows_of(PAGE_PLAN, [KNOWN], NUMBERS, ([1], [None])),
    "rows_plan": lambda: compiled.rows_plan(Page, COLUMNS) is not None,
    "saved_by": lambda: compiled.saved_by([CONFIRMED, SEEN, SEEN]),
    "sha1_text": lambda: compiled.sha1_text(b"x" * 20),
    "sighted": lambda: compiled.sighted([CONFIRMED], 64),
    "sight": lambda: compiled.sight(anew(PAGE), 1_000, "http://h.example", None),
    "tag_letters": lambda: compiled.tag_letters("<b>é</b><html>"),
    "told_rows": told_rows,
    "unchanged": lambda: compiled.unchanged(written(LINE), 5.5, 4.5, "<x>", "", "x.warc.gz", 7),
    "unchanged_run": lambda: compiled.unchanged_run([SAME], 0, [""], [written(LINE)], inf, str, "f", 0, 99),
    "unmet_items": unmet_items,
    "urlkey": lambda: compiled.urlkey("http://e.org/a?c&b"),
    "urn_uuids": lambda: compiled.urn_uuids(b"x" * 32),
    "values_of": lambda: compiled.values_of(PAGE_PLAN, [ROW], {0: "", 1: "s", None: ""}),
    "warc_date": lambda: compiled.warc_date(5.5),
    "write_in_order": in_order,
    "worths": lambda: next_gaps(compiled.worths),
    "written_line": lambda: compiled.written_line("k", "t", "u", "m", "200", "d", "f", "", 1, 2),
}


def main() -> int:
    assert all(call() is not None for call in CALLS.values())  # nothing is left to Python
    refused = sum(starved(name, call, once) for name, call in CALLS.items() for once in (True, False))
    print(f"{len(CALLS)} functions without memory, {refused} times refused, no complaint", flush=True)
    return 0


def spares() -> object:
    """Python keeps some objects that are gone for the next of their kind: as long as these are held, none is left, and
    each must be asked for."""
    return [([], {}, float(number)) for number in range(SPARES)]


def starved(name: str, call: Callable[[], Any], once: bool) -> int:
    """How often it was refused what it asked for."""
    usual, refused, unharmed = call(), 0, 0
    held: list[object] = []
    for at in range(MOST_ALLOCATIONS):
        held.append(spares())
        _testcapi.set_nomemory(at, at + 1 if once else 0)
        try:
            answer = call()
        except MemoryError:
            answer = REFUSED
        finally:
            _testcapi.remove_mem_hooks()
        if answer is REFUSED:
            refused, unharmed = refused + 1, 0
            continue
        assert answer == usual, (name, at)
        unharmed += 1
        if unharmed == UNHARMED:
            return refused
    raise AssertionError(f"{name} asks for memory without end")


if __name__ == "__main__":
    sys.exit(main())
