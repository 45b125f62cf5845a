"""Sites that were built to be walked for ever, by mistake or not, and pages that refer to themselves."""

import json
import re

from recrawl.lab.hostile.body import ALL
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.markup import TEXT, survive
from recrawl.lab.hostile.redirect import INNER
from recrawl.lab.hostile.robots import FREE, NOTHING, RULED, robots
from recrawl.lab.hostile.signals import FEED, NAMESPACE, SITEMAP, XML, index, names_sitemap, rss, told, urlset
from recrawl.lab.hostile.trap import luck, trap
from recrawl.lab.hostile.wire import HTML, Question, Wire

PLAIN = ("Content-Type", "text/plain")
REACHED = saying(page("Reached"))
LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh")
DIGITS = "9" * 200_000


async def lost_and_found(question: Question, wire: Wire) -> None:
    """Nothing is ever missing here: every address shows an excuse and three more addresses."""
    links = [f"/item/{luck(question.path, number)[:9]}.html" for number in range(3)]
    await wire.answer(page("Sorry, we could not find that", *links, text="Perhaps you like one of these instead. " * 9))


async def what_time_is_it(question: Question, wire: Wire) -> None:
    await wire.answer(page("Now", f"/now/{question.times * 1000 + len(question.path)}/{luck(question.path)[:7]}"))


async def languages(question: Question, wire: Wire) -> None:
    """Every page in every language, each with a switch behind the one before."""
    alternates = "".join(
        f'<link rel=alternate hreflang={one} href="{question.path.rstrip("/")}/{one}/">' for one in LANGUAGES
    )
    await wire.answer(alternates.encode() + page("Language", text="Choose your language. " * 30))


async def sorted_in_every_way(question: Question, wire: Wire) -> None:
    orders = [f"/sorted?by={name}&way={way}&view={view}&from={question.path.count('=')}{luck(question.path)[:4]}"
              for name in ("price", "name") for way in ("up", "down") for view in ("list", "grid")]  # fmt: skip
    await wire.answer(page("Goods", *orders, text="Hat, 12 EUR. Shoe, 40 EUR. Coat, 99 EUR. " * 8))


async def script_in_a_script(question: Question, wire: Wire) -> None:
    await wire.answer(page("Index", "index.php/about", "index.php/", text="The same page below every address. " * 9))


async def replies(question: Question, wire: Wire) -> None:
    number = int((re.findall(r"\d+", question.path) or ["0"])[-1])
    links = [f"/post/?replytocom={number * 4 + more}" for more in range(1, 5)]
    await wire.answer(page("Post", *links, text="A post with very many comments. " * 12))


async def canonical_further_on(question: Question, wire: Wire) -> None:
    number = int((re.findall(r"\d+", question.path) or ["0"])[-1])
    head = f'<link rel=canonical href="/canon/{number + 1}"><link rel=amphtml href="/canon/{number + 1}?amp">'.encode()
    await wire.answer(head + page("Canon", text="This page has a better address. " * 12))


async def feeds_everywhere(question: Question, wire: Wire) -> None:
    feeds = "".join(f'<link rel=alternate type="application/rss+xml" href="/f/{n}.xml">' for n in range(200))
    await wire.answer(page("Feeds", GOOD).replace(b"</head>", feeds.encode() + b"</head>"))


async def feed_of_feeds(question: Question, wire: Wire) -> None:
    number = int((re.findall(r"\d+", question.path) or ["0"])[-1])
    more = f'<atom:link rel="next" href="/next/{number + 1}.xml"/><atom:link rel="self" href="{question.path}"/>'
    await wire.answer(rss("{origin}/good.html").replace("<item>", more + "<item>", 1).encode(), XML)


async def moves_away(question: Question, wire: Wire) -> None:
    await wire.answer(b"", XML, ("Location", f"http://{INNER}:{question.port}/feed.xml"), status=301)


async def goes_round(question: Question, wire: Wire) -> None:
    await wire.answer(b"", XML, ("Location", question.path), status=302)


async def flips(question: Question, wire: Wire) -> None:
    """Two pages take turns at one address."""
    await wire.answer(page("Heads" if question.times % 2 else "Tails"))


async def just_now(question: Question, wire: Wire) -> None:
    stamp = f"Sun, 15 Nov 2026 12:00:{question.times % 60:02} GMT"
    await wire.answer(page("Steady"), HTML, ("Last-Modified", stamp), ("ETag", f'W/"{question.times}"'))


async def token_on_the_page(question: Question, wire: Wire) -> None:
    token = luck(question.path, question.times)
    body = page("Form").replace(
        b"</main>", f"<input type=hidden name=csrf value={token}></main><!-- {token} -->".encode()
    )
    await wire.answer(body)


async def closed_for_repairs(question: Question, wire: Wire) -> None:
    """All pages turn into the same notice."""
    notice = page("We will be back soon", text="Our site is down for maintenance. Please come back later. " * 3)
    await wire.answer(page("Once") if question.times == 1 else notice)


def marked(name: str, markup: bytes) -> Case:
    return survive(name, lambda: TEXT + markup)


def product(value: str) -> bytes:
    offer = f'{{"@type":"Product","name":"x","offers":{{"@type":"Offer","price":{value},"priceCurrency":"EUR"}}}}'
    return b'<script type="application/ld+json">' + offer.encode() + b"</script>"


def signal(name: str, answer: Answer, expect: Expect, **routes: Answer) -> Case:
    listed = {ROBOTS: names_sitemap, SITEMAP: answer, "/listed.html": REACHED}
    more = {f"/{key}": value for key, value in routes.items()}
    return Case(name, Kind.SIGNAL, "reads what can be read", {**listed, **more}, expect, bad=())


def feeding(name: str, answer: Answer, expect: Expect) -> Case:
    front = page(name, GOOD).replace(
        b"</head>", b'<link rel=alternate type="application/atom+xml" href="/feed.xml"></head>'
    )
    routes = {FRONT: saying(front), FEED: answer, "/listed.html": REACHED}
    return Case(name, Kind.SIGNAL, "reads what can be read", routes, expect, bad=())


def linked(name: str, html: str, asked: tuple[str, ...], *, never: tuple[str, ...] = ("/evil*",)) -> Case:
    """Links as browsers understand them."""
    routes = {BAD: saying(page(name).replace(b"<ul>", html.encode() + b"<ul>")), "/reach*": REACHED, "/evil*": REACHED}
    expect = Expect(kept=(FRONT, GOOD, BAD), asked=asked, never=never)
    return Case(name, Kind.LINK, "follows what a browser would", routes, expect)


READ = Expect(kept=(FRONT, GOOD, "/listed.html"))
STEADY = Expect(kept=(FRONT, GOOD, BAD), versions={BAD: 1})
LISTED = urlset("{origin}/listed.html")
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{origin}/deep/"><entry><link href="../listed.html"/></entry></feed>'  # noqa: E501

CASES = (
    trap("nothing-is-missing", "/item/0.html", "/item/*", lost_and_found),
    trap("what-time-is-it", "/now/0", "/now/*", what_time_is_it),
    trap("languages-without-end", "/lang/", "/lang/*", languages, 600),
    trap("sorted-in-every-way", "/sorted?by=price", "/sorted*", sorted_in_every_way),
    trap("script-in-a-script", "/index.php", "/index.php*", script_in_a_script, 90),
    trap("replies-to-replies", "/post/?replytocom=1", "/post/*", replies),
    trap("canonical-further-on", "/canon/0", "/canon/*", canonical_further_on, 500),
    Case("feeds-everywhere", Kind.SIGNAL, "reads so many and no more", {FRONT: feeds_everywhere, "/f/*": told(rss("{origin}/good.html"))}, Expect(requests=40), bad=()),  # noqa: E501
    feeding("feed-with-a-next-page", feed_of_feeds, Expect(requests=12)),
    feeding("feed-moves-inside", moves_away, Expect(asked=(FEED,))),
    feeding("feed-goes-round", goes_round, Expect(asked=(FEED,), requests=10)),
    feeding("feed-with-a-base", told(ATOM), READ),
    feeding("feed-with-an-unknown-encoding", saying(b'<?xml version="1.0" encoding="x-none"?><feed/>', XML), Expect(asked=(FEED,))),  # noqa: E501
    signal("sitemap-goes-round", goes_round, Expect(asked=(SITEMAP,), requests=10)),
    signal("sitemap-of-relative-addresses", told(urlset("/listed.html")), Expect(asked=(SITEMAP,))),
    signal("sitemap-with-spaces", told(urlset("\n\t {origin}/listed.html \n")), READ),
    signal("sitemap-with-pictures", told(LISTED.replace(NAMESPACE, f'{NAMESPACE} xmlns:image="i"').replace("</loc>", "</loc><image:image><image:loc>{origin}/evil.png</image:loc></image:image>")), Expect(kept=READ.kept, never=("/evil*",))),  # noqa: E501
    signal("sitemap-in-xml-1.1", told(LISTED.replace("1.0", "1.1")), Expect(asked=(SITEMAP,))),
    signal("sitemap-with-an-unknown-encoding", told(LISTED.replace("?>", ' encoding="x-none"?>')), Expect(asked=(SITEMAP,))),  # noqa: E501
    signal("sitemap-that-includes", told(f'<urlset {NAMESPACE} xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/><url><loc>{{origin}}/listed.html</loc></url></urlset>'), READ),  # noqa: E501
    signal("sitemap-of-the-same-page", told(urlset(*["{origin}/listed.html"] * 40_000)), Expect(kept=READ.kept, requests=8)),  # noqa: E501
    signal("sitemap-index-of-pages", told(index("{origin}/listed.html", "{origin}/")), Expect(asked=(SITEMAP,))),
    Case("two-pages-take-turns", Kind.TRUTH, "keeps one of them", {BAD: flips}, ALL),
    Case("modified-just-now", Kind.TRUTH, "compares the content and finds nothing new", {BAD: just_now}, STEADY),
    Case("token-on-the-page", Kind.TRUTH, "finds no change in a token", {BAD: token_on_the_page}, STEADY),
    Case("closed-for-repairs", Kind.TRUTH, "does not crash over it", {BAD: closed_for_repairs}, ALL),
    robots("robots-forbids-itself", saying(b"User-agent: *\nDisallow: /robots.txt\nDisallow: /bad.html\n", PLAIN), RULED, "reads the rules all the same"),  # noqa: E501
    robots("robots-without-an-agent", saying(b"Disallow: /bad.html\n", PLAIN), FREE, "takes it for no rules"),
    robots("robots-for-us-alone", saying(b"User-agent: recrawl\nDisallow: /bad.html\n\nUser-agent: *\nDisallow:\n", PLAIN), RULED, "keeps to the group that names it"),  # noqa: E501
    robots("robots-for-us-in-two-groups", saying(b"User-agent: recrawl\nAllow: /x\n\nUser-agent: x\nDisallow: /\n\nuser-agent: RECRAWL\nDisallow: /bad.html\n", PLAIN), RULED, "joins the groups that name it"),  # noqa: E501
    robots("robots-with-a-star-alone", saying(b"User-agent: *\nDisallow: *\n", PLAIN), NOTHING, "asks for nothing"),
    robots("robots-longest-rule-wins", saying(b"User-agent: *\nDisallow: /\nAllow: /$\nAllow: /good\n", PLAIN), RULED, "lets the longest rule decide"),  # noqa: E501
    robots("robots-called-a-picture", saying(b"User-agent: *\nDisallow: /bad.html\n", ("Content-Type", "image/png")), RULED, "reads the rules all the same"),  # noqa: E501
    robots("robots-with-comments", saying(b"User-agent: * # all\nDisallow: /bad.html # not this\n# Disallow: /\n", PLAIN), RULED, "reads the rules all the same"),  # noqa: E501
    linked("refresh-in-odd-quotes", "<meta http-equiv=Refresh content=\"5 ; URL='/reach/refresh'\">", ("/reach/refresh",)),  # noqa: E501
    linked("refresh-with-a-comma", '<meta http-equiv="refresh" content="0,url=/reach/comma">', ("/reach/comma",)),
    linked("href-across-lines", '<a href="\n/reach/\nlines\t">x</a>', ("/reach/lines",)),
    linked("href-in-references", '<a href="&#47;reach&sol;references">x</a>', ("/reach/references",)),
    linked("href-twice", '<a href="/reach/first" href="/evil">x</a>', ("/reach/first",)),
    linked("links-in-comments", '<!-- <a href="/evil/1">x</a> --><template><a href="/evil/2">x</a></template>', ()),
    linked("links-in-text", '<textarea><a href="/evil/1">x</a></textarea><xmp><a href="/evil/2">x</a></xmp>', ()),
    linked("links-of-other-kinds", '<map><area href="/reach/area"></map><iframe src="/reach/frame"></iframe>', ("/reach/area", "/reach/frame")),  # noqa: E501
    linked("base-twice", '<base href="/reach/"><base href="/evil/"><a href="one">x</a>', ("/reach/one",)),
    linked("backslashes-in-links", '<a href="\\reach\\back">x</a>', ("/reach/back",)),
    linked("nofollow", '<a rel="ugc NoFollow" href="/evil/1">x</a>', ()),
    marked("microdata-round", b"<div itemscope id=a itemref='a b'><div itemscope id=b itemref='a b' itemprop=c></div></div>" * 2000),  # noqa: E501
    marked("json-ld-round", b'<script type="application/ld+json">' + json.dumps({"@id": "#a", "@graph": [{"@id": "#a", "isPartOf": {"@id": "#a"}}] * 9000}).encode() + b"</script>"),  # noqa: E501
    marked("price-of-200000-digits", product(DIGITS) + product(f'"{DIGITS}"') + product("1e999999999") + product("NaN")),  # noqa: E501
    marked("dates-beyond-all-years", b'<time datetime="' + b"9" * 100_000 + b'-99-99T99:99">x</time>' * 20),
    marked("table-of-a-billion-columns", b"<table><tr><td colspan=999999999 rowspan=999999999>x</table><ol start=999999999999999999999><li>x"),  # noqa: E501
    marked("plaintext", b"<plaintext>" + b"<a href=/evil>x</a>" * 100_000),
    marked("language-of-a-megabyte", b'<div lang="' + b"x-" * 500_000 + b'">x</div>'),
)  # fmt: skip
