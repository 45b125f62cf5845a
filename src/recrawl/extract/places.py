"""Names the place of an element in its template: stable from visit to visit, whatever its siblings are."""

from functools import lru_cache

from recrawl.model.address import fingerprint
from recrawl.model.late import late

_DIGIT = late(r"[0-9]")
# classes that say what state a thing is in, not what it is
_STATE_WORDS = (
    "active collapsed current even expanded first focus has-focus hidden hover is-active is-current is-open last new "
    "odd on open seen selected show shown sticky unread visible visited"
)
_STATES = frozenset(_STATE_WORDS.split())

ROOT = fingerprint("")


def steady(word: str) -> str:
    """An id or class up to its first digit: `post-1234` and `css-1x9k2` are made anew, `post-` and `css-` stay."""
    digit = _DIGIT.search(word)
    return word[: digit.start()] + "#" if digit else word


@lru_cache(maxsize=8192)  # pages of a template use the same few
def signature(tag: str, identifier: str, classes: str) -> str:
    """`div#main.post.wide`, in which nothing changes from page to page of a template."""
    words = sorted({steady(word) for word in classes.split()} - _STATES) if classes else ()
    name = f"{tag}#{steady(identifier)}" if identifier else tag
    return ".".join((name, *words)) if words else name


@lru_cache(maxsize=8192)
def place_below(parent: int, tag: str, identifier: str, classes: str) -> int:
    """A child's place is a hash of its parent's and its own signature."""
    return fingerprint(f"{parent}/{signature(tag, identifier, classes)}")
