"""A megabyte of malice costs in proportion to its bytes: four times the input, not sixteen times the work."""

import gzip
import time
from collections.abc import Callable

import pytest

from tests.fuzz.targets import run

GROWTH = 4
TOO_STEEP = 10  # linear grows by 4, quadratic by 16
FLOOR_S = 0.004  # what costs less does not matter: the megabyte is then read within 40 ms, however it grew
ATTEMPTS = 3
MEGABYTE = 1_000_000

INPUTS: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "an address of dots": ("addresses", lambda n: b"/../" * (n // 4)),
    "an address of escapes": ("addresses", lambda n: b"http://a/" + b"%2e%2" * (n // 5)),
    "an address of labels": ("addresses", lambda n: b"http://" + b"a." * (n // 2)),
    "an address of parameters": ("addresses", lambda n: b"http://a/?" + b"a=1&" * (n // 4)),
    "robots.txt of stars": ("robots", lambda n: b"User-agent: *\nDisallow: /" + b"*a" * (n // 2)),
    "robots.txt of rules": ("robots", lambda n: b"User-agent: *\n" + b"Disallow: /a*b$\n" * (n // 16)),
    "robots.txt of agents": ("robots", lambda n: b"User-agent: a\n" * (n // 14)),
    "robots.txt of returns": ("robots", lambda n: b"\r" * n),
    "a head of headers": ("http", lambda n: b"HTTP/1.1 200 OK\r\n" + b"Link: <a>; rel=hub\r\n" * (n // 20)),
    "one long header": ("http", lambda n: b"HTTP/1.1 200 OK\r\nLink: " + b"<a>;" * (n // 4) + b"\r\n\r\n"),
    "a header of spaces": ("http", lambda n: b"HTTP/1.1 200 OK\r\nCache-Control:" + b" " * n + b"x\r\n\r\n"),
    "charset declarations": ("charsets", lambda n: b"\n" + b"<meta charset=x " * (n // 16)),
    "comments before the charset": ("charsets", lambda n: b"\n" + b"<!--" * (n // 4)),
    "bytes of no charset": ("charsets", lambda n: b"\n" + bytes(range(128, 256)) * (n // 128)),
    "a sitemap of entries": ("sitemaps", lambda n: b"<urlset>" + b"<url><loc>http://a/</loc></url>" * (n // 31)),
    "a sitemap of one tag": ("sitemaps", lambda n: b"<urlset><url a='" + b"x" * n),
    "a sitemap of lines": ("sitemaps", lambda n: b"http://a/\n" * (n // 10)),
    "a sitemap of nests": ("sitemaps", lambda n: b"<a>" * (n // 3)),
    "a sitemap of entities": ("sitemaps", lambda n: b"<!DOCTYPE a [" + b'<!ENTITY a "aaaa">' * (n // 18)),
    "a zipped sitemap": ("sitemaps", lambda n: gzip.compress(b"<urlset>" + b" " * n * 10)),
    "a feed of items": (
        "feeds",
        lambda n: b"<rss><channel>" + b"<item><link>a</link></item>" * (n // 27),
    ),
    "a feed of attributes": ("feeds", lambda n: b"<rss " + b" ".join(b"a%d='1'" % i for i in range(n // 10)) + b">"),
    "a feed of brackets": ("feeds", lambda n: b"[" * n),
    "a feed of braces": ("feeds", lambda n: b'{"a":' * (n // 5)),
    "a script of nests": ("crawl_script", lambda n: b"<site>" * (n // 6)),
    "a site file of tables": ("site_file", lambda n: b"".join(b"[a%d]\n" % i for i in range(n // 9))),
    "a site file of brackets": ("site_file", lambda n: b"a=" + b"[" * (n // 50)),
    "a site file of dots": ("site_file", lambda n: b"a." * (n // 2)),
    "a site file of letters": ("site_file", lambda n: b"a" * n + b"."),
    "a history of lines": ("history", lambda n: b"/a 20260101120000 1 N\n" * (n // 22)),
    "a letter of headers": ("letter", lambda n: b"Subject: x\n" * (n // 11)),
    "a letter of parts": ("letter", lambda n: b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n" * (n // 4)),
    "a letter of words": ("letter", lambda n: b"From: " + b"=?utf-8?q?a?= " * (n // 14)),
    "a letter of addresses": ("letter", lambda n: b"From: " + b"<a@b>,(" * (n // 7)),
    "a form of fields": ("registrations", lambda n: b"a=1&" * (n // 4)),
    "a form of braces": ("registrations", lambda n: b'{"a":' * (n // 5)),
    "a mailbox of letters": ("mailboxes", lambda n: b"From a\nSubject: x\n\nb\n\n" * (n // 22)),
    "a ping of brackets": ("pushes", lambda n: b"x\n" + b"[" * n),
    "a signature of signs": ("pushes", lambda n: b"t=1," * (n // 4) + b"\nx"),
    "a WARC of records": ("warcs", lambda n: b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n" * (n // 33)),
    "a WARC of headers": ("warcs", lambda n: b"WARC/1.0\r\n" + b"a: b\r\n" * (n // 6)),
    "an index line": ("cdx_lines", lambda n: b'a 20260101000000 {"url":"' + b"\\u0061" * (n // 6) + b'"}'),
    "an address key": ("urlkeys", lambda n: b"http://a/" + b"../;a?" * (n // 6)),
    "an address key of letters": ("urlkeys", lambda n: "é".encode() * (n // 2)),
    "a list of commas": ("lists", lambda n: b"," * n),
    "a list of quotes": ("lists", lambda n: b'"' * n),
    "a question": ("search", lambda n: b'-"a OR ' * (n // 7)),
    "a pattern of stars": ("patterns", lambda n: b"/" + b"*a" * min(n // 500, 2000) + b"\nhttp://a/" + b"a" * n),
}


def cost(name: str, data: bytes) -> float:
    start = time.process_time()
    run(name, data)
    return time.process_time() - start


@pytest.mark.parametrize("what", INPUTS)
def test_the_work_grows_with_the_bytes(what: str) -> None:
    name, make = INPUTS[what]
    small, large = make(MEGABYTE // GROWTH), make(MEGABYTE)
    ratios = []
    for _ in range(ATTEMPTS):  # a busy machine may slow one down, never make a quadratic one quick
        least = min(cost(name, small) for _ in range(2))
        ratios.append(cost(name, large) / max(least, FLOOR_S))
        if ratios[-1] <= TOO_STEEP:
            return
    raise AssertionError(f"{what}: four times the bytes cost {min(ratios):.0f} times as much")
