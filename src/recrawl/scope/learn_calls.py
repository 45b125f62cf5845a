"""Rewritings for scripts: the arguments of calls are sought in addresses seen elsewhere."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from recrawl.model.site import Rewrite
from recrawl.scope.learn_graph import Graph
from recrawl.scope.learn_shapes import parts_of
from recrawl.scope.learn_values import Group, Seen, Shape, is_page_key
from recrawl.scope.rewrite import Rewriter
from recrawl.scope.rewrite_calls import Token, calls_in, tokens

LEAST_VOTES = 2
_NAMES = {"{int}": "id", "{slug}": "slug", "{date}": "date", "{hex}": "key"}
_VARIABLE = re.compile(r"\{\w+\}")
_ADDRESS = re.compile(r"(?:https?:/)?/[^/\s]")
_LOCATIONS = (
    ("location", "href"), ("window", "location", "href"), ("document", "location", "href"),
    ("self", "location", "href"), ("top", "location", "href"), ("location",), ("window", "location"),
    ("document", "location"),
)  # fmt: skip

Signature = tuple[str, int]  # name and number of arguments
Arguments = list[str | None]
Called = tuple[Arguments, str]  # arguments, and what the link says


def values_of(shape: Shape, url: str) -> tuple[str, ...] | None:
    """What stands in an address where its shape is variable."""
    _, segments, query = parts_of(url)
    pairs = dict(query)
    values: list[str] = []
    for part, text in [*zip(shape.segments, segments, strict=True), *((v, pairs[k]) for k, v in shape.query)]:
        if "{" not in part:
            continue
        expression = "(.+?)".join(re.escape(piece) for piece in _VARIABLE.split(part))
        found = re.fullmatch(expression, text)
        if found is None:
            return None
        values += found.groups()
    return tuple(values)


def script_rules(
    scripts: Iterable[Seen], graph: Graph, named: frozenset[str] = frozenset()
) -> tuple[list[tuple[Rewrite, str]], list[str]]:
    """Rewritings, each with an example, and one sentence for each call that could not be matched. One call that makes
    an address the user `named` is proof enough."""
    texts = {seen.url: seen.text for seen in scripts}
    rules, doubts = _assignments(list(texts)), []
    by_signature: dict[Signature, list[Called]] = defaultdict(list)
    examples: dict[Signature, str] = {}
    for code, text in texts.items():
        for head, arguments in calls_in(code):
            by_signature[(head, len(arguments))].append((arguments, text))
            examples.setdefault((head, len(arguments)), code)
    index, alternatives = _index(graph), _alternatives(graph)
    for (head, count), calls in sorted(by_signature.items()):
        rule = _addresses(head, count, calls) or _matched(head, count, calls, graph, index, alternatives, named)
        if rule is not None:
            rules.append((rule, examples[(head, count)]))
        elif any(argument and len(argument) > 1 for call, _ in calls for argument in call):
            doubts.append(
                f"{head}(…) stands in {len(calls)} links, but no address seen elsewhere has all that differs in them"
            )
    return rules, doubts


def address_in(code: str) -> str:
    """The address that stands in code as it is: assigned to the location, or given to a call; '' if there is none."""
    rules = [rule for rule, _ in _assignments([code])]
    if found := Rewriter(tuple(rules)).script(code) if rules else None:
        return found[1]
    given = (text for _, arguments in calls_in(code) for text in arguments if text is not None)
    return next((text for text in given if _ADDRESS.match(text)), "")


def _assignments(codes: list[str]) -> list[tuple[Rewrite, str]]:
    """`location.href = '/x'` in its many spellings."""
    found: dict[Rewrite, str] = {}
    for code in codes:
        text = tokens(code)
        for words in _LOCATIONS:
            wanted = [Token("word", words[0])]
            for word in words[1:]:
                wanted += [Token("sign", "."), Token("word", word)]
            wanted.append(Token("sign", "="))
            for at in range(len(text) - len(wanted)):
                after = text[at + len(wanted)]
                if text[at : at + len(wanted)] == wanted and after.kind == "string":
                    found.setdefault(Rewrite(f"javascript:{'.'.join(words)}={{target:url}}", "{target}"), code)
    return list(found.items())


def _addresses(head: str, count: int, calls: list[Called]) -> Rewrite | None:
    """An argument that is an address itself: `window.open('/x')`, `go('/item/7')`."""
    for place in range(count):
        texts = [call[place] for call, _ in calls]
        if all(text is not None and _ADDRESS.match(text) for text in texts):
            return Rewrite(f"javascript:{head}({_pattern(count, {place: '{target:url}'})})", "{target}")
    return None


Vote = tuple[Shape, tuple[int, ...]]  # a shape, and which argument stands for each of its variables
Hit = tuple[Shape, int, str]  # shape, place among its variables, address
Alternatives = dict[str, set[str]]  # by the name of a parameter, the values it has anywhere


def _index(graph: Graph) -> dict[str, list[Hit]]:
    index: dict[str, list[Hit]] = defaultdict(list)
    for shape, group in graph.groups.items():
        for url in group.members if shape.variables else ():
            for place, value in enumerate(values_of(shape, url) or ()):
                index[value].append((shape, place, url))
    return index


def _alternatives(graph: Graph) -> Alternatives:
    found: Alternatives = defaultdict(set)
    for shape, group in graph.groups.items():
        for url in group.members if shape.query else ():
            for name, value in parts_of(url)[2]:
                found[name].add(value)
    return found


def _matched(
    head: str,
    count: int,
    calls: list[Called],
    graph: Graph,
    index: dict[str, list[Hit]],
    alternatives: Alternatives,
    named: frozenset[str],
) -> Rewrite | None:
    """The shape whose variables are all among the arguments, and whose links say what the calls' links say."""
    votes: Counter[Vote] = Counter()
    agreeing: Counter[Vote] = Counter()
    told: dict[Vote, list[Arguments]] = defaultdict(list)
    have_names = _have_names(calls)
    for call, text in calls:
        for vote, urls in _votes(call, index).items():
            if (have_names and _turns_pages(vote[0])) or _is_contradicted(vote, call, alternatives):
                continue
            told[vote].append(call)
            votes[vote] += 1
            agreeing[vote] += any(text in graph.texts.get(url, ()) for url in urls)
            votes[vote] += LEAST_VOTES * any(url in named for url in urls)
    given = [call for call, _ in calls]
    widened = {vote: _widened(*vote, told[vote], given) for vote in votes}
    for vote in [one for one in votes if _is_one_for_many(widened[one], given)]:
        del votes[vote]
    if not votes:
        return None
    best = max(votes, key=lambda vote: (agreeing[vote], len(vote[1]), votes[vote], _worth(graph.groups[vote[0]])))
    if votes[best] < min(LEAST_VOTES, len(calls)):
        return None
    return _rule(head, count, *widened[best])


def _widened(shape: Shape, mapping: tuple[int, ...], told: list[Arguments], calls: list[Arguments]) -> Vote:
    """Where all addresses seen have one value that their calls name, an argument that differs in other calls stands for
    it: `view('news', 7)` made `board?of=news&number=7`, so `view('jobs', 8)` says its board."""
    free = [place for place in range(len(told[0])) if place not in mapping]
    said = {place: {call[place] for call in told} for place in free if len({call[place] for call in calls}) > 1}
    given = {texts.pop(): place for place, texts in said.items() if len(texts) == 1}
    taken = iter(mapping)
    widened: list[int] = []

    def part(text: str) -> str:
        if text and "{" not in text and text in given:
            widened.append(given[text])
            return "{int}" if all(_is_number(call[given[text]]) for call in calls) else "{slug}"
        widened.extend(next(taken) for _ in _VARIABLE.findall(text))
        return text

    segments = tuple(part(text) for text in shape.segments)
    query = tuple((name, part(value)) for name, value in shape.query)
    return (
        (Shape(shape.server, segments, query), tuple(widened))
        if len(set(widened)) == len(widened)
        else (shape, mapping)
    )


def _is_number(text: str | None) -> bool:
    return text is not None and text.isdecimal()


def _is_one_for_many(vote: Vote, calls: list[Arguments]) -> bool:
    """Whether calls that differ would lead to few addresses."""
    given = {tuple(call[argument] for argument in vote[1]) for call in calls}
    return 2 * len(given) < len({tuple(call) for call in calls})


def _have_names(calls: list[Called]) -> bool:
    """Whether the links say what they lead to; those that turn pages are numbers, but for a few."""
    texts = {text for _, text in calls if text.strip("0123456789 .,:/-")}
    return 2 * len(texts) >= len(calls)


def _turns_pages(shape: Shape) -> bool:
    return any(is_page_key(name) for name, value in shape.query if "{" in value)


def _is_contradicted(vote: Vote, call: Arguments, alternatives: Alternatives) -> bool:
    """Whether an argument without a place says another value of what is the same in all addresses of the shape:
    `view('questions', 7)` is none of `board?of=news&number=7` where there is a `board?of=questions`."""
    shape, mapping = vote
    idle = {text for argument, text in enumerate(call) if argument not in mapping}
    fixed = [(name, value) for name, value in shape.query if "{" not in value]
    return any(idle & alternatives[name] - {value} for name, value in fixed)


def _rule(head: str, count: int, shape: Shape, mapping: tuple[int, ...]) -> Rewrite:
    types = _VARIABLE.findall(str(shape))
    names: list[str] = []
    for kind in types:
        plain = _NAMES.get(kind, "value")
        names.append(plain if plain not in names else f"{plain}{len(names) + 1}")
    captures = {
        argument: f"{{{name}:int}}" if kind == "{int}" else f"{{{name}}}"
        for argument, name, kind in zip(mapping, names, types, strict=True)
    }
    filled = iter(names)
    target = _VARIABLE.sub(lambda _: f"{{{next(filled)}}}", str(shape))
    return Rewrite(f"javascript:{head}({_pattern(count, captures)})", target)


def _votes(call: Arguments, index: dict[str, list[Hit]]) -> dict[Vote, list[str]]:
    """Shapes that have an address made of these arguments, with which argument stands where, and the addresses."""
    hits: dict[tuple[Shape, str], dict[int, int]] = defaultdict(dict)
    for argument, text in enumerate(call):
        for shape, place, url in index.get(text, ()) if text else ():
            hits[(shape, url)].setdefault(place, argument)
    votes: dict[Vote, list[str]] = defaultdict(list)
    for (shape, url), places in hits.items():
        whole = len(places) == len(_VARIABLE.findall(str(shape))) and len(set(places.values())) == len(places)
        if whole:
            votes[(shape, tuple(places[place] for place in range(len(places))))].append(url)
    return votes


def _worth(group: Group) -> tuple[int, int]:
    """Of several shapes that have the same values the plainest is meant, and the one with most pages."""
    return -len(group.shape.query), len(group.members)


def _pattern(count: int, captures: dict[int, str]) -> str:
    last = max(captures)
    written = [captures.get(place, "*") for place in range(last + 1)]
    return ", ".join([*written, "..."] if count > last + 1 else written)
