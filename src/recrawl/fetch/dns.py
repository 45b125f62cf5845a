"""Names asked of name servers, by aiodns."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

import aiodns

Node = tuple[str, float]  # an address, and for how many seconds it holds
Found = tuple[list[Node], str]  # addresses, or what went wrong
KINDS = ("A", "AAAA")
NO_DATA = aiodns.error.ARES_ENODATA


class Library:
    """`server`: the one to ask instead of the system's."""

    def __init__(self, server: tuple[str, int] | None) -> None:
        self._is_given = server is not None
        if server is None:
            self._inner = aiodns.DNSResolver()
        else:
            host, port = server
            self._inner = aiodns.DNSResolver(servers=[host], udp_port=port, tcp_port=port)

    async def ask(self, host: str) -> Found:
        return await (self._of_server(host) if self._is_given else self._of_system(host))

    async def close(self) -> None:
        await self._inner.close()

    async def _of_system(self, host: str) -> Found:
        """Its hosts file included."""
        try:
            result = await self._inner.getaddrinfo(host)
        except aiodns.error.DNSError as error:
            return [], _said(error)
        return [(_text(node.addr[0]), float(node.ttl)) for node in result.nodes], ""

    async def _of_server(self, host: str) -> Found:
        """Plain questions, which nobody answers but that server. (`lookups` would keep c-ares from the hosts file, too,
        but pycares frees it before it is read: now and then a channel asked nobody at all.)"""
        asked = (self._inner.query_dns(host, kind) for kind in KINDS)
        told = await asyncio.gather(*asked, return_exceptions=True)
        nodes: list[Node] = []
        problem = ""
        for one in told:
            if isinstance(one, aiodns.error.DNSError):
                problem = problem or ("" if one.args[0] == NO_DATA else _said(one))
            elif isinstance(one, BaseException):
                raise one
            else:
                nodes += _addresses(one.answer)
        return nodes, "" if nodes else problem


def _addresses(records: Iterable[Any]) -> Iterator[Node]:
    """Names that a name stands for come among them."""
    for record in records:
        address = getattr(record.data, "addr", "")
        if address:
            yield _text(address), float(record.ttl)


def _said(error: Exception) -> str:
    return str(error.args[-1])


def _text(address: bytes | str) -> str:
    return address.decode("ascii") if isinstance(address, bytes) else address
