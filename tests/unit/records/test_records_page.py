"""What docs/reference/records.md says is so."""

import re
from pathlib import Path

import pytest

from recrawl.extract.records import wrapper_of
from recrawl.extract.values_date import day_or_moment
from recrawl.extract.values_number import number, price
from recrawl.formats import doc_record, site_toml
from recrawl.formats.site_keys import FIELD
from recrawl.model.site import FieldType

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "records.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_fields_shown_are_a_site_file() -> None:
    site = site_toml.parse('seeds = ["https://shop.example/"]\n' + block("toml"), "shop")
    assert [field.name for field in site.fields] == ["price", "added", "reviews"]
    assert wrapper_of(site.fields)


def test_every_key_and_every_type_has_its_line() -> None:
    words = set(re.findall(r"`([a-z]+)`", "\n".join(line for line in PAGE.splitlines() if line.startswith("| "))))
    assert set(FIELD) <= words | {"name"}
    assert {kind.value for kind in FieldType} <= words


def test_the_record_shown_is_one() -> None:
    record = doc_record.parse(block("xml").encode())
    assert (record.category, record.domain) == ("person", "www.web.com")


NUMBERS = [("1.234,56", 1234.56), ("1,234.56", 1234.56), ("1.234.567", 1234567), ("12,5", 12.5), ("1.2.3", None)]


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_the_numbers_are_read_as_said(text: str, value: float | None) -> None:
    assert f"`{text}`" in PAGE
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("1.234 €", 1234, "EUR"),
        ("$3.459", 3.459, "USD"),
        ("2 for $5", 5, "USD"),
        ("₩12,000", 12000, "KRW"),
        ("12,000원", 12000, "KRW"),
        ("税込1,980円", 1980, "JPY"),
        ("CHF 1'234.50", 1234.5, "CHF"),
        ("EUR 12,-", 12, "EUR"),
    ],
)
def test_the_prices_are_read_as_said(text: str, amount: float, currency: str) -> None:
    assert f"`{text}`" in PAGE
    found = price(text)
    assert found is not None
    assert (found.amount, found.currency) == (amount, currency)


def test_the_dates_are_read_as_said() -> None:
    [line] = re.findall(r"\*\*Dates\.\*\*(.*?)and the like", PAGE, re.DOTALL)
    dates = re.findall(r"`([^`]+)`", line)
    assert len(dates) > 5
    assert {day_or_moment(text) for text in dates} == {"2026-11-15"}
    assert day_or_moment("03/04/2026") is day_or_moment("어제") is None
