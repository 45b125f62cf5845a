"""The pages on site files: every key has its row, every example can be read."""

import re
from pathlib import Path

import pytest

from recrawl.formats import crawlscript, site_toml
from recrawl.formats.site_keys import SITE, TABLES
from recrawl.formats.templates import TYPES
from recrawl.lab.shop import site_file
from recrawl.model.site import Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.check import prove
from recrawl.scope.patterns_site import Script
from recrawl.scope.rewrite_calls import read_call
from recrawl.scope.rules import Rules

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference" / "site-file.md").read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("key", [*SITE, *TYPES, *TABLES["patterns"], *TABLES["examples"]])
def test_every_key_and_type_has_its_row(key: str) -> None:
    assert re.search(rf"^\| `{key}`", REFERENCE, re.MULTILINE)


def test_the_example_site_file_is_one_and_its_own_examples_hold() -> None:
    (text,) = blocks(REFERENCE, "toml")
    site = site_toml.parse(text, "shop")
    canonicaliser = Canonicaliser()
    outcomes = prove(site, Script(site, canonicaliser), Rules.from_site(site, canonicaliser), site.seeds[0])
    assert outcomes and not any(one.complaint for one in outcomes)


def test_the_example_script_is_one() -> None:
    (text,) = blocks(REFERENCE, "xml")
    (site,) = crawlscript.parse(text)
    assert site.title == "People"


def test_every_call_of_the_reference_can_be_read() -> None:
    calls = re.findall(r"^\| `(javascript:[^`]+)`", REFERENCE, re.MULTILINE)
    assert len(calls) >= 5
    for call in calls:
        read_call(call)


def test_the_fields_of_the_tutorial_fit_the_shop() -> None:
    tutorial = (DOCS / "howto" / "shop-to-price-history.md").read_text("utf-8")
    (fields,) = blocks(tutorial, "toml")
    site: Site = site_toml.parse(site_file("http://127.0.0.1:8800/") + fields, "shop")
    assert [field.name for field in site.fields] == ["title", "price", "added", "reviews"]
    assert [field.name for field in site.fields[3].fields] == ["stars"]
