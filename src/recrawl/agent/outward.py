"""Requests to others (callbacks, webhooks, IndexNow): one, small, guarded, never redirected.

The name is resolved once, every address it has is checked, and the connection goes to the checked one: a name cannot
point inside between the check and the request.
"""

import http.client
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from recrawl.model.failure import RecrawlError
from recrawl.model.inside import forbidden

WITHIN_S = 10.0
MOST_BYTES = 65_536
PORTS = {"http": 80, "https": 443}


class NotSent(RecrawlError):
    """Nobody took it. Says who and why."""


def ask(
    method: str, url: str, body: bytes = b"", headers: Mapping[str, str] | None = None, private: bool = False
) -> tuple[int, bytes]:
    """(status, first 64 KB of the answer)."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)
    if parts.scheme not in PORTS or not host:
        raise NotSent(f"{url}: not an http or https address")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection = _connected(host, port, parts.scheme, private)
        try:
            connection.request(method, target, body or None, {"Host": parts.netloc, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read(MOST_BYTES)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise NotSent(f"{url}: {error or type(error).__name__}") from error


def _connected(host: str, port: int, scheme: str, private: bool) -> http.client.HTTPConnection:
    family, _, _, _, address = _checked(host, port, private)
    plain = socket.socket(family, socket.SOCK_STREAM)
    plain.settimeout(WITHIN_S)
    try:
        plain.connect(address)
        connection = http.client.HTTPConnection(host, port, timeout=WITHIN_S)
        connection.sock = _wrapped(plain, host) if scheme == "https" else plain
    except OSError:
        plain.close()
        raise
    return connection


def _wrapped(plain: socket.socket, host: str) -> ssl.SSLSocket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _checked(host: str, port: int, private: bool) -> tuple[int, int, int, str, tuple[str, int]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    inside = [entry for entry in found if forbidden(str(entry[4][0]).partition("%")[0]) is not None]
    if inside and not private:
        raise NotSent(f"{host} is a private address, which only an own site (or serve.private_callbacks) allows")
    return found[0]  # type: ignore[return-value]
