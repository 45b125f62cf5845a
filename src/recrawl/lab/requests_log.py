"""What a server saw: one line for each request, and the questions the laws of politeness ask of them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import pairwise

from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the server met it. `status` 0: no answer was given, `fault` says why. Times are the clock's
    that served (not the world's, where the world runs faster). `end_at` is when the answer had been handed over."""

    start_at: float
    end_at: float
    server: str  # host and port
    method: str
    path: str  # with query
    status: int
    sent_bytes: int
    if_none_match: str = ""
    if_modified_since: str = ""
    user_agent: str = ""
    retry_after: str = ""  # as the answer said it
    fault: str = ""
    world_at: float = 0.0  # the world's own time when it was asked

    @property
    def conditional(self) -> bool:
        return bool(self.if_none_match or self.if_modified_since)

    @property
    def url(self) -> str:
        return f"http://{self.server}{self.path}"


_NAMES = tuple(field.name for field in fields(Request))


def render_line(request: Request) -> str:
    return json.dumps({name: getattr(request, name) for name in _NAMES}, ensure_ascii=False) + "\n"


def parse_lines(text: str) -> list[Request]:
    """The inverse of `render_line` over a whole log."""
    return [Request(**json.loads(line)) for line in text.splitlines() if line]


def by_server(requests: Iterable[Request]) -> Mapping[str, list[Request]]:
    """In order of their start."""
    groups: dict[str, list[Request]] = defaultdict(list)
    for request in sorted(requests, key=lambda request: (request.start_at, request.end_at)):
        groups[request.server].append(request)
    return groups


def overlapping(requests: Iterable[Request]) -> list[tuple[Request, Request]]:
    """Pairs of requests that a server had on its hands at once."""
    return [pair for pair in _neighbours(requests) if pair[1].start_at < pair[0].end_at]


def closer_than(requests: Iterable[Request], gap_s: float, tolerance_s: float = 1e-6) -> list[tuple[Request, Request]]:
    """Pairs of consecutive requests to one server whose starts lie closer than the gap."""
    return [pair for pair in _neighbours(requests) if pair[1].start_at - pair[0].start_at < gap_s - tolerance_s]


def impatient(requests: Iterable[Request], tolerance_s: float = 1e-6) -> list[tuple[Request, Request]]:
    """Pairs in which the second came before the Retry-After seconds of the first were over."""
    return [
        (first, second)
        for first, second in _neighbours(requests)
        if first.retry_after.isdigit() and second.start_at < first.end_at + int(first.retry_after) - tolerance_s
    ]


def _neighbours(requests: Iterable[Request]) -> Iterator[tuple[Request, Request]]:
    for group in by_server(requests).values():
        yield from pairwise(group)
