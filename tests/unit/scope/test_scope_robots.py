"""robots.txt by RFC 9309, and by what the reference parser accepts."""

from timeit import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.scope.robots import Explanation, RobotsRules, path_of
from recrawl.scope.robots_match import OneExpression, PrefixTable, read_pattern
from recrawl.scope.robots_parse import MAX_BYTES, MAX_LINE_BYTES, parse, read_lines


def allowed(body: str | bytes, path: str, agent: str = "recrawl") -> bool:
    return RobotsRules.parse(body.encode() if isinstance(body, str) else body).allowed(agent, path)


def forbidden_by(rule: str, path: str) -> bool:
    return not allowed(f"User-agent: *\nDisallow: {rule}\n", path)


# which rules match which paths


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("/", "/", True),
        ("/", "http://example.com", True),
        ("/fish", "/fish.html", True),
        ("/fish", "/Fish", False),
        ("/fish", "/catfish", False),
        ("/fish/", "/fish", False),
        ("/fish/", "/fish/?a", True),
        ("/fish*", "/fishheads/x", True),
        ("/*.php", "/a/b.php?x", True),
        ("/*.php", "/a/b.PHP", False),
        ("/*.php$", "/a/b.php", True),
        ("/*.php$", "/a/b.php?x", False),
        ("/fish*.php", "/fishheads/catfish.php?p", True),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/a$b", "/a$b", True),
        ("/a$b", "/a", False),
        ("/*a*b$", "/xaxb", True),
        ("/*ab*b$", "/xab", False),
        ("*", "/x", True),
        ("*.gif$", "/x.gif", True),
        ("*$", "/x", True),
        ("/a***b", "/a/b", True),
        ("x", "/x", False),
        ("", "/", False),
        ("/a?b", "/a?b=1", True),
        ("/a", "/a;p=1", True),
        ("/ ", "/x", True),
        # percent-encoding, on both sides
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/ツ", "/foo/bar/ツ", True),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/foo/bar/baz", "/foo/bar/%62%61%7a", True),
        ("/a%2Fb", "/a/b", False),
        ("/a/b", "/a%2fb", False),
        ("/a%2fb", "/a%2Fb", True),
        ("/~joe", "/%7ejoe", True),
        ("/a b", "/a%20b", True),
        ("/a|b", "/a%7Cb", True),
        ("/wiki/User:", "/wiki/User%3AJoe", True),
        ("/100%", "/100%25", True),
        ("/foo?baz=https://foo.bar", "/foo?baz=https%3A%2F%2Ffoo.bar", True),
        ("/foo?baz=https%3A%2F%2Ffoo.bar", "/foo?baz=https://foo.bar", True),
        ("/*/search", "/?u=/search", True),
        ("/*%2F", "/?u=a%2Fb", True),
        ("/file-with-a-%2A.html", "/file-with-a-*.html", True),
        ("/file-with-a-%2A.html", "/file-with-a-b.html", False),
        ("/costs-%24", "/costs-$", True),
        ("/costs-%24", "/costs-", False),
        ("/a%00b", "/a%00b", True),
    ],
)
def test_a_rule_matches_the_paths_it_should(rule: str, path: str, matches: bool) -> None:
    assert forbidden_by(rule, path) is matches


def test_a_rule_in_an_old_encoding_matches_the_same_octets() -> None:
    assert not allowed(b"User-agent: *\nDisallow: /caf\xe9", "/caf%E9")
    assert allowed(b"User-agent: *\nDisallow: /caf\xe9", "/caf%C3%A9")


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("disallow: /x/page.html\nallow: /x/", "/x/page.html", False),
        ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", True),
        ("disallow: /x\nallow: /x", "/x", True),
        ("allow: /page\ndisallow: /*.html", "/page.html", False),
        ("allow: /x/page.\ndisallow: /*.html", "/x/page.html", True),
        ("allow: /$\ndisallow: /", "/", True),
        ("allow: /$\ndisallow: /", "/page", False),
        ("disallow:\nallow:", "/", True),
        ("disallow: /\nallow: /index.html", "/", True),
        ("disallow: /\nallow: /a/index.htm", "/a/", True),
        ("disallow: /\nallow: /a/index.html", "/a/index.htm", False),
        ("allow: /\ndisallow: /a/index.html", "/a/", True),
    ],
)
def test_the_longest_rule_decides_and_a_permission_wins_a_tie(rules: str, path: str, expected: bool) -> None:
    assert allowed(f"user-agent: *\n{rules}\n", path) is expected


def test_robots_txt_itself_is_always_allowed() -> None:
    body = "User-agent: *\nDisallow: /"
    assert allowed(body, "http://example.com/robots.txt")
    assert not allowed(body, "http://example.com/robots.txt?x")
    assert RobotsRules.parse(body.encode()).explain("/robots.txt") == Explanation(True)


# which group speaks to whom


def test_a_group_of_its_own_hides_everybodys() -> None:
    body = "User-agent: *\nDisallow: /x\nUser-agent: Recrawl\nDisallow: /y\n"
    assert allowed(body, "/x") and not allowed(body, "/y")
    assert not allowed(body, "/x", "other") and allowed(body, "/y", "other")


def test_groups_of_one_agent_are_merged_wherever_they_stand() -> None:
    body = "User-agent: a\nDisallow: /1\n\nUser-agent: b\nUser-agent: A\nDisallow: /2\n\nUser-agent: a\nDisallow: /3\n"
    assert [allowed(body, f"/{number}", "a") for number in (1, 2, 3)] == [False, False, False]
    assert [allowed(body, f"/{number}", "b") for number in (1, 2, 3)] == [True, False, True]


@pytest.mark.parametrize("between", ["Sitemap: http://a/s.xml", "Crawl-delay: 3", "Unknown: x", "", "# note"])
def test_only_rules_end_a_list_of_agents(between: str) -> None:
    body = f"User-agent: a\n{between}\nUser-agent: b\nDisallow: /\n"
    assert not allowed(body, "/x", "a")
    assert not allowed(body, "/x", "b")


def test_rules_before_any_agent_are_ignored() -> None:
    assert allowed("Disallow: /\nUser-agent: other\nDisallow: /x", "/y", "other")


@pytest.mark.parametrize(
    ("written", "agent", "speaks_to"),
    [
        ("recrawl", "RECRAWL", True),
        ("ReCrawl/2.0", "recrawl", True),
        ("recrawl bot", "recrawl", True),
        ("recrawl", "recrawl/1.2", True),
        ("recrawl", "Mozilla/5.0 (compatible; recrawl/1.0; +http://a)", True),
        ("recrawl-images", "recrawl", False),
        ("crawl", "recrawl", False),
        ("re", "recrawl", False),
        ("foo", "foo bar", False),
        ("mj12bot", "MJ12bot", True),
        ("UnicödeBöt", "unicödeböt", True),
        ("* extra words", "recrawl", True),
        ("*foo", "recrawl", False),
        ("", "recrawl", False),
        ("*", "", True),
    ],
)
def test_agents_are_named_by_their_product_token(written: str, agent: str, speaks_to: bool) -> None:
    assert allowed(f"User-agent: {written}\nDisallow: /", "/x", agent) is not speaks_to


# the file


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_all_line_endings_are_known_and_counted_once(end: str) -> None:
    body = end.join(["User-agent: *", "", "# hello", "Disallow: /a", "Disallow: /b"])
    rules = RobotsRules.parse(body.encode())
    assert rules.explain("/b") == Explanation(False, 5, "Disallow: /b", "/b", "*")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_byte_order_mark_or_a_part_of_one_is_skipped(mark: bytes) -> None:
    assert not allowed(mark + b"User-agent: *\nDisallow: /", "/x")
    assert allowed(b"\xef\x11\xbfUser-agent: *\nDisallow: /", "/x")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_with_its_mark_is_read(encoding: str) -> None:
    assert not allowed("\ufeffUser-agent: *\nDisallow: /é".encode(encoding), "/%C3%A9")


@pytest.mark.parametrize(
    "lines",
    [
        "user-agent recrawl\ndisallow /",
        "USERAGENT:recrawl\nDISALLOW:/",
        "user agent : recrawl\n  disallow\t:\t/  # all of it",
        "User-agents: recrawl\nDisallows: /",
        *(f"user-agent: recrawl\n{typo}: /" for typo in ("dissallow", "dissalow", "disalow", "diasllow", "disallaw")),
    ],
)
def test_what_is_clearly_meant_is_understood(lines: str) -> None:
    assert not allowed(lines, "/x")


@pytest.mark.parametrize(
    "lines",
    [
        "foo: recrawl\nbar: /",
        "user-agent: recrawl\ndisallow / and more",
        "user-agent: recrawl\ndisallow everything: /",
        "user-agent: recrawl\n: /",
        "user-agent: recrawl\n#disallow: /",
        "<html><body>Disallow: /</body></html>",
        "\x00\xff\xfe garbage \x80",
    ],
)
def test_what_says_nothing_forbids_nothing(lines: str) -> None:
    assert allowed(lines, "/x")


def test_a_comment_ends_a_rule() -> None:
    assert forbidden_by("/foo/quz#qux", "/foo/quz")


def test_500_kib_are_read_and_a_rule_cut_there_is_dropped() -> None:
    head = b"User-agent: *\nDisallow: /first\n"
    filler = b"#" * (MAX_BYTES - len(head) - len(b"\nDisallow: /la"))
    body = head + filler + b"\nDisallow: /last\nDisallow: /later\n"
    assert not allowed(body, "/first")
    assert allowed(body, "/last") and allowed(body, "/later")
    whole = head + filler[:-2] + b"\nDisallow: /la\n"
    assert len(whole) <= MAX_BYTES
    assert not allowed(whole, "/last")


def test_an_endless_line_counts_up_to_its_limit() -> None:
    path = "/" + "a" * (MAX_LINE_BYTES - len("disallow: /"))
    body = f"user-agent: *\ndisallow: {path}/qux\n"
    assert not allowed(body, path + "/fux")
    assert allowed(body, "/a")


# what else it says


def test_crawl_delay_is_the_longest_that_is_asked_of_the_agent() -> None:
    body = (
        b"User-agent: *\nCrawl-delay: 30\nDisallow:\nUser-agent: recrawl\nCrawl-delay: 1.5\nCrawl-delay: 4\nDisallow:\n"
    )
    rules = RobotsRules.parse(body)
    assert rules.crawl_delay_s() == 4.0
    assert rules.crawl_delay_s("other") == 30.0


@pytest.mark.parametrize("value", ["", "soon", "-1", "nan", "inf", "1s"])
def test_a_crawl_delay_that_is_no_number_of_seconds_is_ignored(value: str) -> None:
    assert RobotsRules.parse(f"User-agent: *\nCrawl-delay: {value}\n".encode()).crawl_delay_s() is None


def test_an_agent_with_its_own_group_does_not_inherit_everybodys_delay() -> None:
    body = b"User-agent: *\nCrawl-delay: 30\nDisallow:\nUser-agent: recrawl\nDisallow: /x\n"
    assert RobotsRules.parse(body).crawl_delay_s() is None


def test_sitemaps_are_kept_once_each_in_order_wherever_they_stand() -> None:
    body = (
        "Sitemap: http://a/1.xml\nUser-agent: *\nSite-map: http://a/é.xml\n"
        "Sitemap http://a/3.xml\nsitemap: http://a/1.xml # again\nSitemap index: see http://a/4.xml"
    )
    assert RobotsRules.parse(body.encode()).sitemaps == ("http://a/1.xml", "http://a/é.xml", "http://a/3.xml")


def test_an_explanation_names_the_line_that_decides() -> None:
    rules = RobotsRules.parse("User-agent: *\nDisallow: /\nAllow: /é # yes\n".encode())
    assert rules.explain("/%C3%A9/1") == Explanation(True, 3, "Allow: /é # yes", "/é", "*")
    assert rules.explain("/x").sentence == "Line 2 of robots.txt, for *, forbids it: Disallow: /"
    assert RobotsRules.parse(b"").explain("/x").sentence.startswith("No line")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("", "/"),
        ("http://www.example.com", "/"),
        ("http://www.example.com/", "/"),
        ("http://www.example.com/a/b?c=http://d.e/", "/a/b?c=http://d.e/"),
        ("http://www.example.com?a=/b", "/?a=/b"),
        ("http://www.example.com;a", "/;a"),
        ("http://www.example.com/a#b?c", "/a"),
        ("http://www.example.com#a/b", "/"),
        ("www.example.com/a", "/a"),
        ("//a/b/c", "/b/c"),
        ("/a/b#c", "/a/b"),
        ("/a?http://b", "/a?http://b"),
        ("https://[::1]:80/a", "/a"),
    ],
)
def test_the_path_of_an_address_is_what_the_server_is_asked_for(url: str, path: str) -> None:
    assert path_of(url) == path


# laws


def matches_by_definition(pattern: str, path: str) -> bool:
    """All prefixes of the path that the pattern so far can end at, one character of the pattern at a time."""
    ends = pattern.endswith("$")
    places = {0}
    for sign in pattern[:-1] if ends else pattern:
        if sign == "*":
            places = set(range(min(places), len(path) + 1))
        else:
            places = {place + 1 for place in places if path[place : place + 1] == sign}
        if not places:
            return False
    return len(path) in places if ends else True


PATTERNS = st.text("ab/*$", max_size=9).map("/".__add__)
PATHS = st.text("ab/", max_size=14).map("/".__add__)


@given(st.lists(PATTERNS, max_size=8), PATHS)
def test_both_ways_of_matching_agree_with_the_definition(written: list[str], path: str) -> None:
    patterns = [read_pattern(one) for one in written]
    inner = [one.replace("$", "\x00")[:-1] + "$" if one.endswith("$") else one.replace("$", "\x00") for one in written]
    expected = next((place for place, one in enumerate(inner) if matches_by_definition(one, path)), None)
    assert OneExpression(patterns).first(path) == expected
    by_octets = sorted(patterns, key=lambda pattern: -pattern.octets)
    assert OneExpression(by_octets).first(path) == PrefixTable(by_octets).first(path)


@given(st.binary(max_size=400), st.text(max_size=30))
def test_no_file_and_no_address_can_break_it(body: bytes, url: str) -> None:
    rules = RobotsRules.parse(b"User-agent: *\nDisallow: " + body)
    explanation = rules.explain(url)
    assert explanation.allowed is rules.allowed("recrawl", url)
    assert rules.crawl_delay_s() is None or rules.crawl_delay_s() >= 0  # type: ignore[operator]


@given(st.binary(max_size=200))
def test_lines_are_numbered_in_order(body: bytes) -> None:
    numbers = [line.number for line in read_lines(b"allow: /\n" + body)]
    assert numbers == sorted(set(numbers))
    assert numbers[0] == 1


def seconds_to_ask(patterns: list[str], path: str) -> float:
    rules = RobotsRules.parse(
        "".join(["user-agent: *\n", *(f"disallow: {pattern}\n" for pattern in patterns)]).encode()
    )
    rules.allowed("recrawl", path)
    return min(timeit(lambda: rules.allowed("recrawl", path), number=3) for _ in range(3))


@pytest.mark.parametrize(
    "hostile",
    ["/" + "*a" * 60 + "b", "/" + "*a" * 60 + "b$", "/" + "*a" * 5000 + "b", "/*" + "a" * 1000 + "b"],
)
def test_a_hostile_pattern_costs_no_more_than_its_length_explains(hostile: str) -> None:
    path = "/" + "a" * 2000
    harmless = seconds_to_ask(["/*" + "c" * (len(hostile) % 50) + "b"], path)
    assert seconds_to_ask([hostile], path) < 400 * harmless


def test_a_thousand_times_the_rules_do_not_cost_a_thousand_times_the_time() -> None:
    few = seconds_to_ask([f"/section{number}/x" for number in range(10)], "/section9999999/y")
    many = seconds_to_ask([f"/section{number}/x" for number in range(10_000)], "/section9999999/y")
    assert many < 100 * few


def test_what_is_said_to_many_agents_or_to_one_named_often_is_held_once() -> None:
    rules = b"Disallow: /a*b$\n" * 500
    often = parse(b"User-agent: *\n" * 500 + rules)
    assert len(often.groups["*"].rules) == 500
    many = parse(b"".join(b"User-agent: bot%s\n" % bytes([97 + i // 26, 97 + i % 26]) for i in range(500)) + rules)
    assert len(many.groups) == 500
    assert len({id(said) for group in many.groups.values() for said, _ in group.heard}) == 1


def test_a_delay_counts_for_the_agents_named_before_it() -> None:
    rules = RobotsRules.parse(b"User-agent: one\nCrawl-delay: 5\nUser-agent: two\nCrawl-delay: 2\nDisallow: /x\n")
    assert (rules.crawl_delay_s("one"), rules.crawl_delay_s("two")) == (5.0, 2.0)
    assert not rules.allowed("one", "/x") and not rules.allowed("two", "/x")


@given(st.lists(st.text("abZ/*$%6", max_size=6), max_size=5), st.text("abZ/*%6é?", max_size=8).map("/".__add__))
def test_what_is_deaf_to_a_beginning_speaks_of_no_path_with_it(written: list[str], path: str) -> None:
    body = "User-agent: *\n" + "".join(f"Disallow: {one}\n" for one in written)
    judge = RobotsRules.parse(body.encode()).judge("recrawl")
    assert not judge.is_deaf_to(path[:2]) or judge.rule(path) is None


def test_two_characters_tell_of_most_paths_that_no_line_speaks_of_them() -> None:
    judge = RobotsRules.parse(b"User-agent: *\nDisallow: /private/\nDisallow: /s?q=\n").judge("recrawl")
    assert judge.is_deaf_to("/a")
    assert not any(judge.is_deaf_to(beginning) for beginning in ("/p", "/s", "/%", "/", "/é", ""))
    for rule in ("*.pdf", "/", "/*?"):
        judge = RobotsRules.parse(f"User-agent: *\nDisallow: {rule}\n".encode()).judge("recrawl")
        assert not judge.is_deaf_to("/a")
