"""A link and its base to an absolute address, exactly as a browser does it (the WHATWG URL standard, by ada)."""

import ada_url


def resolve(link: str, base: str | None = None) -> str | None:
    """The href a browser would show, of whatever scheme; None where the standard says "failure"."""
    try:
        return str(ada_url.normalize_url(link) if base is None else ada_url.join_url(base, link))
    except UnicodeEncodeError:
        return resolve(_without_lone_surrogates(link), base and _without_lone_surrogates(base))
    except ValueError:
        return None


def _without_lone_surrogates(text: str) -> str:
    """What a browser's string conversion does: half a surrogate pair becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
