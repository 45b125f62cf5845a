"""A canonical address and the keys derived from it."""

from dataclasses import dataclass

import xxhash

from recrawl.model.swift import swift


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


def origin_of(url: str) -> str:
    """`https://host:port` of a canonical address, without its path."""
    scheme, _, rest = url.partition("://")
    end = len(rest)
    for mark in "/?#":
        at = rest.find(mark)
        if 0 <= at < end:
            end = at
    return f"{scheme}://{rest[:end]}"


def server_of(url: str) -> str:
    """The server key of a canonical address: its authority, default port dropped."""
    return origin_of(url).partition("://")[2].rpartition("@")[2]


def partition_of(server: str, partitions: int) -> int:
    return fingerprint(server) % partitions
