"""What stands between a link and its page: session ids, found by asking for one page twice, and redirects."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import unquote

from recrawl.model.site import Rewrite
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.learn_shapes import parts_of
from recrawl.scope.learn_values import Sampled

_TOKEN = re.compile(r"(?=.*[0-9])[0-9A-Za-z_.-]{8,}")


def session_parameters(pages: Iterable[tuple[Sampled, Sampled]]) -> list[str]:
    """Parameters whose value differs between two looks at one page, everything else of the link being the same."""
    changed: Counter[str] = Counter()
    steady: Counter[str] = Counter()
    for first, second in pages:
        before, after = _values(first), _values(second)
        for key in before.keys() & after.keys():
            differs = not before[key] & after[key]
            (changed if differs else steady)[str(key[-1])] += len(before[key])
    return sorted(name for name, count in changed.items() if count > steady[name])


def _values(page: Sampled) -> dict[tuple[object, ...], set[str]]:
    """By place, words, path and name of a parameter, the values it has there."""
    values: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for link in page.links:
        if link.relation != "script":
            server, segments, query = parts_of(link.url)
            names = tuple(name for name, _ in query)
            for name, value in query:
                values[(link.place, link.text, server, segments, names, name)].add(value)
    return values


def session_like(pages: Iterable[Sampled]) -> list[str]:
    """Parameters that look like a session by themselves: one token a page, on links to several places, and another
    token on the next page."""
    values: dict[str, list[set[str]]] = defaultdict(list)
    paths: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for page in pages:
        here: dict[str, set[str]] = defaultdict(set)
        for link in page.links:
            if link.relation != "script":
                _, segments, query = parts_of(link.url)
                for name, value in query:
                    here[name].add(value)
                    paths[name].add(segments)
        for name, found in here.items():
            values[name].append(found)
    return sorted(name for name, found in values.items() if len(paths[name]) >= 3 and _is_session(found))


def _is_session(found: list[set[str]]) -> bool:
    tokens = {value for page in found for value in page}
    one_a_page = sum(len(page) == 1 for page in found) >= 0.9 * len(found)
    return (
        len(found) >= 3
        and one_a_page
        and len(tokens) >= 0.8 * len(found)
        and all(_TOKEN.fullmatch(value) for value in tokens)
    )


def redirect_rules(pages: Iterable[Sampled], canonicaliser: Canonicaliser) -> list[tuple[Rewrite, str]]:
    """Rewritings of addresses that hold the address they lead to, proved by a redirect; each with an example."""
    rules: dict[Rewrite, str] = {}
    for page in pages:
        if not page.redirect:
            continue
        _, segments, query = parts_of(page.url)
        for name, value in query:
            inner = canonicaliser.canonical(unquote(value), page.url)
            if inner is not None and inner.url == page.redirect and "/" in unquote(value):
                further = "&*" if len(query) > 1 else ""
                rules.setdefault(Rewrite(f"/{'/'.join(segments)}?{name}={{target:url}}{further}", "{target}"), page.url)
    return list(rules.items())


def promising_redirects(urls: Iterable[str], canonicaliser: Canonicaliser) -> list[str]:
    """Addresses that may be redirects: one to try for each path and parameter."""
    found: dict[tuple[tuple[str, ...], str], str] = {}
    for url in urls:
        _, segments, query = parts_of(url)
        for name, value in query:
            decoded = unquote(value)
            if decoded.startswith(("/", "http://", "https://")) and canonicaliser.canonical(decoded, url):
                found.setdefault((segments, name), url)
    return list(found.values())
