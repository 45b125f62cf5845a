"""Addresses of PostgreSQL databases, as texts."""

import re
from urllib.parse import parse_qsl, urlencode

SCHEMES = ("postgresql://", "postgres://")
UNTOLD = ("password", "connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval")


def is_postgres(address: str) -> bool:
    return address.startswith(SCHEMES)


def impatient(dsn: str, lease_s: float) -> str:
    """The same database for a worker with a lease: a line that is silent for so long is given up, since the lease is
    lost by then and the worker must join anew. What the address says of this itself stays."""
    wishes = {
        "connect_timeout": max(2, round(lease_s / 3)),
        "tcp_user_timeout": max(1000, round(lease_s * 1000)),  # ms
        "keepalives_idle": max(1, round(lease_s / 3)),
        "keepalives_interval": max(1, round(lease_s / 3)),
    }
    said = dict(parse_qsl(dsn.partition("?")[2]))
    more = urlencode({key: value for key, value in wishes.items() if key not in said})
    return f"{dsn}{'&' if '?' in dsn else '?'}{more}"


def name_of(dsn: str) -> str:
    """The address for messages: without its password, and without how patiently it is asked."""
    named = re.sub(r"(?<=://)([^/@]*?):[^/]*@", r"\1@", dsn)
    return re.sub(rf"(?<=[?&])({'|'.join(UNTOLD)})=[^&]*(&|$)", "", named).rstrip("?&")
