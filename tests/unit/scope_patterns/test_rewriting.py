"""Links that stand for others: calls, code, redirects, forms."""

import pytest

from recrawl.extract.document import parse
from recrawl.extract.settings import ExtractSettings
from recrawl.model.failure import FormatError
from recrawl.model.page import Link
from recrawl.model.site import Kind, Pattern, Rewrite, Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.patterns_site import Drop, Script, Unwanted, Wanted
from recrawl.scope.rewrite import Rewriter
from recrawl.scope.rewrite_calls import calls_in, read_call

BASE = "http://www.web.com/list.aspx?cate_id=1&page=1"


def rewritten(match: str, target: str, code: str) -> str | None:
    found = Rewriter((Rewrite(match, target),)).script(code)
    return None if found is None else found[1]


@pytest.mark.parametrize(
    ("match", "target", "code", "becomes"),
    [
        ("javascript:show_detail({0})", "/d?per_id={0}", "javascript:show_detail(100320)", "/d?per_id=100320"),
        ("javascript:show({0})", "/d/{0}", "javascript:show('100320');", "/d/100320"),
        ("javascript:show({0})", "/d/{0}", ' JavaScript: show ( "a" ) ; return false', "/d/a"),
        ("javascript:show({0})", "/d/{0}", "javascript:show(%27a%20b%27)", "/d/a%20b"),
        ("javascript:show({0})", "/d/{0}", "show('it\\'s \\u0041')", "/d/it's%20A"),
        ("javascript:show({0})", "/d?q={0}", "show('a&b=c#d')", "/d?q=a%26b%3Dc%23d"),
        ("javascript:show({id:int})", "/d/{id}", "show('x')", None),
        ("javascript:show({id:int})", "/d/{id}", "show(1, 2)", None),
        ("javascript:show({id:int}, ...)", "/d/{id}", "show(1)", "/d/1"),
        ("javascript:show({id:int}, ...)", "/d/{id}", "show(1, {a: [1, 2]}, this)", "/d/1"),
        ("javascript:show(*, {id:int})", "/d/{id}", "show(f(1, [2]), 3)", "/d/3"),
        ("javascript:show('list', {id:int})", "/d/{id}", 'show("list", 3)', "/d/3"),
        ("javascript:show('list', {id:int})", "/d/{id}", "show('item', 3)", None),
        ("javascript:go({page: {n:int}})", "/l?page={n}", "go({page:7})", "/l?page=7"),
        ("javascript:a.b.open({id:int})", "/d/{id}", "if (x) { a.b.open(5) }", "/d/5"),
        ("javascript:open({id:int})", "/d/{id}", "a.b.open(5)", None),
        ("javascript:location.href='/item/{id:int}'", "/d/{id}", 'location.href = "/item/9"', "/d/9"),
        ("javascript:location.href={t:url}", "{t}", "window.x(); location.href='/a%20b?c=1'", "/a b?c=1"),
        ("javascript:show({x:int}, {y:int})", "/{x}/{y}", "show(-1, 2.5)", None),
        ("javascript:f({x})", "/{x}", "/* f(1) */ f(2) // f(3)", "/2"),
    ],
)
def test_code_becomes_the_address_it_would_open(match: str, target: str, code: str, becomes: str | None) -> None:
    assert rewritten(match, target, code) == becomes


def test_calls_are_read_with_their_arguments() -> None:
    assert calls_in("return openItem({from: 'l', at: [1]}, '7', \"x\", -2, this); g()") == [
        ("openItem", [None, "7", "x", "-2", None]),
        ("g", []),
    ]


@pytest.mark.parametrize("wrong", ["show({0})", "javascript:", "javascript:({0})", "javascript:show({0:nmber})"])
def test_what_is_no_call_is_refused(wrong: str) -> None:
    with pytest.raises(FormatError):
        read_call(wrong)


def test_endless_code_is_read_only_so_far() -> None:
    assert rewritten("javascript:f({x})", "/{x}", "((((" * 100_000 + "f(1)") is None
    assert rewritten("javascript:f({x})", "/{x}", "f('" + "a" * 100_000) is None


def script(*patterns: Pattern, rewrites: tuple[Rewrite, ...] = ()) -> Script:
    return Script(Site("web", (), hosts=("www.web.com",), patterns=patterns, rewrites=rewrites), Canonicaliser())


LISTS = Pattern(Kind.LIST, "http://www.web.com/list.aspx?cate_id={0}&page={1}")
DETAIL = Pattern(Kind.DETAIL, "javascript:show_detail({0})", target="http://www.web.com/detail.aspx?per_id={0}")


def test_the_papers_call_becomes_the_papers_address() -> None:
    read = script(LISTS, DETAIL).read(Link("javascript:show_detail(100320)", "script"), BASE, "1")
    assert isinstance(read, Wanted)
    assert read.address.url == "http://www.web.com/detail.aspx?per_id=100320"
    assert (read.kind, read.category) == (Kind.DETAIL, "1")


def test_parameters_in_another_order_are_the_same_page() -> None:
    read = script(LISTS).read(Link("http://www.web.com/list.aspx?page=2&cate_id=7"), BASE)
    assert isinstance(read, Wanted)
    assert read.address.url == "http://www.web.com/list.aspx?cate_id=7&page=2"
    assert (read.category, read.values) == ("7", {"0": "7", "1": "2"})


def test_redirects_are_followed_without_being_asked_even_one_in_another() -> None:
    go = Rewrite("/go?u={t:url}&*", "{t}")
    item = Pattern(Kind.DETAIL, "/item/{id:int}")
    both = script(item, rewrites=(go,))
    for link in ("http://www.web.com/go?u=%2Fitem%2F3", "http://www.web.com/go?x=1&u=%2Fgo%3Fu%3D%252Fitem%252F3"):
        read = both.read(Link(link), BASE)
        assert isinstance(read, Wanted) and read.address.url == "http://www.web.com/item/3" and read.via
    endless = both.read(Link("http://www.web.com/go?u=%2Fgo%3Fu%3D%252Fgo"), BASE)
    assert isinstance(endless, Unwanted)


def test_what_nobody_describes_is_dropped_with_a_reason() -> None:
    both = script(LISTS, DETAIL)
    reasons = [
        both.read(Link("http://www.web.com/other"), BASE),
        both.read(Link("javascript:alert(1)", "script"), BASE),
        both.read(Link("mailto:a@b.example"), BASE),
    ]
    assert [one.reason for one in reasons if isinstance(one, Unwanted)] == [
        Drop.NO_PATTERN,
        Drop.NO_REWRITE,
        Drop.NOT_HTTP,
    ]


def test_a_get_form_is_a_link_for_each_of_its_choices() -> None:
    html = (
        "<form action='/c/rugs#x' method=GET><input type=hidden name=s value='a b'><select name=page><option>1"
        "<option value=2 selected>two<option>3</select><input type=submit name=go><button>Go</button></form>"
        "<form method=post action=/buy><input name=x></form>"
        "<form action=/login><input type=password name=p></form>"
        "<form action=/radio><input type=radio name=r value=1><input type=radio name=r value=2 checked></form>"
    )
    links = parse(html.encode(), "text/html", "http://a.example/c", ExtractSettings(forms=True)).links
    assert [(link.url, link.relation) for link in links] == [
        ("http://a.example/c/rugs?s=a+b&page=2", "form"),
        ("http://a.example/c/rugs?s=a+b&page=1", "form"),
        ("http://a.example/c/rugs?s=a+b&page=3", "form"),
        ("http://a.example/radio?r=2", "form"),
        ("http://a.example/radio?r=1", "form"),
    ]
