"""What goes wrong and when: a plan of faults as a pure function of seed, server, path and time.

A rule hits a share of the requests while one of its spells lasts. Spells are drawn from the seed: one in every
`every_s`, at a moment of its own, never longer than `lasts_s`. The first rule that hits decides.
"""

import math
from enum import StrEnum

from recrawl.lab.chance import between, fraction, key_of
from recrawl.model.values import dataclass

ROBOTS_PATH = "/robots.txt"


class FaultKind(StrEnum):
    NO_HOST = "no_host"  # the name does not resolve
    CONNECT = "connect"  # refused
    CONNECT_TIMEOUT = "connect_timeout"
    STALL = "stall"  # the head never comes
    RESET = "reset"  # cut off in the middle
    TRUNCATED = "truncated"  # the body ends before its length
    GARBLED = "garbled"  # the content coding is broken
    GIBBERISH = "gibberish"  # not HTTP
    UNASKED_304 = "unasked_304"  # "not modified" to a question that was not asked
    ERROR = "error"  # 500
    BAD_GATEWAY = "bad_gateway"  # 502
    BUSY = "busy"  # 503 with Retry-After
    TOO_MANY = "too_many"  # 429 with Retry-After
    SLOW = "slow"  # the right answer, late


ANSWERED = {  # faults that are an answer of the server's own
    FaultKind.ERROR: 500,
    FaultKind.BAD_GATEWAY: 502,
    FaultKind.BUSY: 503,
    FaultKind.TOO_MANY: 429,
}


@dataclass(frozen=True, slots=True)
class FaultRule:
    """`server` is the name of a server in the world, '' all; `path` a prefix, so "/robots.txt" hits robots alone.
    `every_s` 0: the spell never ends. `spares_robots`: the rule leaves /robots.txt alone."""

    kind: FaultKind
    server: str = ""
    path: str = ""
    share: float = 1.0
    every_s: float = 0.0
    lasts_s: float = 0.0
    from_at: float = -math.inf
    until_at: float = math.inf
    retry_after_s: int = 0
    retry_as_date: bool = False
    delay_s: float = 0.0
    spares_robots: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    kind: FaultKind
    delay_s: float = 0.0
    retry_after_s: int = 0
    retry_as_date: bool = False


@dataclass(frozen=True, slots=True)
class FaultPlan:
    seed: int = 0
    rules: tuple[FaultRule, ...] = ()


CALM = FaultPlan()


def fault_at(plan: FaultPlan, server: str, path: str, at: float) -> Fault | None:
    """What a request for this path of this server meets at this moment."""
    for number, rule in enumerate(plan.rules):
        if not _concerns(rule, server, path):
            continue
        key = key_of(plan.seed, "fault", number, server)
        if in_spell(rule, key, at) and fraction(key_of(key, path, repr(at)), 0) < rule.share:
            return Fault(rule.kind, rule.delay_s, rule.retry_after_s, rule.retry_as_date)
    return None


def refuses(plan: FaultPlan, server: str, at: float) -> bool:
    """Whether the whole server refuses connections now: what a listener can carry out at its socket."""
    return any(
        in_spell(rule, key_of(plan.seed, "fault", number, server), at)
        for number, rule in enumerate(plan.rules)
        if _refusing(rule, server)
    )


def has_refusals(plan: FaultPlan, server: str) -> bool:
    return any(_refusing(rule, server) for rule in plan.rules)


def _refusing(rule: FaultRule, server: str) -> bool:
    whole = rule.share >= 1.0 and not rule.path and not rule.spares_robots
    return rule.kind is FaultKind.CONNECT and whole and rule.server in ("", server)


def in_spell(rule: FaultRule, key: int, at: float) -> bool:
    if not rule.from_at <= at < rule.until_at:
        return False
    if rule.every_s <= 0:
        return True
    cell = math.floor(at / rule.every_s)
    lasts_s = between(rule.lasts_s / 2, rule.lasts_s, key, cell, 1)
    begins_at = cell * rule.every_s + between(0.0, rule.every_s - lasts_s, key, cell, 2)
    return begins_at <= at < begins_at + lasts_s


def _concerns(rule: FaultRule, server: str, path: str) -> bool:
    spared = rule.spares_robots and path == ROBOTS_PATH
    return not spared and rule.server in ("", server) and path.startswith(rule.path)


_HOUR_S, _DAY_S = 3600.0, 86_400.0


def rough(seed: int) -> FaultPlan:
    """Everything that can go wrong, each kind in spells of its own."""
    rules = (
        FaultRule(FaultKind.ERROR, share=0.1, every_s=2 * _DAY_S, lasts_s=6 * _HOUR_S),
        FaultRule(FaultKind.BUSY, every_s=3 * _DAY_S, lasts_s=_HOUR_S, retry_after_s=900, spares_robots=True),
        FaultRule(FaultKind.RESET, share=0.2, every_s=_DAY_S, lasts_s=2 * _HOUR_S),
        FaultRule(FaultKind.STALL, share=0.1, every_s=2 * _DAY_S, lasts_s=_HOUR_S),
        FaultRule(FaultKind.CONNECT, every_s=4 * _DAY_S, lasts_s=3 * _HOUR_S),
        FaultRule(FaultKind.TRUNCATED, share=0.1, every_s=_DAY_S, lasts_s=_HOUR_S),
        FaultRule(FaultKind.UNASKED_304, share=0.05),
        FaultRule(FaultKind.ERROR, path="/robots.txt", every_s=3 * _DAY_S, lasts_s=8 * _HOUR_S),
    )
    return FaultPlan(seed, rules)
