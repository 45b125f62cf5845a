"""Where links stand, what a page says of its own category, and what differs between two looks."""

from recrawl.extract.anchors import anchors_of
from recrawl.extract.document import parse
from recrawl.extract.selected import selected_text
from recrawl.extract.settings import ExtractSettings
from recrawl.model.site import Kind, Pattern, Rewrite, Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.learn_cleaning import promising_redirects, redirect_rules, session_like, session_parameters
from recrawl.scope.learn_values import Sampled, Seen
from recrawl.scope.patterns_site import Script

HTML = """<nav><a href=/home>Home</a></nav><ul class=goods><li id=i1><a href=/1>One</a></li>
<li id=i2 class=odd><a href=/2 onclick="f(2)">Two</a></li></ul><p class=crumbs><a href=/c>Lamps</a> <b>x</b></p>
<form action=/go><select name=p><option>1</select></form>"""
URL = "http://a.example/x"


def test_links_of_one_template_place_share_it_and_others_do_not() -> None:
    parsed = parse(HTML.encode(), "text/html", URL, ExtractSettings(scripts=True, forms=True))
    anchors = anchors_of(parsed)
    assert [one.link.url for one in anchors] == [
        "http://a.example/home",
        "http://a.example/1",
        "f(2)",
        "http://a.example/2",
        "http://a.example/c",
        "http://a.example/go?p=1",
    ]
    places = [one.place for one in anchors]
    assert places[1] == places[2] == places[3]
    assert len({places[0], places[1], places[4], places[5]}) == 4


def test_a_selector_names_the_category_of_its_patterns_pages_alone() -> None:
    parsed = parse(HTML.encode(), "text/html", URL)
    assert selected_text(parsed, ".crumbs a") == "Lamps"
    assert selected_text(parsed, ".none") == selected_text(parsed, "][") == ""
    patterns = (Pattern(Kind.DETAIL, "/x", category="css:.crumbs a"), Pattern(Kind.LIST, "/l"))
    script = Script(Site("a", (URL,), patterns=patterns), Canonicaliser())
    assert script.selector(URL) == ".crumbs a"
    assert script.selector("http://a.example/l") == script.selector("http://a.example/other") == ""


def look(token: str, more: tuple[Seen, ...] = ()) -> Sampled:
    links = tuple(Seen(f"http://a.example/{n}?id={n}&s={token}", text=str(n)) for n in range(3))
    return Sampled("http://a.example/", (*more, *links))


def test_a_session_is_what_differs_between_two_looks_whatever_else_rotates() -> None:
    advert = Seen("http://ads.example/1?s=x", text="advert")
    assert session_parameters([(look("aaa"), look("bbb"))]) == ["s"]
    assert session_parameters([(look("aaa"), look("bbb", (advert,)))]) == ["s"]
    assert session_parameters([(look("aaa"), look("aaa"))]) == []


def test_a_session_is_told_by_its_looks_where_no_page_was_seen_twice() -> None:
    assert session_like([look(f"12ab34cd{n}") for n in range(4)]) == ["s"]
    assert session_like([look("12ab34cd5") for _ in range(4)]) == []
    assert session_like([look("lamps") for _ in range(4)]) == []


def test_a_redirect_is_believed_when_the_server_shows_it() -> None:
    url = "http://a.example/go?u=%2Fitem%2F7&n=1"
    login = "http://a.example/login?next=%2Fitem%2F7"
    assert promising_redirects([url, login, "http://a.example/x?y=z"], Canonicaliser()) == [url, login]
    pages = [Sampled(url, redirect="http://a.example/item/7"), Sampled(login)]
    assert [rule for rule, _ in redirect_rules(pages, Canonicaliser())] == [Rewrite("/go?u={target:url}&*", "{target}")]
