"""A link and its base to an absolute address, exactly as a browser does it (the WHATWG URL standard, by ada)."""

from recrawl.model.late import late, late_module

_ADA = late_module("ada_url")
_SURROGATE = late("[\ud800-\udfff]")


def resolve(link: str, base: str | None = None) -> str | None:
    """The href a browser would show, of whatever scheme; None where the standard says "failure"."""
    try:
        return str(_ADA.normalize_url(link) if base is None else _ADA.join_url(base, link))
    except ValueError:
        if _SURROGATE.search(link) or (base and _SURROGATE.search(base)):
            return resolve(_without_surrogates(link), base and _without_surrogates(base))
        return None


def _without_surrogates(text: str) -> str:
    """What a browser's string conversion does: a pair becomes its character, half a pair U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
