"""Which addresses of a site are wanted: its hosts, its patterns, its depth, and guards against endless spaces.

Every refusal has a short key, to be counted, and one sentence, to be shown.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from recrawl.model.address import Address, server_of
from recrawl.model.failure import ConfigError
from recrawl.model.ownership import split_authority
from recrawl.model.site import Kind, Site
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.scope.aliases import twin
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.globs import AddressPattern, read_pattern
from recrawl.scope.resolve import resolve
from recrawl.scope.traps import TrapLimits


class Refusal(StrEnum):
    NONE = ""
    HOST = "other_host"
    DEPTH = "too_deep"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not_included"
    TOO_LONG = "trap_long"
    REPEATED = "trap_repeated_segment"
    SEGMENTS = "trap_many_segments"
    PARAMETERS = "trap_many_parameters"
    FAR = "trap_depth"
    ALIKE = "trap_alike"


TRAPS = tuple(one for one in Refusal if one.startswith("trap_"))  # by the limits of [traps]


@swift
@dataclass(frozen=True, slots=True)
class Admission:
    allowed: bool
    reason: Refusal = Refusal.NONE
    sentence: str = ""


ADMITTED = Admission(True)


@dataclass(frozen=True, slots=True)
class Hosts:
    """`servers` are exact (host and port), `names` hold on every port, `endings` are what `*.` stands before."""

    servers: frozenset[str]
    names: frozenset[str]
    endings: tuple[str, ...]

    def has(self, server: str) -> bool:
        if server in self.servers:
            return True
        if not self.names and not self.endings:
            return False
        name = split_authority(server)[0]
        return name in self.names or name.endswith(self.endings)


@dataclass(frozen=True, slots=True)
class Rules:
    site: str
    seeds: frozenset[str]
    hosts: Hosts
    include: tuple[AddressPattern, ...] = ()
    exclude: tuple[AddressPattern, ...] = ()
    depth: int | None = None
    traps: TrapLimits = field(default_factory=TrapLimits)

    @classmethod
    def from_site(cls, site: Site, canonicaliser: Canonicaliser, traps: TrapLimits | None = None) -> "Rules":
        """ConfigError if a seed is no address or a pattern cannot be used."""
        seeds = [_seed(site.name, seed, canonicaliser) for seed in site.seeds]
        return cls(
            site.name,
            frozenset(seed.url for seed in seeds),
            read_hosts(seeds, site.hosts),
            tuple(read_pattern(written) for written in site.include),
            tuple(read_pattern(written) for written in site.exclude),
            site.depth,
            traps or TrapLimits(),
        )

    def admit(self, address: Address, depth: int = 0, kind: Kind = Kind.GENERAL) -> Admission:
        """A seed needs no include pattern, and sitemaps and feeds (signals) need neither that nor a depth:
        they are read for what they say of other pages."""
        url = address.url
        if not self.hosts.has(address.server):
            return _refuse(Refusal.HOST, f"{address.server} is none of the hosts of site {self.site}.")
        if trap := self._trap(url):
            return trap
        for pattern in self.exclude:
            if pattern.matches(url):
                return _refuse(Refusal.EXCLUDED, f"The exclude pattern {pattern.written} matches.")
        if kind is Kind.SIGNAL or url in self.seeds:
            return ADMITTED
        if depth > self.traps.depth:
            return _refuse(Refusal.FAR, f"It is {depth} links away from a seed; {self.traps.depth} are the limit.")
        if self.depth is not None and depth > self.depth:
            return _refuse(Refusal.DEPTH, f"It is {depth} links away from a seed; the site allows {self.depth}.")
        if self.include and not any(pattern.matches(url) for pattern in self.include):
            return _refuse(Refusal.NOT_INCLUDED, "None of the include patterns matches.")
        return ADMITTED

    def admitted_at_a_glance(self, urls: Sequence[str], depths: Mapping[str, int]) -> list[str]:
        """Those of addresses of its hosts that `admit` certainly lets in, so many links away from a seed."""
        limits = self.traps
        if self.exclude or self.include or self.depth is not None or limits.parameters < 1:
            return []
        return [
            url
            for url in urls
            if len(url) <= limits.url_characters
            and depths[url] <= limits.depth
            and url.count("/") - 2 <= limits.equal_segments
            and "&" not in url
        ]

    def _trap(self, url: str) -> Admission | None:
        limits = self.traps
        if len(url) > limits.url_characters:
            return _refuse(Refusal.TOO_LONG, f"It has {len(url)} characters; {limits.url_characters} are the limit.")
        if url.count("&") >= limits.parameters:
            return _refuse(Refusal.PARAMETERS, f"It has more than {limits.parameters} query parameters.")
        if url.count("/") - 2 <= limits.equal_segments:
            return None
        segments = url.partition("?")[0].split("/")[3:]
        if len(segments) > limits.segments:
            return _refuse(Refusal.SEGMENTS, f"It has more than {limits.segments} path segments.")
        segment, times = Counter(filter(None, segments)).most_common(1)[0] if any(segments) else ("", 0)
        if times > limits.equal_segments:
            return _refuse(Refusal.REPEATED, f"The path segment {segment} comes {times} times.")
        return None


def read_hosts(seeds: list[Address], widened: tuple[str, ...]) -> Hosts:
    """The seeds' hosts and their `www.` twins, and what the site adds: `blog.example.com`, `*.example.com`, `*`."""
    servers = {server for seed in seeds for server in (seed.server, twin(seed.server))}
    names, endings = set(), []
    for entry in widened:
        server = _server(entry.strip().removeprefix("*").removeprefix("."), entry)
        if entry.strip().startswith("*"):
            endings.append(f".{server}" if server else "")
        elif split_authority(entry)[1] is None:
            names.add(split_authority(server)[0])
        else:
            servers.add(server)
    return Hosts(frozenset(servers), frozenset(names), tuple(endings))


def _server(host: str, entry: str) -> str:
    """The server key of a host as the user writes it; '' for the rest of a lone star."""
    if not host and entry.strip() == "*":
        return ""
    scheme = "https" if split_authority(host)[1] == 443 else "http"  # so that a default port is left out
    href = resolve(f"{scheme}://{host}/")
    if href is None or any(mark in host for mark in "/@?#*"):
        raise ConfigError(f'hosts: "{entry}" is not a host; write blog.example.com, example.com:8080 or *.example.com.')
    return server_of(href)


def _seed(site: str, seed: str, canonicaliser: Canonicaliser) -> Address:
    reading = canonicaliser.explain(seed)
    if reading.address is None:
        raise ConfigError(f"Seed {seed!r} of site {site} cannot be visited. {reading.sentence}")
    return reading.address


def _refuse(reason: Refusal, sentence: str) -> Admission:
    return Admission(False, reason, sentence)
