"""Text and attributes of XML. What the standard library has for it brings a whole HTTP client along."""

from collections.abc import Mapping

MARKUP = {"&": "&amp;", ">": "&gt;", "<": "&lt;"}  # in this order
WHITE = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def escape(text: str, more: Mapping[str, str] | None = None) -> str:
    """Text between tags; `more`: what else is written otherwise."""
    for mark, written in {**MARKUP, **(more or {})}.items():
        text = text.replace(mark, written)
    return text


def quoteattr(text: str, more: Mapping[str, str] | None = None) -> str:
    """An attribute's value with its quotes: double ones, unless single ones spare escapes."""
    written = escape(text, {**(more or {}), **WHITE})
    if '"' not in written:
        return f'"{written}"'
    return f"'{written}'" if "'" not in written else '"' + written.replace('"', "&quot;") + '"'
