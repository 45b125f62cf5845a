"""Values of headers by their name."""

from collections.abc import Callable, Iterable

from recrawl.native import compiled

Headers = Iterable[tuple[str, str]]

# The first value of a header; None: they are not so plain.
plain_value: Callable[[Headers, str], str | None] = (lambda *_: None) if compiled is None else compiled.header_value


def first_value(headers: Headers, name: str) -> str:
    """'' if there is none."""
    plain = plain_value(headers, name)
    return oddly_first(headers, name) if plain is None else plain


def oddly_first(headers: Headers, name: str) -> str:
    """`first_value` of any headers."""
    for key, value in headers:
        if key == name:
            return value
    return ""


def all_values(headers: Headers, name: str, any_case: bool = False) -> list[str]:
    """`any_case`: nobody has lower-cased the names."""
    plain: list[str] | None = compiled.header_values(headers, name, any_case) if compiled is not None else None
    return oddly_all(headers, name, any_case) if plain is None else plain


def oddly_all(headers: Headers, name: str, any_case: bool) -> list[str]:
    """`all_values` of any headers."""
    return [value for key, value in headers if (key.lower() if any_case else key) == name]
