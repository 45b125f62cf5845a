"""Sitemaps and feeds: found by themselves, read again, their differences fetched, their lies soon ignored."""

import time
from collections import Counter
from pathlib import Path

from recrawl.formats import atom, sitemap_xml
from recrawl.formats.atom import Feed, Item
from recrawl.formats.sitemap_xml import Listed, Sitemap
from recrawl.model.address import fingerprint
from recrawl.model.page import Rank
from recrawl.store.sqlite import open_sqlite
from tests.flow.told import Town, web_town

THEN = 1_600_000_000
WORDS = ("harbour", "lantern", "meadow", "orchard", "quarry", "ribbon", "saddle", "timber", "velvet", "willow")


def _text(version: int) -> str:
    chosen = [WORDS[(version * 7 + place * (version + 3)) % len(WORDS)] for place in range(60)]
    return f"<html><body><p>{' '.join(chosen)} number {version}</p></body></html>"


def _sitemap(made: Town, moments: dict[str, int]) -> None:
    listed = tuple(Listed(made.url + name, THEN + moment) for name, moment in moments.items())
    made.write("sitemap.xml", sitemap_xml.render(Sitemap(listed)))


def _feed(made: Town, moments: dict[str, int]) -> None:
    items = tuple(Item(made.url + name, THEN + moment, name) for name, moment in moments.items())
    made.write("feed.atom", atom.render(Feed(made.url + "feed.atom", "News", THEN, items)))


def _start(made: Town, documents: int = 6) -> None:
    """Three pages linked, the others in the sitemap alone; a feed named by the first page."""
    for number in range(documents):
        made.write(f"{number}.html", _text(number))
    links = "".join(f'<a href="/{number}.html">{number}</a> ' for number in range(3))
    feed = '<link rel="alternate" type="application/atom+xml" href="/feed.atom">'
    made.write("index.html", f"<html><head>{feed}</head><body><p>Welcome home</p>{links}</body></html>")
    (made.root / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {made.url}sitemap.xml\n")
    _sitemap(made, {f"{number}.html": 0 for number in range(documents)})
    _feed(made, {"0.html": 0})
    made.run("add", made.url, "--own", "--name", "town", "--folder", "crawl")
    made.crawl()


def _read_again(made: Town, *names: str) -> set[str]:
    """Let the time of a signal come, and crawl; what was asked (a small change perhaps twice: it might be noise)."""
    store = open_sqlite(made.folder / "crawl" / "recrawl.db")
    store.make_due(time.time(), ids=[fingerprint(made.url + name) for name in names], rank=Rank.SIGNAL)
    store.close()
    made.asked()
    made.crawl()
    return {path for path, _ in made.asked()}


def test_pages_named_by_a_sitemap_are_found_and_signals_are_not_counted_as_pages(tmp_path: Path) -> None:
    with web_town(tmp_path) as made:
        _start(made)
        asked = Counter(path for path, _ in made.asked())
        assert set(asked) == {"/", "/sitemap.xml", "/feed.atom", *(f"/{number}.html" for number in range(6))}
        assert max(asked.values()) == 1
        [status] = made.run("status", "crawl", "--json")
        assert (status["pages"], status["known"], status["visits"]) == (7, 7, 7)
        urls = {line["url"] for line in made.run("changes", "crawl", "--json")}
        assert not [url for url in urls if "sitemap" in url or "feed" in url]


def test_differences_of_a_sitemap_and_a_feed_are_fetched_at_once_and_nothing_else_is(tmp_path: Path) -> None:
    with web_town(tmp_path) as made:
        _start(made)
        made.write("3.html", _text(30))
        made.write("6.html", _text(6))
        (made.root / "5.html").unlink()
        _sitemap(made, {"0.html": 0, "1.html": 0, "2.html": 0, "3.html": 99, "4.html": 0, "6.html": 99})
        assert _read_again(made, "sitemap.xml") == {"/3.html", "/5.html", "/6.html", "/sitemap.xml"}
        made.write("0.html", _text(40))
        _feed(made, {"0.html": 99, "7.html": 5})
        made.write("7.html", _text(7))
        assert _read_again(made, "feed.atom") == {"/0.html", "/7.html", "/feed.atom"}
        told = {(one["source"], one["kind"], one["url"][len(made.url) :], one["proved"]) for one in _notices(made)}
        assert told == {
            ("sitemap", "U", "3.html", True),
            ("sitemap", "A", "6.html", True),
            ("sitemap", "D", "5.html", True),
            ("feed", "U", "0.html", True),
            ("feed", "A", "7.html", True),
        }
        removed = made.run("changes", "crawl", "--json", "--kind", "removed")
        assert [line["url"] for line in removed] == [made.url + "5.html"]


def _notices(made: Town) -> list[dict[str, object]]:
    return made.run("notices", "--folder", "crawl", "--json", "--limit", "1000")


def test_a_sitemap_that_lies_is_soon_not_listened_to(tmp_path: Path) -> None:
    with web_town(tmp_path) as made:
        _start(made, 40)
        requests = []
        for moment in range(1, 4):
            _sitemap(made, {f"{number}.html": moment for number in range(40)})
            requests.append(len(_read_again(made, "sitemap.xml")))
        assert 6 <= requests[0] <= 14  # the sitemap, five on credit and a sample: nobody is believed at once
        assert requests[2] <= 8  # a sample, in case it mends its ways
        [trust] = made.run("notices", "trust", "--folder", "crawl", "--json")
        assert (trust["source"], trust["listened_to"]) == ("sitemap", False)


def test_a_sitemap_that_is_a_page_or_a_bomb_or_speaks_of_others_does_no_harm(tmp_path: Path) -> None:
    with web_town(tmp_path) as made:
        _start(made)
        for body in (
            b"<!DOCTYPE html><html><body>Welcome</body></html>",
            b'<!DOCTYPE x [<!ENTITY a "aaaaaaaa">]><urlset><url><loc>&a;</loc></url></urlset>',
            b"",
        ):
            made.write("sitemap.xml", body)
            assert _read_again(made, "sitemap.xml") == {"/sitemap.xml"}
        foreign = Sitemap((Listed("http://127.0.0.2:9/x"), Listed(made.url + "0.html", THEN)))
        made.write("sitemap.xml", sitemap_xml.render(foreign))
        assert _read_again(made, "sitemap.xml") == {"/sitemap.xml"}
        [status] = made.run("status", "crawl", "--json")
        assert (status["pages"], status["gone"]) == (7, 0)
