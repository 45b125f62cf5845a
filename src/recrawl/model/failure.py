"""Everything that can go wrong, drawn once.

RecrawlError               a message that says what to do next, with an exit code
├── UsageError        2    wrong words on the command line
├── ConfigError       3    recrawl.toml or a site file: file, line, nearest valid key
│   └── FormatError   3    a text format: line and column
├── TooManyFailures   4    most fetches failed
├── NothingAllowed    5    robots.txt or the address guard left nothing to do
├── StoreInUse        6    another recrawl runs on this folder
├── WorkLeft          7    budget or time reached with work left
├── StoreOutdated     8    the store needs `recrawl db upgrade`, or recrawl itself is too old
├── LeaseLost         6    another worker of the cluster owns these partitions now
├── DiskFull          9    the disk floor is reached; nothing lost
├── StoreDamaged     10    the store cannot be read or written; says how to put it right
│   └── StoreAway    10    the database server does not answer
│       └── StoreShut 10   it answers, and does not let us in
└── NotFound          2    no such page, site or version

Failure                    what a single visit met; a value, never raised across rooms
"""

from enum import StrEnum


class RecrawlError(Exception):
    exit_code = 1


class UsageError(RecrawlError):
    exit_code = 2


class ConfigError(RecrawlError):
    exit_code = 3


class FormatError(ConfigError):
    def __init__(self, message: str, line: int | None = None, column: int | None = None, source: str = "") -> None:
        place = ":".join(str(part) for part in (source or None, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)
        self.message, self.line, self.column, self.source = message, line, column, source


class TooManyFailures(RecrawlError):
    exit_code = 4


class NothingAllowed(RecrawlError):
    exit_code = 5


class StoreInUse(RecrawlError):
    exit_code = 6


class WorkLeft(RecrawlError):
    exit_code = 7


class StoreOutdated(RecrawlError):
    exit_code = 8


class DiskFull(RecrawlError):
    exit_code = 9


class StoreDamaged(RecrawlError):
    exit_code = 10


class StoreAway(StoreDamaged):
    """It may come back: what can be done twice is tried again."""


class StoreShut(StoreAway):
    """It will not let us in by being asked again at once: user or password are not what they were, or never were."""


class LeaseLost(RecrawlError):
    """A worker of a cluster was silent for too long. What it has not written is void; it may join anew."""

    exit_code = 6


class NotFound(RecrawlError):
    exit_code = 2


class Failure(StrEnum):
    """Why a request brought no usable answer."""

    NO_HOST = "no_host"  # the name does not resolve
    FORBIDDEN_ADDRESS = "forbidden_address"  # the guard refused the address
    CONNECT = "connect"  # refused or unreachable
    CONNECT_TIMEOUT = "connect_timeout"
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    TOTAL_TIMEOUT = "total_timeout"
    TOO_SLOW = "too_slow"  # below the minimum speed
    TLS = "tls"
    RESET = "reset"  # cut off in the middle
    TRUNCATED = "truncated"  # shorter than the server said
    PROTOCOL = "protocol"  # not HTTP, or broken HTTP
    HEADERS_TOO_LARGE = "headers_too_large"
    BODY_TOO_LARGE = "body_too_large"
    BOMB = "bomb"  # decompressed bytes, ratio or nested codings beyond the limit
    UNDECODABLE = "undecodable"  # the content coding is broken or unknown
    UNASKED_304 = "unasked_304"
    BAD_ADDRESS = "bad_address"  # not an address that can be asked
    NOT_RENDERED = "not_rendered"  # a browser could not show it
