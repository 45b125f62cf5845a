"""The parser and what stands on it come with the first page that needs them."""

import subprocess
import sys

import pytest

from recrawl.extract import turbo_late
from recrawl.extract.charset import decode
from recrawl.extract.sight import sight_of
from recrawl.model.late import late_module

LOADS = "import sys, recrawl.cli.run; {}; sys.exit('turbohtml' in sys.modules)"
SEEN = "from recrawl.extract.document import parse; parse(b'<p>a', 'text/html; charset=utf-8', 'http://a.a/', met=())"
NAMED = f"{SEEN}; from recrawl.extract.turbo_late import unescape; unescape('&eacute;')"


@pytest.mark.parametrize(("work", "loaded"), [("", 0), (SEEN, 0), (NAMED, 1)], ids=["a start", "a page", "a name"])
def test_a_run_loads_the_parser_with_the_first_page_that_needs_it(work: str, loaded: int) -> None:
    assert subprocess.run([sys.executable, "-c", LOADS.format(work or "pass")], check=False).returncode == loaded


def test_what_came_late_is_what_would_have_come_at_once() -> None:
    assert turbo_late.unescape("&eacute;&notit;&#x80;") == "é¬it;€"
    assert decode("한국".encode("euc-kr"), "text/html; charset=euc-kr").text == "한국"
    tree = turbo_late.parse("<p>a<p>b")
    assert [turbo_late.is_element(element) for element in tree.elements(("p",))] == [True, True]
    assert turbo_late.fault_of("p > a") == ""
    assert turbo_late.fault_of("p >>") != ""
    seen = sight_of("<title>a &amp; b</title><p>x", 1000, "http://a.example/", ())
    assert seen is None or seen.title == "a & b"


def test_a_late_module_has_what_the_module_has_and_nothing_else() -> None:
    module = late_module("recrawl.extract.selector")
    assert module.fault_of("p") == ""
    assert module.fault_of is module.fault_of
    with pytest.raises(AttributeError):
        _ = module.nothing_like_it
