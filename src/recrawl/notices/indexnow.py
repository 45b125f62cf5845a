"""IndexNow as its receiver: up to 10,000 addresses of one host, proved by a key that lies on that host.

Read the request, ask for the key file, judge: three steps, so that whoever carries bytes needs no more than that.
A host that is none of ours is refused before anything is asked: nobody can send us somewhere by a ping.
"""

import json
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from recrawl.model.late import late
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.values import dataclass
from recrawl.model.visit import Evidence, Reply
from recrawl.notices.answer import Received
from recrawl.notices.claim import Checked, from_urls, origin_of_url, path_fault

MOST_URLS = 10_000
MOST_BYTES = 4_000_000
MOST_KEY_BYTES = 4096
_KEY = late(r"[A-Za-z0-9-]{8,128}")


@dataclass(frozen=True, slots=True)
class Ping:
    """`key_url`: the file that must hold the key. `below`: addresses must begin with it (where the file lies)."""

    host: str
    key: str
    key_url: str
    below: str
    urls: tuple[str, ...]


def read_post(body: bytes, origins: Collection[str]) -> Ping | Received:
    """The JSON form. `origins`: those of our sites, `https://host:port`."""
    if len(body) > MOST_BYTES:
        return _no(413, "too large")
    try:
        value = json.loads(body)
        host, key, urls = str(value["host"]), str(value["key"]), value["urlList"]
        key_location = str(value.get("keyLocation") or "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _no(400, "malformed")
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
        return _no(400, "malformed")
    return _ping(host, key, key_location, tuple(urls), origins)


def read_get(query: Mapping[str, str], origins: Collection[str]) -> Ping | Received:
    """The form with one address: `?url=…&key=…&keyLocation=…`."""
    url = query.get("url", "")
    try:
        host = urlsplit(url).netloc
    except ValueError:
        return _no(400, "malformed")
    return _ping(host, query.get("key", ""), query.get("keyLocation", ""), (url,), origins)


def judge(ping: Ping, reply: Reply) -> Received:
    """Given what the host answered when asked for the key file."""
    said = reply.body[:MOST_KEY_BYTES].decode("utf-8-sig", "replace").split()
    if reply.evidence is not Evidence.DOCUMENT or said[:1] != [ping.key]:
        return _no(403, "key not proved")
    return Received(200, "", _checked(ping).claims, "taken")


def _checked(ping: Ping) -> Checked:
    return from_urls(ping.urls, {origin_of_url(ping.below)}, Source.INDEXNOW, NoticeKind.UPDATED)


def _ping(host: str, key: str, key_location: str, urls: tuple[str, ...], origins: Collection[str]) -> Ping | Received:
    if not urls or len(urls) > MOST_URLS:
        return _no(400, "malformed")
    if not _KEY.fullmatch(key):
        return _no(403, "no sound key")
    origin = next((one for one in sorted(origins, reverse=True) if one.partition("://")[2] == host.lower()), None)
    if origin is None:
        return _no(422, "host is none of ours")
    key_url = key_location or f"{origin}/{key}.txt"
    if origin_of_url(key_url) != origin or path_fault(urlsplit(key_url).path or "/"):
        return _no(422, "key elsewhere")
    ping = Ping(host, key, key_url, key_url.rpartition("/")[0] + "/", urls)
    if _checked(ping).refused or not all(url.startswith(ping.below) for url in urls):
        return _no(422, "addresses outside the key's reach")  # before it waits with others of the same key
    return ping


def _no(status: int, reason: str) -> Received:
    return Received(status, reason, count=f"indexnow: {reason}")
