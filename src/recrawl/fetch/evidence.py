"""What an answer proves, decided by its head; a body only counts where it is the document.

200, 203 and other 2xx   DOCUMENT, once the body is whole and decoded
204, 205, 206, 226       BROKEN: there is no document, or only a part that nobody asked for
304                      NOT_MODIFIED if a condition was sent, else FAILED (unasked)
300–303, 307, 308        REDIRECT if there is a Location, else BROKEN
404, 410                 MISSING
429, 503                 BUSY
other 4xx                REFUSED
anything else            BROKEN
"""

from collections.abc import Mapping

from recrawl.fetch.decode import Bomb, Undecodable, decode
from recrawl.fetch.request import is_conditional
from recrawl.model.failure import Failure
from recrawl.model.headers import all_values
from recrawl.model.visit import Ask, Evidence, Limits, Reply, Times

Headers = tuple[tuple[str, str], ...]

BY_STATUS: Mapping[int, Evidence] = {
    204: Evidence.BROKEN,
    205: Evidence.BROKEN,
    206: Evidence.BROKEN,
    226: Evidence.BROKEN,
    300: Evidence.REDIRECT,
    301: Evidence.REDIRECT,
    302: Evidence.REDIRECT,
    303: Evidence.REDIRECT,
    304: Evidence.NOT_MODIFIED,
    307: Evidence.REDIRECT,
    308: Evidence.REDIRECT,
    404: Evidence.MISSING,
    410: Evidence.MISSING,
    429: Evidence.BUSY,
    503: Evidence.BUSY,
}
REDIRECTS = frozenset(status for status, evidence in BY_STATUS.items() if evidence is Evidence.REDIRECT)
NEEDS_ALL = (Evidence.DOCUMENT, Evidence.NOT_MODIFIED)  # the others are proved by their head
UNASKED = (Failure.UNASKED_304, "the server answered 304 although no condition was sent")
CONDITION = b"\r\nIf-"
NO_TIMES = Times()
BY_CLASS: Mapping[int, Evidence] = {2: Evidence.DOCUMENT, 4: Evidence.REFUSED}


def evidence_of(status: int, has_target: bool) -> Evidence:
    """What a status proves, leaving aside whether a 304 was asked for."""
    evidence = BY_STATUS.get(status) or BY_CLASS.get(status // 100, Evidence.BROKEN)
    return Evidence.BROKEN if evidence is Evidence.REDIRECT and not has_target else evidence


def answered(
    ask: Ask,
    at: float,
    status: int,
    headers: Headers = (),
    sent_body: bytes = b"",
    *,
    raw_request: bytes = b"",
    raw_head: bytes = b"",
    peer: str = "",
    times: Times = NO_TIMES,
    received_bytes: int = 0,
    lost: tuple[Failure, str] | None = None,
) -> Reply:
    """The reply to an ask whose answer has a complete head. `lost` says why the body could not be read whole;
    that is a failure only where the body is the document."""
    evidence = evidence_of(status, status in REDIRECTS and _has_target(headers))
    body = sent_body
    if evidence is Evidence.NOT_MODIFIED:
        body = sent_body = b""
        lost = None if CONDITION in raw_request or is_conditional(ask) else UNASKED
    elif lost is None and body:
        codings = all_values(headers, "content-encoding")
        if codings:
            body, lost = _decoded(sent_body, codings, ask.limits)
    failure, detail = lost or (None, "")
    if lost is not None:
        body = sent_body = b""
        if evidence in NEEDS_ALL:
            evidence = Evidence.FAILED
        else:
            failure = None
    return Reply(
        ask,
        at,
        evidence,
        status,
        headers,
        raw_request,
        raw_head,
        sent_body,
        body,
        peer,
        times,
        failure,
        detail,
        received_bytes,
    )


def failed(
    ask: Ask,
    at: float,
    failure: Failure,
    detail: str,
    *,
    raw_request: bytes = b"",
    peer: str = "",
    times: Times = NO_TIMES,
    received_bytes: int = 0,
    unanswered: bool = False,
) -> Reply:
    """The reply to an ask that brought no answer with a complete head."""
    return Reply(
        ask,
        at,
        Evidence.FAILED,
        raw_request=raw_request,
        peer=peer,
        times=times,
        failure=failure,
        detail=detail,
        received_bytes=received_bytes,
        unanswered=unanswered,
    )


def _has_target(headers: Headers) -> bool:
    return any(name == "location" and value for name, value in headers)


def _decoded(sent_body: bytes, codings: list[str], limits: Limits) -> tuple[bytes, tuple[Failure, str] | None]:
    try:
        return decode(sent_body, codings, limits), None
    except Undecodable as error:
        return b"", (Failure.UNDECODABLE, str(error))
    except Bomb as error:
        return b"", (Failure.BOMB, str(error))
