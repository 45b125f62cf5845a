"""What a visit proved."""

from enum import StrEnum

from recrawl.model.swift import swift
from recrawl.model.values import dataclass


class Change(StrEnum):
    """Silence is not "unchanged": a visit that proved nothing is UNKNOWN."""

    NEW = "new"
    SAME = "same"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One vote on a part of a template: does it change at every look (noise), or only when the content does?"""

    key: int
    noise: bool


@swift
@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out, and what to remember for the next comparison. A verdict that proved nothing carries
    the page's own digests and noise, so they can always be stored as they come. `body_digest` is of the last
    body seen, which is not the version kept when only noise differed."""

    change: Change
    share: float = 0.0  # how much of the text changed, 0..1
    changed_bytes: int = 0  # S0's update_size, from a real text difference
    body_digest: bytes = b""
    text_digest: bytes = b""
    simhash: int = 0
    text_bytes: int = 0
    noise: bytes = b""
    target: str = ""  # of a move
    reason: str = ""  # one sentence: what decided
    limit: str = ""  # which limit let it go, if one did
    soft_404: bool = False
    only_noise: bool = False  # the bytes differ, the content does not
    changed_ago_s: float | None = None  # age of the change by an honest Last-Modified
    second_look: bool = False  # ask again after the server's gap: only that can tell noise from a small change
    lessons: tuple[Lesson, ...] = ()  # for the template, see `detect.noise.fold`
