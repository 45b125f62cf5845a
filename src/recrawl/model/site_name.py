"""Names of sites, which are names of files too: no path, no surprise."""

import re

from recrawl.model.failure import UsageError
from recrawl.model.late import late

NAME = r"[a-z0-9][a-z0-9.-]{0,99}"
LONGEST = 100
_UNSAFE = late(r"[^a-z0-9.-]+")


def plain_name(text: str) -> str:
    """What of a text can be a name; '' if nothing can."""
    return _UNSAFE.sub("-", text.lower()).strip("-.")[:LONGEST].strip("-.")


def name_of_server(server: str) -> str:
    if server.startswith("["):  # [::1]:8080
        return "ipv6-" + plain_name(server.replace("[::", "0:").replace("::", ":0:"))
    return plain_name(server.removeprefix("www.")) or "site"


def need_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise UsageError(f"{name!r} is no name for a site: use small letters, digits, dot and hyphen")
    return name
