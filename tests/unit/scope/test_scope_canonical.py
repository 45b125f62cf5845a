"""One spelling for every address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.address import Address
from recrawl.model.site import Site
from recrawl.scope.canonical import Canonicaliser, Fault
from recrawl.scope.canonical_rules import CanonicalRules

PLAIN = Canonicaliser()


def canonical(link: str, base: str | None = None, rules: CanonicalRules | None = None) -> str | None:
    address = Canonicaliser(rules).canonical(link, base)
    return None if address is None else address.url


SPELLINGS = [
    # scheme, host, port
    ("HTTP://Example.COM/Path", "http://example.com/Path"),
    ("  https://example.com/ \n", "https://example.com/"),
    ("http://exa\tmple.com/a\nb", "http://example.com/ab"),
    ("http://example.com", "http://example.com/"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com:443/", "https://example.com/"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("http://example.com:/x", "http://example.com/x"),
    ("http://example.com:0081/x", "http://example.com:81/x"),
    ("http://example.com./x", "http://example.com/x"),
    ("http://example.com.:8080/x", "http://example.com:8080/x"),
    ("http://user:secret@example.com/x", "http://example.com/x"),
    ("http://us%40er:p%3Aw@example.com/x", "http://example.com/x"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://한국.example/길", "http://xn--3e0b707e.example/%EA%B8%B8"),
    ("http://ＥＸＡＭＰＬＥ.com/", "http://example.com/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"),
    ("http:\\\\example.com\\a\\b", "http://example.com/a/b"),
    ("http://www.example.com/", "http://www.example.com/"),
    # path
    ("http://example.com/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com/../../a", "http://example.com/a"),
    ("http://example.com/a/%2e%2E/b", "http://example.com/b"),
    ("http://example.com/a/..", "http://example.com/"),
    ("http://example.com/a..b/.c", "http://example.com/a..b/.c"),
    ("http://example.com//a///b//", "http://example.com/a/b/"),
    ("http://example.com/web/1999/http://other.example/x", "http://example.com/web/1999/http://other.example/x"),
    ("http://example.com/%7euser/%41%2d", "http://example.com/~user/A-"),
    ("http://example.com/a%2fb%3fc", "http://example.com/a%2Fb%3Fc"),
    ("http://example.com/a b", "http://example.com/a%20b"),
    ("http://example.com/é", "http://example.com/%C3%A9"),
    ("http://example.com/%e9", "http://example.com/%E9"),
    ("http://example.com/100%", "http://example.com/100%25"),
    ("http://example.com/%zz%4", "http://example.com/%25zz%254"),
    ("http://example.com/%%36%36", "http://example.com/%2566"),
    ('http://example.com/{a}|[b]^`"<>', "http://example.com/%7Ba%7D%7C%5Bb%5D%5E%60%22%3C%3E"),
    ("http://example.com/a;jsessionid=0A1B", "http://example.com/a"),
    ("http://example.com/a;JSESSIONID=0A1B;v=2/b", "http://example.com/a;v=2/b"),
    ("http://example.com/a/.;jsessionid=1/..;jsessionid=2/b", "http://example.com/b"),
    ("http://example.com/x/..;jsessionid=2", "http://example.com/"),
    # query
    ("http://example.com/?", "http://example.com/"),
    ("http://example.com?a=1", "http://example.com/?a=1"),
    ("http://example.com/?a=1&", "http://example.com/?a=1"),
    ("http://example.com/?&a=1&&b", "http://example.com/?a=1&b"),
    ("http://example.com/?a=&b", "http://example.com/?a=&b"),
    ("http://example.com/?b=2&a=1", "http://example.com/?b=2&a=1"),
    ("http://example.com/?q=a+b%20c d", "http://example.com/?q=a+b%20c%20d"),
    ("http://example.com/?q=a%26b%3d%2b", "http://example.com/?q=a%26b%3D%2B"),
    ("http://example.com/?x[y]=1", "http://example.com/?x%5By%5D=1"),
    ("http://example.com/?u=http://b/../c//d", "http://example.com/?u=http://b/../c//d"),
    ("http://example.com/?utm_source=x&id=7&UTM_Medium=y", "http://example.com/?id=7"),
    ("http://example.com/?%75tm_source=x", "http://example.com/"),
    ("http://example.com/?gclid=1&fbclid=2", "http://example.com/"),
    ("http://example.com/?PHPSESSID=abc&p=1", "http://example.com/?p=1"),
    ("http://example.com/?ASPSESSIONIDABC=1&p=1", "http://example.com/?p=1"),
    ("http://example.com/?sid=17", "http://example.com/?sid=17"),
    ("http://example.com/?sid=0123456789abcdef0123456789abcdef", "http://example.com/"),
    # fragment
    ("http://example.com/a#b", "http://example.com/a"),
    ("http://example.com/a#!b", "http://example.com/a"),
    ("http://example.com/a%23b", "http://example.com/a%23b"),
]


@pytest.mark.parametrize(("link", "expected"), SPELLINGS)
def test_every_spelling_of_an_address_becomes_the_canonical_one(link: str, expected: str) -> None:
    assert canonical(link) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("mailto:a@example.com", Fault.SCHEME),
        ("javascript:void(0)", Fault.SCHEME),
        ("ftp://example.com/", Fault.SCHEME),
        ("data:text/html,x", Fault.SCHEME),
        ("page.html", Fault.UNREADABLE),
        ("", Fault.UNREADABLE),
        ("http://", Fault.UNREADABLE),
        ("http://exa mple.com/", Fault.UNREADABLE),
        ("http://example.com:99999/", Fault.UNREADABLE),
        ("http://a%FEb.example/", Fault.UNREADABLE),
        ("http://[::1/", Fault.UNREADABLE),
        ("http://a..example/", Fault.HOST),
        ("http://./", Fault.HOST),
        ("http://0x7f.1../", Fault.HOST),
        ("http://example.com/" + "a" * 9000, Fault.TOO_LONG),
        ("http://example.com/" + "é" * 3000, Fault.TOO_LONG),
    ],
)
def test_a_link_without_an_address_says_why(link: str, fault: Fault) -> None:
    reading = PLAIN.explain(link)
    assert reading.address is None
    assert reading.fault is fault
    assert reading.sentence.endswith(".")
    assert PLAIN.canonical(link) is None


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("", "http://example.com/a/b.html?q=1"),
        ("#top", "http://example.com/a/b.html?q=1"),
        ("c.html", "http://example.com/a/c.html"),
        ("./c.html", "http://example.com/a/c.html"),
        ("../c.html#x", "http://example.com/c.html"),
        ("?q=2", "http://example.com/a/b.html?q=2"),
        ("/c", "http://example.com/c"),
        ("//other.example/c", "http://other.example/c"),
        ("http:c", "http://example.com/a/c"),
        ("x:y", None),
        ("c:d/e", None),
        ("c/d:e", "http://example.com/a/c/d:e"),
        ("\\c", "http://example.com/c"),
        (" /c ", "http://example.com/c"),
        ("/c?utm_source=a", "http://example.com/c"),
        ("/c/%7Ed", "http://example.com/c/~d"),
        ("/" + "c" * 9000, None),
    ],
)
def test_a_relative_link_is_read_against_its_base(link: str, expected: str | None) -> None:
    base = "http://example.com/a/b.html?q=1"
    assert canonical(link, base) == expected
    read = PLAIN.page(base).canonical(link)
    assert (read and read.url) == expected


def test_the_server_is_host_and_port_whatever_the_scheme() -> None:
    assert PLAIN.canonical("https://Example.com:443/") == Address("https://example.com/", "example.com")
    assert PLAIN.canonical("http://[::1]:8080/é") == Address("http://[::1]:8080/%C3%A9", "[::1]:8080")


def test_queries_are_sorted_by_name_only_when_asked_and_equal_names_keep_their_order() -> None:
    rules = CanonicalRules(sort_query=True)
    assert canonical("http://example.com/?b=1&a=2&a=1", rules=rules) == "http://example.com/?a=2&a=1&b=1"


def test_the_user_can_drop_more_parameters_and_keep_others() -> None:
    site = Site("s", ("http://example.com/",), drop_parameters=("ref", "track_*", "!utm_campaign"))
    link = "http://example.com/?ref=1&track_x=2&utm_campaign=3&utm_source=4&id=5"
    assert canonical(link, rules=CanonicalRules.from_site(site)) == "http://example.com/?utm_campaign=3&id=5"


def test_the_user_can_clear_the_whole_table() -> None:
    site = Site("s", ("http://example.com/",), drop_parameters=("!*", "ref"))
    link = "http://example.com/a;jsessionid=1?ref=1&utm_source=4&sid=0123456789abcdef"
    expected = "http://example.com/a;jsessionid=1?utm_source=4&sid=0123456789abcdef"
    assert canonical(link, rules=CanonicalRules.from_site(site)) == expected


def test_doubled_slashes_and_hashbangs_are_kept_when_asked() -> None:
    rules = CanonicalRules(collapse_slashes=False, keep_hashbang=True)
    assert canonical("http://example.com//a//b#!/c d", rules=rules) == "http://example.com//a//b#!/c%20d"
    assert canonical("http://example.com/a#b", rules=rules) == "http://example.com/a"
    page = Canonicaliser(rules).page("http://example.com/").canonical("/a#!b")
    assert page is not None
    assert page.url == "http://example.com/a#!b"


def test_half_a_surrogate_pair_is_read_as_a_browser_would() -> None:
    assert canonical("http://example.com/\ud800") == "http://example.com/%EF%BF%BD"
    assert canonical("\ud83d\ude00", "http://example.com/") == "http://example.com/%F0%9F%98%80"


PIECES = st.sampled_from(
    [
        *"abZ09-._~/?&=#%;:@!$'()*+,[]{}|\\^`\"<> \t\né€\u0080\ud800",
        "%2e",
        "%2F",
        "%41",
        "%e9",
        "%%",
        "//",
        "/..",
        "/./",
        ";jsessionid=1",
        "utm_a=1",
        "sid=0123456789abcdef0",
        "&&",
    ]
)
HOSTS = st.sampled_from(
    ["example.com", "EXAMPLE.com.", "a_b.example", "127.0.0.1", "0x7f.1", "[::1]", "bücher.example", "xn--bcher-kva.de",
     "u:p@example.com", "a..b", "1.2.3.4..", "example.com:80", "example.com:8080", "-a.example", "xn--a", "%41.com"]
)  # fmt: skip
TAILS = st.lists(PIECES, max_size=12).map("".join)
LINKS = st.one_of(
    st.builds("{}://{}/{}".format, st.sampled_from(["http", "https", "HTTP"]), HOSTS, TAILS), TAILS, st.text()
)
RULES = st.sampled_from([CanonicalRules(), CanonicalRules(sort_query=True, keep_hashbang=True, collapse_slashes=False)])


@given(LINKS, RULES)
def test_a_canonical_address_is_its_own_canonical_form(link: str, rules: CanonicalRules) -> None:
    canonicaliser = Canonicaliser(rules)
    once = canonicaliser.canonical(link, "http://example.com/a/b?c")
    if once is not None:
        assert canonicaliser.canonical(once.url) == once
        assert canonicaliser.explain(once.url).address == once
        assert once.url.isascii()


NEAT_PIECES = st.sampled_from(
    [*"aZ09-._~/?&=:@!$()*+,;", "%2F", "%EA%B0%80", "/a", "/x.y", "/.a", "?a=1", "&b=2", "&utm_a=1", "sid=1", "xn--"]
)
NEAT_HOSTS = st.sampled_from(
    [
        "example.com",
        "a_b.example",
        "localhost",
        "1.2.3.4",
        "1.2.3.256",
        "1.2.3",
        "01.2.3.4",
        "a.0x7f",
        "b.1a",
        "-a.b-",
        "xn--bcher-kva.de",
        "a.xn--x",
        "ab--c.de",
        "a.b:1",
        "a.b:65535",
        "a.b:65536",
        "a.b:59999",
        "a.b:080",
        "a.b:443",
    ]
)
NEAT_LINKS = st.builds(
    "{}://{}/{}".format, st.sampled_from(["http", "https"]), NEAT_HOSTS, st.lists(NEAT_PIECES).map("".join)
)


@given(NEAT_LINKS)
def test_the_short_cut_agrees_with_the_parser(link: str) -> None:
    short = PLAIN.clean(link)
    if short is not None:  # a user name, which is dropped, keeps the link from the short cut
        assert PLAIN.explain(link.replace("://", "://u@", 1)).address == short


@given(NEAT_LINKS)
def test_what_is_clean_behind_its_origin_is_canonical(link: str) -> None:
    origin = link[: link.find("/", 8)]
    home = PLAIN.canonical(f"{origin}/")
    if home is not None and home.url == f"{origin}/" and PLAIN.is_clean_behind(origin, link):
        address = PLAIN.canonical(link)
        assert address is not None
        assert (address.url, address.server) == (link, home.server)


@given(st.lists(st.text("aZ9/.-_~;'%2F?é:", max_size=8).map("https://www.example.com{}".format), max_size=4))
def test_many_are_clean_behind_their_origin_as_each_is(urls: list[str]) -> None:
    """Where the compiled part is not certain it leaves one out."""
    found = PLAIN.clean_behind("https://www.example.com", urls)
    alone = [url for url in urls if PLAIN.is_clean_behind("https://www.example.com", url)]
    assert found == [url for url in alone if url in found]
    assert all("%" in url for url in set(alone).difference(found))


def test_ordinary_addresses_are_clean_behind_their_origins() -> None:
    longest = "https://www.example.com/" + "a" * 1_000_000
    clean = ["https://www.example.com/", "https://www.example.com/a/b-c_d/e.html"]
    others = ["https://other.example/a", "https://www.example.com", "https://www.example.com/a?b", longest]
    assert PLAIN.clean_behind("https://www.example.com", [*clean, *others]) == clean
    assert PLAIN.is_clean_behind("https://www.example.com", "https://www.example.com/a/b-c_d/e.html")
    assert not PLAIN.is_clean_behind("https://www.example.com", "https://www.example.com/a/../b")
    assert not PLAIN.is_clean_behind("https://www.example.com", "https://www.example.com/a?utm_source=b")


def test_the_short_cut_is_taken_for_ordinary_links() -> None:
    assert PLAIN.clean("https://www.example.com/a/b-c_d/e.html?page=2&q=%EA%B0%80") is not None
    assert PLAIN.clean("http://127.0.0.1:8800/") is not None
    assert PLAIN.clean("http://127.0.0.1:65535/") is not None
    assert PLAIN.clean("http://127.0.0.1:65536/") is None


@given(LINKS, LINKS)
def test_a_page_reads_its_links_as_the_canonicaliser_does(base: str, link: str) -> None:
    page = PLAIN.page(base)
    expected = PLAIN.explain(link, base).address
    assert page.canonical(link) == expected
    assert page.canonical(link) == expected  # from memory
