"""What a document asks of robots: `<meta name=robots>` and the `X-Robots-Tag` header."""

from collections.abc import Iterable

AGENT = "recrawl"

_NAMES = frozenset({"robots", AGENT})
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_MEANS = {"none": ("noindex", "nofollow")}


def directives(metas: Iterable[tuple[str, str]], tags: Iterable[str] = ()) -> frozenset[str]:
    """`metas`: name and content of each meta. `tags`: values of X-Robots-Tag, which may be meant for one robot."""
    contents = [content for name, content in metas if name.strip().lower() in _NAMES]
    contents += [meant for tag in tags if (meant := _meant_for_us(tag))]
    words = {word for content in contents for word in _words(content)}
    return frozenset(words | {meaning for word in words for meaning in _MEANS.get(word, ())})


def _words(content: str) -> list[str]:
    return [word for part in content.lower().split(",") if (word := part.strip())]


def _meant_for_us(tag: str) -> str:
    agent, colon, rest = tag.partition(":")
    name = agent.strip().lower()
    if not colon or name in _VALUED or "," in name or " " in name:
        return tag
    return rest if name == AGENT else ""
