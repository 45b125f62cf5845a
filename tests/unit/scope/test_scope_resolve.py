"""Links are resolved as browsers do it."""

import pytest

from recrawl.scope.resolve import resolve


@pytest.mark.parametrize(
    ("link", "base", "expected"),
    [
        ("g", "http://a/b/c/d;p?q", "http://a/b/c/g"),
        ("../../../g", "http://a/b/c/d;p?q", "http://a/g"),
        ("g;x=1/../y", "http://a/b/c/d;p?q", "http://a/b/c/y"),
        ("//g?y#s", "http://a/b/c/d;p?q", "http://g/?y#s"),
        ("?y", "http://a/b/c/d;p?q", "http://a/b/c/d;p?y"),
        ("http:g", "http://a/b/c/d;p?q", "http://a/b/c/g"),
        ("https:g", "http://a/b/c/d;p?q", "https://g/"),
        ("mailto:x@y", "http://a/", "mailto:x@y"),
        ("#f", "about:blank", "about:blank#f"),
        ("x", "about:blank", None),
        ("x", "mailto:a@b", None),
        ("http://a:b:c/", None, None),
        ("http://user:pw@a//b/./c?d'#e", None, "http://user:pw@a//b/c?d%27#e"),
        ("file:///C|/x", None, "file:///C:/x"),
        ("non-special://A/../b", None, "non-special://A/b"),
        ("http://a/\udc00", None, "http://a/%EF%BF%BD"),
        ("b", "http://a/\udc00/", "http://a/%EF%BF%BD/b"),
    ],
)
def test_a_link_becomes_what_a_browser_would_show(link: str, base: str | None, expected: str | None) -> None:
    assert resolve(link, base) == expected
