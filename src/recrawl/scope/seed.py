"""The address that a person writes to begin with."""

import re

from recrawl.model.failure import UsageError
from recrawl.scope.canonical import Canonicaliser

_HOST_FIRST = re.compile(r"([\w-]+\.[\w.-]+|localhost)(:\d+)?(/|$)")


def seed_of(url: str, canonicaliser: Canonicaliser) -> str:
    """In its usual form; `https://` may be left out where a host is easily told from a word."""
    text = url.strip()
    if _HOST_FIRST.match(text) and "://" not in text:
        text = f"https://{text}"
    address = canonicaliser.canonical(text)
    if address is None:
        raise UsageError(f"{url!r} is not a web address: write it in full, for example https://example.com/")
    return address.url
