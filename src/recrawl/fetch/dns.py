"""Names asked of name servers, by aiodns."""

import aiodns

Node = tuple[str, float]  # an address, and for how many seconds it holds


class Library:
    """`server`: the one to ask instead of the system's."""

    def __init__(self, server: tuple[str, int] | None) -> None:
        if server is None:
            self._inner = aiodns.DNSResolver()
        else:
            host, port = server
            self._inner = aiodns.DNSResolver(servers=[host], udp_port=port, tcp_port=port, lookups="b", domains=[])

    async def ask(self, host: str) -> tuple[list[Node], str]:
        """Its addresses, or what went wrong."""
        try:
            result = await self._inner.getaddrinfo(host)
        except aiodns.error.DNSError as error:
            return [], str(error.args[-1])
        return [(_text(node.addr[0]), float(node.ttl)) for node in result.nodes], ""

    async def close(self) -> None:
        await self._inner.close()


def _text(address: bytes | str) -> str:
    return address.decode("ascii") if isinstance(address, bytes) else address
