"""A site file from a sample of pages: S2's open problem.

Addresses are cleaned of session ids and redirects, grouped by structure, joined into a graph of blocks of similar
links; the graph tells lists from details and both from all the rest. What cannot be told is said, not guessed.
"""

from collections.abc import Sequence
from dataclasses import replace

from recrawl.model.site import Example, Kind, Pattern, Rewrite, Site
from recrawl.model.values import dataclass
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.canonical_rules import CanonicalRules
from recrawl.scope.learn_calls import script_rules
from recrawl.scope.learn_cleaning import redirect_rules, session_like, session_parameters
from recrawl.scope.learn_graph import BLOCK, SMALLER_BLOCKS, Graph, graph_of
from recrawl.scope.learn_names import merged, written
from recrawl.scope.learn_order import in_order
from recrawl.scope.learn_roles import assign, has_deeper_details
from recrawl.scope.learn_values import Group, Role, Sampled, Seen
from recrawl.scope.patterns import Patterns
from recrawl.scope.rewrite import Rewriter

FEW = 10
FEW_SHARE = 0.05
MOST_EXCLUDED = 40
_KINDS = {Role.LIST: Kind.LIST, Role.DETAIL: Kind.DETAIL}

Notes = dict[tuple[str, int], list[str]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """`site` can be used as it is; `notes` are the comments of its file; `unsure` what a person should look at."""

    site: Site
    notes: Notes
    unsure: tuple[str, ...]
    groups: tuple[Group, ...]


def sessions(twice: Sequence[tuple[Sampled, Sampled]], pages: Sequence[Sampled]) -> tuple[str, ...]:
    return tuple(sorted({*session_parameters(twice), *session_like(pages)}))


def propose(
    site: Site, pages: Sequence[Sampled], twice: Sequence[tuple[Sampled, Sampled]], examples: Sequence[str] = ()
) -> Proposal:
    """`site` brings name, start and owner; pages are as they were fetched, `twice` those that were fetched twice."""
    dropped = sessions(twice, pages)
    site = replace(site, drop_parameters=(*site.drop_parameters, *dropped))
    canonicaliser = Canonicaliser(CanonicalRules.from_site(site))
    start = _clean(site.seeds[0], canonicaliser)
    read = _cleaned(pages, canonicaliser)
    redirects = redirect_rules(read, canonicaliser)
    read = _rewritten(read, Rewriter(tuple(rule for rule, _ in redirects)), canonicaliser)
    server = start.partition("://")[2].partition("/")[0]
    scripts = [(page.url, link) for page in read for link in page.links if link.relation == "script"]
    named = [_clean(example, canonicaliser) for example in examples]
    calls, doubts = script_rules((link for _, link in scripts), graph_of(read, server), frozenset(named))
    rules = [*redirects, *calls]
    rewriter = Rewriter(tuple(rule for rule, _ in rules))
    read = _rewritten(read, rewriter, canonicaliser)
    graph = _judged(read, server, start, named)
    return _proposal(site, graph, _used(rules, scripts, graph, canonicaliser), doubts, len(read), dropped)


def _judged(pages: list[Sampled], server: str, start: str, named: list[str]) -> Graph:
    """With the largest blocks that show any details."""
    for block in (BLOCK, *SMALLER_BLOCKS):
        graph = graph_of(pages, server, block)
        assign(graph, start, named)
        if any(group.role is Role.DETAIL for group in graph.groups.values()) and not has_deeper_details(graph):
            break
    return graph


def _clean(url: str, canonicaliser: Canonicaliser) -> str:
    address = canonicaliser.canonical(url)
    return url if address is None else address.url


def _cleaned(pages: Sequence[Sampled], canonicaliser: Canonicaliser) -> list[Sampled]:
    """Without sessions, each page once."""
    found: dict[str, Sampled] = {}
    for page in pages:
        links = tuple(
            link if link.relation == "script" else replace(link, url=_clean(link.url, canonicaliser))
            for link in page.links
        )
        redirect = _clean(page.redirect, canonicaliser) if page.redirect else ""
        clean = replace(page, url=_clean(page.url, canonicaliser), links=links, redirect=redirect)
        found.setdefault(clean.url, clean)
    return list(found.values())


def _rewritten(pages: list[Sampled], rewriter: Rewriter, canonicaliser: Canonicaliser) -> list[Sampled]:
    return [
        replace(page, links=tuple(_meant(link, page, rewriter, canonicaliser) for link in page.links)) for page in pages
    ]


def _meant(link: Seen, page: Sampled, rewriter: Rewriter, canonicaliser: Canonicaliser) -> Seen:
    found = rewriter.script(link.url) if link.relation == "script" else rewriter.address(link.url)
    address = canonicaliser.canonical(found[1], page.url) if found else None
    return link if address is None else replace(link, url=address.url, relation="a")


def _used(
    rules: list[tuple[Rewrite, str]], scripts: list[tuple[str, Seen]], graph: Graph, canonicaliser: Canonicaliser
) -> list[tuple[Rewrite, str]]:
    """Rewritings that lead to wanted pages, and not only to the page that they stand on (`print(7)`)."""
    used = []
    for rule, example in rules:
        alone = Rewriter((rule,))
        codes = {(page, link.url) for page, link in scripts} | (
            {("", example)} if example.startswith("http") else set()
        )
        targets = [
            (page, found[1]) for page, code in codes if (found := alone.script(code) or _by_address(alone, code))
        ]
        urls = [(page, _clean_or_none(target, example, graph, canonicaliser)) for page, target in targets]
        roles = {graph.groups[graph.shape_of[url]].role for page, url in urls if url in graph.shape_of and url != page}
        if roles & set(_KINDS):
            used.append((rule, example))
    return used


def _by_address(rewriter: Rewriter, url: str) -> tuple[int, str] | None:
    return rewriter.address(url) if url.startswith(("http://", "https://")) else None


def _clean_or_none(target: str, example: str, graph: Graph, canonicaliser: Canonicaliser) -> str:
    base = example if example.startswith("http") else next(iter(graph.shape_of), "")
    address = canonicaliser.canonical(target, base)
    return "" if address is None else address.url


def _proposal(
    site: Site, graph: Graph, rules: list[tuple[Rewrite, str]], doubts: list[str], pages: int, dropped: tuple[str, ...]
) -> Proposal:
    groups = list(graph.groups.values())
    _leave_out_small(groups)
    wanted = [group for group in groups if group.role in _KINDS]
    others = [group for group in groups if group.role not in _KINDS]
    joined = in_order(merged(wanted, others), graph)
    patterns = [Pattern(_KINDS[one.role], written(one, graph), name=_name(one, joined)) for one in joined]
    unsure = [f"{group.shape}: {group.unsure} ({len(group.members)} seen)" for group in others if group.unsure]
    excluded, doubtful = _exclusions(patterns, others, graph)
    unsure += [*doubtful, *doubts]
    if not any(one.role is Role.DETAIL for one in joined):
        unsure.append("no detail pages were recognised: name some with --example, or look at more pages with --sample")
    examples = [
        Example(url, _KINDS[one.role].value, pattern=pattern.name)
        for one, pattern in zip(joined, patterns, strict=True)
        for url in sorted(one.members)[:1]
    ]
    complete = replace(
        site,
        exclude=(*site.exclude, *excluded),
        patterns=tuple(patterns),
        rewrites=tuple(rule for rule, _ in rules),
        examples=tuple(examples),
    )
    notes = _notes(joined, others, rules, unsure, pages, dropped)
    return Proposal(complete, notes, tuple(unsure), tuple(groups))


def _leave_out_small(groups: list[Group]) -> None:
    """A handful of pages beside thousands of details are help pages and the like."""
    details = [group for group in groups if group.role is Role.DETAIL]
    most = max((len(group.members) for group in details), default=0)
    for group in details:
        if len(group.members) < FEW and len(group.members) < FEW_SHARE * most:
            group.role = Role.OTHER
            group.unsure = "looks like details, but there are few: left out"


def _exclusions(patterns: list[Pattern], others: list[Group], graph: Graph) -> tuple[list[str], list[str]]:
    """Addresses that a pattern would take in, though they stand in the navigation or were looked at in vain."""
    compiled = Patterns([pattern.match for pattern in patterns])
    excluded, doubts = [], []
    for group in (one for one in others if one.is_known):
        seen = graph.common | {page.url for page in group.pages}
        taken = sorted(url for url in group.members if url in seen and compiled.match(url) is not None)
        if 0 < len(taken) <= MOST_EXCLUDED:
            excluded += taken
        elif taken:
            doubts.append(f"{group.shape}: {len(taken)} addresses look like wanted ones but are {group.role.value}")
    return excluded[:MOST_EXCLUDED], doubts


def _name(group: Group, groups: list[Group]) -> str:
    alike = [one for one in groups if one.role is group.role]
    return group.role.value if len(alike) == 1 else f"{group.role.value}-{alike.index(group) + 1}"


def _notes(
    joined: list[Group],
    others: list[Group],
    rules: list[tuple[Rewrite, str]],
    unsure: list[str],
    pages: int,
    dropped: tuple[str, ...],
) -> Notes:
    top = [f"Learnt by `recrawl scope learn` from {pages} pages. Try it: recrawl scope check URL --site THIS_FILE"]
    if dropped:
        top.append(f"Session ids, different on every look at the same page: {', '.join(dropped)}")
    left = sorted(others, key=lambda group: (-len(group.members), str(group.shape)))
    top += ["", "Left out (addresses seen, shape, why):"] if left else []
    top += [f"  {len(one.members):6}  {one.shape}  {one.because or one.role.value}".rstrip() for one in left[:30]]
    top += ["", "Unsure:"] if unsure else []
    top += [f"  {sentence}" for sentence in unsure]
    notes: Notes = {("", 0): top}
    for place, group in enumerate(joined):
        fetched = sum(page.is_page for page in group.pages)
        lines = [f"{len(group.members)} addresses seen, {fetched} fetched: {group.because}."]
        notes[("patterns", place)] = [*lines, *(f"  {url}" for url in sorted(group.members)[:3])]
    for place, (_, example) in enumerate(rules):
        notes[("rewrites", place)] = [f"for example {example[:200]}".replace("\n", " ")]
    return notes
