"""Raw text to a typed value, as JSON holds it; None where the text is nothing of the kind."""

from collections.abc import Callable
from dataclasses import asdict

from recrawl.extract.values_date import day_or_moment
from recrawl.extract.values_number import number, price
from recrawl.model.site import Field, FieldType

Resolve = Callable[[str], str | None]
WEB = ("http://", "https://")


def convert(raw: str, kind: FieldType, field: Field, resolve: Resolve) -> object:
    """`kind` is the field's type, or that of its items."""
    return _CONVERT[kind](raw, field, resolve)


def _text(raw: str, field: Field, resolve: Resolve) -> object:
    return " ".join(raw.split()) or None


def _number(raw: str, field: Field, resolve: Resolve) -> object:
    return number(raw, field.locale)


def _price(raw: str, field: Field, resolve: Resolve) -> object:
    found = price(raw, field.locale, field.currency)
    return asdict(found) if found else None


def _date(raw: str, field: Field, resolve: Resolve) -> object:
    return day_or_moment(raw, field.locale)


def _url(raw: str, field: Field, resolve: Resolve) -> object:
    """Absolute, and of the web: `javascript:` and `data:` lead nowhere."""
    found = resolve(raw.strip()) if raw.strip() else None
    return found if found and found.startswith(WEB) else None


_CONVERT: dict[FieldType, Callable[[str, Field, Resolve], object]] = {
    FieldType.TEXT: _text,
    FieldType.NUMBER: _number,
    FieldType.PRICE: _price,
    FieldType.DATE: _date,
    FieldType.URL: _url,
    FieldType.LIST: _text,
}
