"""Scrapy's answers as recrawl's, and kept copies as Scrapy's."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from scrapy.responsetypes import responsetypes
from twisted.internet import error
from twisted.web.client import ResponseFailed

from recrawl.fetch.evidence import answered, failed
from recrawl.fetch.memory import render_head
from recrawl.fetch.request import raw_request
from recrawl.model.capture import Payload
from recrawl.model.failure import Failure
from recrawl.model.page import Page, Status
from recrawl.model.visit import Ask, Reply, Times

KEPT = "kept"
OF_THE_WIRE = frozenset({"content-encoding", "content-length", "transfer-encoding"})  # not of the decoded copy
LOST = (Failure.TRUNCATED, "the answer was shorter than the server said")

# By name, from the particular to the general: Scrapy wraps errors of several libraries under its own names.
FAILURES: Mapping[str, Failure] = {
    "DNSLookupError": Failure.NO_HOST,
    "CannotResolveHostError": Failure.NO_HOST,
    "DownloadTimeoutError": Failure.TOTAL_TIMEOUT,
    "TimeoutError": Failure.TOTAL_TIMEOUT,
    "TCPTimedOutError": Failure.CONNECT_TIMEOUT,
    "ConnectionRefusedError": Failure.CONNECT,
    "DownloadConnectionRefusedError": Failure.CONNECT,
    "ConnectError": Failure.CONNECT,
    "ConnectionLost": Failure.RESET,
    "ResponseDataLossError": Failure.TRUNCATED,
    "DownloadCancelledError": Failure.BODY_TOO_LARGE,
}


def reply_of(request: Request, response: Response, ask: Ask, now: float) -> Reply:
    """As the fetcher would have told it; heads are written down again from what Scrapy knows of them."""
    headers = tuple((name.decode("latin-1").lower(), text) for name, text in _values(response))
    parts = urlsplit(request.url)
    lines = [name + b": " + value for name, values in request.headers.items() for value in values]
    target = parts._replace(scheme="", netloc="").geturl() or "/"
    head = render_head(response.status, headers)
    latency_s = float(request.meta.get("download_latency", 0.0))
    return answered(
        ask,
        now - latency_s,
        response.status,
        headers,
        response.body,
        raw_request=raw_request(parts.netloc.rpartition("@")[2], target, lines),
        raw_head=head,
        peer=str(response.ip_address or ""),
        times=Times(first_byte_s=latency_s, total_s=latency_s),
        received_bytes=len(head) + len(response.body),
        lost=LOST if "dataloss" in response.flags else None,
    )


def failure_reply(ask: Ask, exception: Exception, now: float) -> Reply:
    names = [kind.__name__ for kind in type(exception).__mro__]
    met = next((FAILURES[name] for name in names if name in FAILURES), None)
    if met is None:
        met = Failure.RESET if isinstance(exception, ResponseFailed | error.ConnectionClosed) else Failure.PROTOCOL
    return failed(ask, now, met, f"{names[0]}: {exception}"[:200])


def response_from(request: Request, page: Page, copy: Payload | None) -> Response | None:
    """What the server would say if it were asked; None where only it could tell."""
    if page.status is Status.MOVED and page.target:
        return Response(request.url, status=301, headers={"Location": page.target}, request=request, flags=[KEPT])
    return None if copy is None else response_to(request, copy, KEPT)


def response_to(request: Request, copy: Payload, flag: str) -> Response:
    headers: dict[str, list[str]] = {}
    for name, value in copy.headers:
        if name.lower() not in OF_THE_WIRE:
            headers.setdefault(name, []).append(value)
    types = [value.encode("latin-1") for name, value in copy.headers if name.lower() == "content-type"]
    kind = responsetypes.from_args({b"Content-Type": types[0]} if types else {}, request.url, body=copy.body)
    return kind(request.url, status=copy.status, headers=headers, body=copy.body, flags=[flag], request=request)


def _values(response: Response) -> list[tuple[bytes, str]]:
    return [(name, value.decode("latin-1")) for name, values in response.headers.items() for value in values]
