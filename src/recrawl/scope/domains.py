"""Registrable domains: what somebody can buy (`example.co.uk`), by the public suffix list."""

from functools import cached_property, lru_cache
from ipaddress import ip_address
from typing import Any

from recrawl.model.late import late_module

_SUFFIXES = late_module("publicsuffixlist")


class Domains:
    """Made once and handed to whoever asks; the packaged list is read with the first name that needs it."""

    @cached_property
    def _suffixes(self) -> Any:
        return _SUFFIXES.PublicSuffixList()

    def registrable(self, host: str) -> str:
        """'' for an address, a single label or a public suffix itself."""
        if is_ip(host):
            return ""
        found: str | None = self._suffixes.privatesuffix(host)
        return found or ""

    def related(self, one: str, other: str) -> bool:
        domain = self.registrable(one)
        return domain != "" and domain == self.registrable(other)


@lru_cache(maxsize=4096)
def is_ip(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
