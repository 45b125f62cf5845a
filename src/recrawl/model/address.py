"""A canonical address and the keys derived from it."""

from collections.abc import Sequence
from functools import lru_cache

import xxhash

from recrawl.model.swift import swift
from recrawl.model.values import dataclass


@swift
@dataclass(frozen=True, slots=True)
class Address:
    """One canonical address. `server` is who must be treated gently: host and port, whatever the scheme."""

    url: str
    server: str

    @property
    def id(self) -> int:
        return fingerprint(self.url)


def fingerprint(text: str) -> int:
    """64 bits, signed so that every database can hold it."""
    unsigned = xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
    return unsigned - (1 << 64) if unsigned >= 1 << 63 else unsigned


def fingerprints(texts: Sequence[str]) -> list[int]:
    """Of texts that have no lone surrogate."""
    return [one - (1 << 64) if one >= 1 << 63 else one for one in map(xxhash.xxh3_64_intdigest, map(str.encode, texts))]


def origin_of(url: str) -> str:
    """`https://host:port` of a canonical address, without its path."""
    end = url.find("/", url.find("://") + 3)
    origin = url if end < 0 else url[:end]
    if "?" in origin or "#" in origin:
        origin = origin.partition("?")[0].partition("#")[0]
    return origin


def server_of(url: str) -> str:
    """The server key of a canonical address: its authority, default port dropped."""
    origin = origin_of(url)
    authority = origin[origin.find("://") + 3 :]
    return authority.rpartition("@")[2] if "@" in authority else authority


@lru_cache(maxsize=4096)  # asked for with every page
def partition_of(server: str, partitions: int) -> int:
    return fingerprint(server) % partitions
