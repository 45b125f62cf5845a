"""One easy handle, used again and again: only what differs from the request before is set."""

from collections.abc import Iterator
from contextlib import contextmanager

import pycurl

from recrawl.fetch.options import STANDING
from recrawl.fetch.order import NO_TERMS, Order, Terms, lines_of

URL, HTTPHEADER = int(pycurl.URL), int(pycurl.HTTPHEADER)  # named with every request

Trust = tuple[str, str]  # a file and a folder of certificates; '' for none


class Handle:
    """A connection without TLS is not kept by libcurl: it is handed on (`transfer.py`)."""

    __slots__ = ("_is_plain", "_posts", "_sent_lines", "_terms", "curl")

    def __init__(self, trust: Trust) -> None:
        self._terms = NO_TERMS  # as they are set
        self._sent_lines: list[bytes] | None = None
        self._posts = self._is_plain = False
        self.curl = curl = pycurl.Curl()
        for option, value in STANDING:
            curl.setopt(option, value)
        for option, path in zip((pycurl.CAINFO, pycurl.CAPATH), trust, strict=True):
            if path:
                curl.setopt(option, path)

    def close(self) -> None:
        self.curl.close()

    def prepare(self, order: Order) -> None:
        setopt = self.curl.setopt
        setopt(URL, order.url)
        lines = lines_of(order)
        if lines is not self._sent_lines:
            self._sent_lines = lines
            setopt(HTTPHEADER, lines)
        if order.terms is not self._terms:
            self._agree_to(order.terms)
        if order.ask.form or self._posts:
            self._set_form(order.ask.form)

    def _set_form(self, form: bytes) -> None:
        self._posts = bool(form)
        if form:
            self.curl.setopt(pycurl.POSTFIELDS, form)
        else:
            self.curl.setopt(pycurl.HTTPGET, 1)

    def _agree_to(self, terms: Terms) -> None:
        before, self._terms = self._terms, terms
        if terms.address != before.address:
            address = terms.address
            self.curl.setopt(pycurl.CONNECT_TO, [f"::[{address}]:" if ":" in address else f"::{address}:"])
        if terms.bounds != before.bounds:
            self._set_limits(terms)
        if (terms.endpoint.scheme == "http") != self._is_plain:
            self._is_plain = not self._is_plain
            self.curl.setopt(pycurl.FORBID_REUSE, self._is_plain)

    def _set_limits(self, terms: Terms) -> None:
        setopt, limits = self.curl.setopt, terms.limits
        setopt(pycurl.CONNECTTIMEOUT_MS, milliseconds(terms.connect_s))
        setopt(pycurl.TIMEOUT_MS, milliseconds(terms.total_s))
        setopt(pycurl.MAXFILESIZE_LARGE, 0 if terms.enough_bytes else limits.body_bytes)

    @contextmanager
    def not_kept(self) -> Iterator[None]:
        """The connection ends with the request."""
        self.curl.setopt(pycurl.FORBID_REUSE, 1)
        try:
            yield
        finally:
            self.curl.setopt(pycurl.FORBID_REUSE, self._is_plain)


def milliseconds(seconds: float) -> int:
    """At least one: libcurl takes 0 for "no limit"."""
    return max(1, int(seconds * 1000))
