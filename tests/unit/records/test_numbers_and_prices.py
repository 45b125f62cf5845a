"""Numbers and prices are read as their writers meant them, or not at all."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract.values_number import Price, number, price

NUMBERS = [
    ("1.234,56", "", 1234.56),
    ("1,234.56", "", 1234.56),
    ("1 234,56", "", 1234.56),
    ("1\u00a0234,56", "", 1234.56),
    ("1\u202f234,56", "fr", 1234.56),
    ("1'234.50", "", 1234.5),
    ("1’234.50", "de-CH", 1234.5),
    ("12,34,567.89", "", 1234567.89),
    ("1.234.567", "", 1234567),
    ("12,000", "", 12000),
    ("1.234", "", 1.234),
    ("1.234", "de", 1234),
    ("1.234", "de_AT", 1234),
    ("1,234", "de", 1.234),
    ("1,234", "en-US", 1234),
    ("12.50", "de", 12.5),  # there is only one way to read it
    ("0,125", "", 0.125),
    ("1234.567", "", 1234.567),
    ("12,5", "", 12.5),
    (".99", "", 0.99),
    ("-5", "", -5),
    ("−5,5", "", -5.5),
    ("10-20", "", 10),
    ("4.5/5", "", 4.5),
    ("7 reviews", "", 7),
    ("about 3,000 people", "", 3000),
    ("１２３", "", 123),
    ("٣٫٥", "", 3.5),
    ("3만", "", 30000),
    ("1만 2천명", "", 12000),
    ("1億2000万", "", 120000000),
    ("5천연", "", 5),
    ("007", "", 7),
]


@pytest.mark.parametrize(("text", "locale", "value"), NUMBERS)
def test_a_number_is_read_as_it_was_meant(text: str, locale: str, value: float) -> None:
    found = number(text, locale)
    assert found == value
    assert isinstance(found, int) is isinstance(value, int)


@pytest.mark.parametrize("text", ["", "none", "1.2.3", "1,2,3", "½", "1" * 50, "12,34,56", "1.23,45.6"])
def test_what_has_no_reading_is_no_number(text: str) -> None:
    assert number(text) is None


PRICES = [
    ("₩12,000", "", "", 12000, "KRW"),
    ("12,000원", "", "", 12000, "KRW"),
    ("3만5천원", "", "", 35000, "KRW"),
    ("1만 2,000원", "", "", 12000, "KRW"),
    ("¥1,980", "", "", 1980, "JPY"),
    ("￥1,980", "", "", 1980, "JPY"),
    ("税込1,980円", "", "", 1980, "JPY"),
    ("税込1,980円(税抜1,800円)", "", "", 1980, "JPY"),
    ("¥99.50", "zh-CN", "", 99.5, "CNY"),
    ("€ 1.234,50", "", "", 1234.5, "EUR"),
    ("1.234 €", "", "", 1234, "EUR"),
    ("€1,234.50", "", "", 1234.5, "EUR"),
    ("19,99 €*", "", "", 19.99, "EUR"),
    ("5,00EUR", "", "", 5, "EUR"),
    ("EUR 12,-", "", "", 12, "EUR"),
    ("$1,234.50", "", "", 1234.5, "USD"),
    ("$3.459", "", "", 3.459, "USD"),
    ("$.99", "", "", 0.99, "USD"),
    ("US$ 5", "", "", 5, "USD"),
    ("C$5", "", "", 5, "CAD"),
    ("$5", "en-AU", "", 5, "AUD"),
    ("-$5.00", "", "", -5, "USD"),
    ("$-5", "", "", -5, "USD"),
    ("2 for $5", "", "", 5, "USD"),
    ("from $10 to $20", "", "", 10, "USD"),
    ("£12.00", "", "", 12, "GBP"),
    ("CHF 1'234.50", "", "", 1234.5, "CHF"),
    ("R$ 1.234,56", "", "", 1234.56, "BRL"),
    ("1 234,56 zł", "", "", 1234.56, "PLN"),
    ("1 299,00 ₽", "", "", 1299, "RUB"),
    ("kr 1 299", "sv", "", 1299, "SEK"),
    ("1.299 kr.", "da", "", 1299, "DKK"),
    ("Rs. 1,23,456", "", "", 123456, "INR"),
    ("12.000.000 ₫", "", "", 12000000, "VND"),
    ("12.345 KWD", "", "", 12.345, "KWD"),
    ("1234.50", "", "USD", 1234.5, "USD"),
    ("1.234", "", "CLP", 1234, "CLP"),
    ("12,99", "", "EUR", 12.99, "EUR"),
    ("€5", "", "USD", 5, "EUR"),  # the text knows better
    ("12.99", "", "", 12.99, None),
    ("kr 5", "", "", 5, None),  # of which country?
]


@pytest.mark.parametrize(("text", "locale", "given_currency", "amount", "currency"), PRICES)
def test_a_price_is_read_with_its_currency(
    text: str, locale: str, given_currency: str, amount: float, currency: str | None
) -> None:
    assert price(text, locale, given_currency) == Price(amount, currency)


@pytest.mark.parametrize("text", ["", "free", "sold out", "€", "kostenlos", "Preis auf Anfrage"])
def test_what_names_no_amount_is_no_price(text: str) -> None:
    assert price(text) is None
    assert price(text, "de", "EUR") is None


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from(["de", "en", "fr", "de-CH"]))
def test_what_a_locale_writes_it_reads(whole: int, cents: int, locale: str) -> None:
    marks = {"de": (".", ","), "en": (",", "."), "fr": ("\u202f", ","), "de-CH": ("’", ".")}[locale]
    written = f"{whole:,}".replace(",", marks[0]) + f"{marks[1]}{cents:02}"
    assert number(written, locale) == float(f"{whole}.{cents:02}")


@given(st.text(max_size=60))
def test_no_text_makes_it_fail(text: str) -> None:
    number(text)
    price(text)


@pytest.mark.parametrize(
    "text", ["3만" + "1" * 200_000, "1" * 200_000 + "x", "1," * 100_000, "$ " * 100_000, "1 000" * 50_000]
)
def test_no_text_keeps_it_busy(text: str) -> None:
    started = time.process_time()
    number(text)
    price(text)
    assert time.process_time() - started < 1.0
