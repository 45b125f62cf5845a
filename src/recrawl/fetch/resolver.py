"""Names to addresses: asked once, kept for a bounded time, never trusted (the guard judges every answer)."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from ipaddress import ip_address
from typing import Any

from recrawl.model.failure import ConfigError
from recrawl.model.ownership import split_authority
from recrawl.model.values import dataclass

LOOPBACK = ("127.0.0.1", "::1")
LEAST_KEPT_S = 30.0
MOST_KEPT_S = 3600.0
MOST_HOSTS = 20_000
MOST_ADDRESSES = 8  # of one host
DNS_PORT = 53
LIBRARY = "recrawl.fetch.dns"  # imported for the first name: many crawls on loopback have none


@dataclass(frozen=True, slots=True)
class Answer:
    """`problem` says why there are no addresses."""

    addresses: tuple[str, ...] = ()
    ttl_s: float = 0.0
    problem: str = ""


Lookup = Callable[[str], Awaitable[Answer]]


class Resolver:
    """Remembers answers; concurrent asks for one host share one look-up. Failures are not remembered."""

    def __init__(self, lookup: Lookup, now: Callable[[], float]) -> None:
        self._lookup = lookup
        self._now = now
        self._kept: dict[str, tuple[float, tuple[str, ...]]] = {}
        self._asking: dict[str, asyncio.Task[Answer]] = {}

    def known(self, host: str) -> tuple[str, ...]:
        """Addresses that need no asking, () if there are none."""
        entry = self._kept.get(host)
        if entry is not None and entry[0] > self._now():
            return entry[1]
        return LOOPBACK if is_localhost(host) else ()

    async def resolve(self, host: str, within_s: float) -> Answer:
        task = self._asking.get(host)
        if task is None:
            task = self._asking[host] = asyncio.ensure_future(self._ask(host))
        try:
            async with asyncio.timeout(within_s):
                return await asyncio.shield(task)
        except TimeoutError:
            return Answer(problem=f"no name server answered for {host} in {within_s:g} s")

    def prefer(self, host: str, address: str) -> None:
        """Try this address first from now on: the ones before it could not be reached."""
        entry = self._kept.get(host)
        if entry is not None and address in entry[1]:
            others = tuple(other for other in entry[1] if other != address)
            self._kept[host] = (entry[0], (address, *others))

    async def _ask(self, host: str) -> Answer:
        try:
            answer = await self._lookup(host)
        finally:
            del self._asking[host]
        if answer.addresses:
            self._keep(host, answer)
        return answer

    def _keep(self, host: str, answer: Answer) -> None:
        self._kept.pop(host, None)
        while len(self._kept) >= MOST_HOSTS:
            del self._kept[next(iter(self._kept))]
        kept_s = min(max(answer.ttl_s, LEAST_KEPT_S), MOST_KEPT_S)
        self._kept[host] = (self._now() + kept_s, answer.addresses)


class DnsLookup:
    """Asks the system's name servers (and its hosts file), or the one server it is given and nothing else."""

    def __init__(self, server: str = "") -> None:
        self._server = name_server(server) if server else None
        self._inner: Any = None

    async def __call__(self, host: str) -> Answer:
        if self._inner is None:
            self._inner = import_module(LIBRARY).Library(self._server)
        nodes, problem = await self._inner.ask(host)
        if problem:
            return Answer(problem=f"{host} does not resolve: {problem}")
        addresses = by_family(dict.fromkeys(address for address, _ in nodes))
        if not addresses:
            return Answer(problem=f"{host} has no address")
        return Answer(addresses, min(ttl_s for _, ttl_s in nodes))

    async def close(self) -> None:
        if self._inner is not None:
            await self._inner.close()
            self._inner = None


def name_server(text: str) -> tuple[str, int]:
    """`127.0.0.1:5353`, `9.9.9.9` or `[::1]:53` as address and port."""
    host, port = split_authority(text)
    if not is_address(host):
        raise ConfigError(f"fetch.resolver = {text!r} is no name server: write an address such as 127.0.0.1:5353")
    return host, DNS_PORT if port is None else port


def by_family(addresses: dict[str, None]) -> tuple[str, ...]:
    """IPv4 first: a machine without working IPv6 must not wait for it."""
    return tuple(sorted(addresses, key=lambda address: ":" in address)[:MOST_ADDRESSES])


def is_localhost(host: str) -> bool:
    """RFC 6761: these names never leave the machine."""
    name = host.removesuffix(".")
    return name == "localhost" or name.endswith(".localhost")


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
