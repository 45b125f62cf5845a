"""Several names, one server (S1): which names are aliases, and what the evidence for it is.

Two kinds of evidence: the one name redirects to the other, path by path; or both answer the same paths with the same
bytes. The root alone proves nothing (half the web's empty sites look alike). Nothing here is carried out: a decision
goes to the engine, which tells it, stores it and rewrites addresses by the table.
"""

from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum
from functools import lru_cache

from recrawl.model.address import Address, fingerprint, origin_of
from recrawl.model.ownership import split_authority
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.scope.domains import Domains, is_ip

REMEMBERED_PATHS = 8
REDIRECTS_NEEDED = 3
COPIES_NEEDED = 4
COPIES_PER_DIFFERENCE = 4  # a page may change between two looks: so many equal ones excuse one that differs
DIFFERENCES_ENOUGH = 3


@dataclass(frozen=True, slots=True)
class AliasTable:
    """Server key → server key of the main name. What the user wrote wins over what was learnt; a name that the user
    set equal to itself has no main name but its own."""

    edited: dict[str, str] = field(default_factory=dict)
    learnt: dict[str, str] = field(default_factory=dict)

    def main(self, server: str) -> str:
        """Follows chains; in a circle, which only the user can draw, the smallest name is the main one."""
        if server not in self.edited and server not in self.learnt:
            return server  # as nearly always
        seen = [server]
        while (following := self._next(seen[-1])) != seen[-1]:
            if following in seen:
                return min(seen[seen.index(following) :])
            seen.append(following)
        return seen[-1]

    def apply(self, address: Address) -> Address:
        server = address.server
        if server not in self.edited and server not in self.learnt:
            return address  # as nearly always
        main = self.main(server)
        if main == server:
            return address
        origin = origin_of(address.url)
        scheme = origin.partition("://")[0]
        return Address(f"{scheme}://{main}{address.url[len(origin) :]}", main)

    def learn(self, alias: str, main: str) -> "AliasTable":
        """Refused, and the same table returned, if it would draw a circle or contradict the user."""
        if alias in self.edited or self.main(main) == alias or alias == main:
            return self
        return replace(self, learnt={**self.learnt, alias: main})

    def forget(self, alias: str) -> "AliasTable":
        return replace(self, learnt={name: main for name, main in self.learnt.items() if name != alias})

    def _next(self, server: str) -> str:
        return self.edited.get(server) or self.learnt.get(server) or server


class AliasVerdict(StrEnum):
    FOUND = "found"
    NOT_YET = "not_yet"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class AliasDecision:
    verdict: AliasVerdict
    alias: str
    main: str
    sentence: str


@dataclass(frozen=True, slots=True)
class AliasEvidence:
    """What speaks for `alias` being another name of `main`. Bounded: at most eight paths of each kind are kept."""

    alias: str
    main: str
    redirected: frozenset[int] = frozenset()  # paths that the alias redirects to the same path of the main name
    astray: frozenset[int] = frozenset()  # paths that it redirects to another path there, or elsewhere
    equal: frozenset[int] = frozenset()  # paths with the same bytes under both names
    different: frozenset[int] = frozenset()


def saw_redirect(evidence: AliasEvidence, source: str, target: str) -> AliasEvidence:
    """Fold in that the alias answered `source` with a redirect to `target` (both canonical addresses)."""
    if _server(source) != evidence.alias:
        return evidence
    path = _path(source)
    if _server(target) == evidence.main and _path(target) == path:
        return replace(evidence, redirected=_with(evidence.redirected, path))
    if _server(target) == evidence.alias:  # http to https, or a move within: says nothing about names
        return evidence
    return replace(evidence, astray=_with(evidence.astray, path))


def saw_copies(evidence: AliasEvidence, path: str, alias_digest: bytes, main_digest: bytes) -> AliasEvidence:
    """Fold in what both names answered for one path. An empty digest is no answer, and no evidence."""
    if not alias_digest or not main_digest:
        return evidence
    if alias_digest == main_digest:
        return replace(evidence, equal=_with(evidence.equal, path))
    return replace(evidence, different=_with(evidence.different, path))


def decide(evidence: AliasEvidence, domains: Domains) -> AliasDecision:
    verdict, sentence = _judge(evidence, domains)
    return AliasDecision(verdict, evidence.alias, evidence.main, sentence)


@lru_cache(maxsize=1024)  # asked with every new copy
def twin(server: str) -> str:
    """The `www.` name of a bare one and the bare name of a `www.` one: the first place to look for an alias.
    An address has none but itself."""
    if is_ip(split_authority(server)[0]):
        return server
    return server.removeprefix("www.") if server.startswith("www.") else "www." + server


def main_of_pair(one: str, other: str) -> tuple[str, str]:
    """(alias, main) where only equal content speaks, so that neither name points to the other: the shorter name is
    the main one."""
    alias, main = sorted((one, other), key=lambda server: (len(server), server), reverse=True)
    return alias, main


def _judge(evidence: AliasEvidence, domains: Domains) -> tuple[AliasVerdict, str]:
    redirects, astray = _telling(evidence.redirected), _telling(evidence.astray)
    copies, differences = _telling(evidence.equal), len(evidence.different)
    pair = f"{evidence.alias} and {evidence.main}"
    if differences >= DIFFERENCES_ENOUGH and differences * COPIES_PER_DIFFERENCE > copies:
        return AliasVerdict.CONTRADICTED, f"{pair} answer {differences} paths differently."
    if astray >= REDIRECTS_NEEDED and astray > redirects:
        return AliasVerdict.CONTRADICTED, f"{evidence.alias} redirects {astray} paths elsewhere."
    if redirects >= REDIRECTS_NEEDED and astray * COPIES_PER_DIFFERENCE <= redirects:
        return AliasVerdict.FOUND, f"{evidence.alias} redirects {redirects} paths to the same path of {evidence.main}."
    if copies >= COPIES_NEEDED and differences * COPIES_PER_DIFFERENCE <= copies:
        return _copies_count(evidence, copies, redirects, domains)
    return AliasVerdict.NOT_YET, f"{redirects} redirects and {copies} equal pages of {pair} are not enough."


def _copies_count(evidence: AliasEvidence, copies: int, redirects: int, domains: Domains) -> tuple[AliasVerdict, str]:
    names = [split_authority(server)[0] for server in (evidence.alias, evidence.main)]
    if redirects or domains.related(*names):
        return AliasVerdict.FOUND, f"{evidence.alias} and {evidence.main} answer {copies} paths with the same bytes."
    return AliasVerdict.NOT_YET, f"{names[0]} and {names[1]} are of unrelated domains: equal pages alone do not count."


_ROOT = fingerprint("/")


def _telling(paths: Iterable[int]) -> int:
    """How many paths are evidence: all but the root."""
    return sum(path != _ROOT for path in paths)


def _with(paths: frozenset[int], path: str) -> frozenset[int]:
    return paths if len(paths) >= REMEMBERED_PATHS else paths | {fingerprint(path)}


def _server(url: str) -> str:
    return origin_of(url).partition("://")[2]


def _path(url: str) -> str:
    return url[len(origin_of(url)) :] or "/"
