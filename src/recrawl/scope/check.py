"""S2's table 2 for one page: links found, kept, by which pattern, rewritten to what, dropped why."""

from collections import Counter
from collections.abc import Iterable, Iterator

from recrawl.formats.templates import is_script
from recrawl.model.page import Link
from recrawl.model.site import Example, Kind, Pattern, Site
from recrawl.model.values import dataclass
from recrawl.scope.patterns_site import SCRIPT, Script, Unwanted, Wanted
from recrawl.scope.rules import Rules

NOFOLLOW = "nofollow"
DUPLICATE = "duplicate"
DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one link. `reason` '' : it is kept; else a short key, with a sentence."""

    link: Link
    reason: str = ""
    sentence: str = ""
    url: str = ""  # the address that would be fetched
    kind: Kind = Kind.GENERAL
    category: str = ""
    pattern: str = ""
    rewritten: bool = False

    @property
    def kept(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a site file made of one of its own examples. `complaint` '': what it had to."""

    example: Example
    found: Finding
    complaint: str = ""


def inspect(script: Script, rules: Rules, base: str, links: Iterable[Link]) -> Iterator[Finding]:
    """Every link of a page in turn; an address that was kept before is a duplicate."""
    met: set[str] = set()
    here = script.kind_of(base)
    category = here.category if isinstance(here, Wanted) else ""
    for link in links:
        finding = find(script, rules, base, link, category)
        if finding.kept and finding.url in met:
            finding = _refused(link, DUPLICATE, "The address stands on this page already.", finding.url)
        met.add(finding.url)
        yield finding


def find(script: Script, rules: Rules, base: str, link: Link, category: str = "") -> Finding:
    if link.nofollow:
        return _refused(link, NOFOLLOW, "The page asks not to follow it (rel=nofollow).")
    read = script.read(link, base, category)
    if isinstance(read, Unwanted):
        return _refused(link, read.reason, read.sentence, read.address.url if read.address else "")
    admission = rules.admit(read.address)
    if not admission.allowed:
        return _refused(link, admission.reason, admission.sentence, read.address.url)
    name = "" if read.pattern is None else pattern_name(script.patterns[read.pattern], read.pattern)
    return Finding(link, "", "", read.address.url, read.kind, read.category, name, bool(read.via))


def summary(findings: Iterable[Finding]) -> tuple[Counter[str], Counter[str]]:
    """How many were kept by each pattern, and dropped for each reason."""
    kept: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for one in findings:
        if one.kept:
            kept[one.pattern or one.kind.value] += 1
        else:
            dropped[one.reason] += 1
    return kept, dropped


def prove(site: Site, script: Script, rules: Rules, base: str) -> list[Outcome]:
    """Run the examples of a site file against itself."""
    outcomes = []
    for example in site.examples:
        found = find(script, rules, base, Link(example.link, SCRIPT if is_script(example.link) else "a"))
        outcomes.append(Outcome(example, found, _complaint(example, found)))
    return outcomes


def pattern_name(pattern: Pattern, place: int) -> str:
    return pattern.name or f"{pattern.kind.value} {place + 1}"


def _complaint(example: Example, found: Finding) -> str:
    kind = found.kind.value if found.kept else DROPPED
    if kind != example.kind:
        return f"is {kind}, not {example.kind}" + (f": {found.sentence}" if found.sentence else "")
    if example.becomes and found.url != example.becomes:
        return f"becomes {found.url}, not {example.becomes}"
    if example.pattern and found.pattern != example.pattern:
        return f"is matched by {found.pattern!r}, not {example.pattern!r}"
    if example.category is not None and found.category != example.category:
        return f"has the category {found.category!r}, not {example.category!r}"
    return ""


def _refused(link: Link, reason: str, sentence: str, url: str = "") -> Finding:
    return Finding(link, reason, sentence, url)
