"""Addresses → shapes: which parts stay, which parts differ, and of what type the differing parts are."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import unquote

from recrawl.scope.learn_values import Shape, is_page_key

MANY_WORDS = 20  # so many different words at one place are names, not sections
SOME_WORDS = 4  # fewer will do where they look like names

_DATE = re.compile(r"(?:19|20)\d\d[-._]?(?:0\d|1[0-2])[-._]?(?:[0-2]\d|3[01])")
_HEX = re.compile(r"(?=.*[0-9])(?=.*[a-fA-F])[0-9a-fA-F]{8,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NUMBERED = re.compile(r"(.*?)([0-9]+)([^0-9]*)")
_NAME_NUMBER = re.compile(r".*[^0-9]([-_.])[0-9]+(\.[A-Za-z]+)?")
_NUMBER_NAME = re.compile(r"[0-9]+([-_.])[^0-9].*?(\.[A-Za-z]+)?")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}")

_LAST_LATIN = "\u024f"

Parts = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]


def parts_of(url: str) -> Parts:
    start = url.find("//") + 2
    path_at = url.find("/", start)
    path, _, query = url[path_at + 1 :].partition("?")
    pairs = [pair.partition("=") for pair in query.split("&")] if query else []
    return url[start:path_at], tuple(path.split("/")), tuple((name, value) for name, _, value in pairs)


def shapes_of(urls: Iterable[str]) -> dict[str, Shape]:
    """The shape of every address, told by comparing it with the others."""
    found: dict[str, Shape] = {}
    groups: dict[tuple[str, int], list[tuple[str, Parts]]] = defaultdict(list)
    for url in sorted(set(urls)):
        parts = parts_of(url)
        groups[(parts[0], len(parts[1]))].append((url, parts))
    for (server, length), members in groups.items():
        _split(members, 0, length, server, (), found)
    return found


def _split(
    members: list[tuple[str, Parts]],
    at: int,
    length: int,
    server: str,
    before: tuple[str, ...],
    found: dict[str, Shape],
) -> None:
    """Segment by segment: members that look alike here stay together."""
    if at == length:
        _queries(members, server, before, found)
        return
    words = segment_shapes([parts[1][at] for _, parts in members], bool(before) and "{" in before[-1])
    groups: dict[str, list[tuple[str, Parts]]] = defaultdict(list)
    for url, parts in members:
        groups[words[parts[1][at]]].append((url, parts))
    for word, below in groups.items():
        _split(below, at + 1, length, server, (*before, word), found)


def _queries(members: list[tuple[str, Parts]], server: str, segments: tuple[str, ...], found: dict[str, Shape]) -> None:
    groups: dict[tuple[str, ...], list[tuple[str, dict[str, str]]]] = defaultdict(list)
    for url, (_, _, query) in members:
        groups[tuple(sorted({name for name, _ in query}))].append((url, dict(query)))
    for names, below in groups.items():
        values = {name: _value_shape([query[name] for _, query in below]) for name in names}
        shape = Shape(server, segments, tuple((name, values[name]) for name in names))
        found.update((url, shape) for url, _ in below)


def _value_shape(values: list[str]) -> str:
    distinct = set(values)
    if all(value.isdecimal() for value in distinct):
        return "{int}"
    if all(_DATE.fullmatch(value) for value in distinct):
        return "{date}"
    return values[0] if len(distinct) == 1 else "{slug}"


def segment_shapes(texts: list[str], after_variable: bool = False) -> dict[str, str]:
    """What each text at one place of a path is: itself, or a type."""
    shapes: dict[str, str] = {}
    words: list[str] = []
    numbered: dict[tuple[str, str], set[str]] = defaultdict(set)
    for text in set(texts):
        if not text:  # the address ends with a slash
            shapes[text] = text
        elif text.isdecimal() and text.isascii() and not _DATE.fullmatch(text):
            shapes[text] = "{int}"
        elif _DATE.fullmatch(text):
            shapes[text] = "{date}"
        elif _HEX.fullmatch(text):
            shapes[text] = "{hex}"
        elif shape := turns_pages(text):
            shapes[text] = shape
        elif (split := _NUMBERED.fullmatch(text)) is not None:
            numbered[(split[1], split[3])].add(text)
        else:
            words.append(text)
    endings = Counter(map(_ending, numbered))
    for (prefix, suffix), alike in numbered.items():
        by_chance = len(alike) < SOME_WORDS and endings[_ending((prefix, suffix))] >= MANY_WORDS
        if len(alike) >= 2 and not by_chance:
            shapes.update((text, f"{prefix}{{int}}{suffix}") for text in alike)
        else:
            words += alike
    shapes.update(_word_shapes(words, len(texts), after_variable))
    return shapes


def turns_pages(text: str) -> str:
    """The shape of a segment that is a number after a word for pages (`p2`, `page-3.html`), '' if it is none."""
    split = _NUMBERED.fullmatch(text)
    return f"{split[1]}{{int}}{split[3]}" if split and is_page_key(split[1].rstrip("-_.")) else ""


def _ending(numbered: tuple[str, str]) -> tuple[str, str]:
    """What many names with numbers have in common: two of them may have the same words and still be two names."""
    return numbered[0][-1:], numbered[1]


def _word_shapes(words: list[str], total: int, after_variable: bool) -> dict[str, str]:
    """Names with numbers, names of several words and single words are judged apart: they are seldom the same thing."""
    if after_variable and len(words) >= SOME_WORDS and 2 * len(words) >= total:
        return dict.fromkeys(words, _name_shape(words))
    shapes: dict[str, str] = {}
    heaps: dict[str, list[str]] = defaultdict(list)
    for word in words:
        heaps[_look(word)].append(word)
    for look, alike in heaps.items():
        enough = len(alike) >= (MANY_WORDS if look == "word" else SOME_WORDS)
        shape = _name_shape(alike)
        shapes.update((word, shape if enough else word) for word in alike)
    return shapes


def _look(word: str) -> str:
    for expression, look in ((_NAME_NUMBER, "name number"), (_NUMBER_NAME, "number name")):
        found = expression.fullmatch(word)
        if found:
            return f"{look} {found[1]} {found[2] or ''}"
    extension = _EXTENSION.search(word[word.rfind(".") :]) if "." in word else None
    several = has_several_words(word) or len(unquote(word)) > 16
    return f"name {extension[0] if extension else ''}" if several else "word"


def has_several_words(text: str) -> bool:
    """Latin letters are words, whatever stands above them; other scripts need no sign between words."""
    return any(sign in "-_ " or sign > _LAST_LATIN for sign in unquote(text))


def _name_shape(words: list[str]) -> str:
    """`{slug}-{int}.html`, `{int}-{slug}`, `{slug}.html` or `{slug}`: the closest that (nearly) all agree with."""
    for expression, order in ((_NAME_NUMBER, "{slug}#{int}"), (_NUMBER_NAME, "{int}#{slug}")):
        matches = [match for word in words if (match := expression.fullmatch(word))]
        marks = {(match[1], match[2] or "") for match in matches}
        if len(matches) == len(words) and len(marks) == 1:
            mark, extension = marks.pop()
            return order.replace("#", mark) + extension
    extensions = {(_EXTENSION.search(word[word.rfind(".") :] if "." in word else "") or [""])[0] for word in words}
    return "{slug}" + (extensions.pop() if len(extensions) == 1 else "")
