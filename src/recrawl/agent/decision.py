"""What a registration changes: decided here, carried out by the service.

S4's plain form (an address and nothing else) is answered as S4 says, but such a robot stays unconfirmed and hears
nothing. From its confirmation on, everything about it needs the token; with the token, leaving always works.
"""

from collections.abc import Callable
from dataclasses import replace

from recrawl.agent.registry import Robot, Robots, digest_of
from recrawl.agent.settings import Limits
from recrawl.formats.registration import Action, Answer, Request, failed, succeeded
from recrawl.model.values import dataclass

DAY_S = 86_400.0
NO_TOKEN = "this robot has confirmed its address: send its TOKEN too"


@dataclass(frozen=True, slots=True)
class Fresh:
    """Drawn by the caller."""

    token: str
    secret: str


@dataclass(frozen=True, slots=True)
class Decision:
    """`robot` None: leave the registry as it is, unless `removed`. `mail_token`: send it to the robot's address.
    `prove_callback`: confirm only if the callback serves the token."""

    answer: Answer
    robot: Robot | None = None
    removed: str = ""
    mail_token: str = ""
    prove_callback: bool = False


def decide(robots: Robots, request: Request, now: float, limits: Limits, fresh: Fresh, end: str) -> Decision:
    if request.action is Action.REGISTER:
        return _register(robots, request, now, limits, fresh)
    if request.action is Action.CONFIRM:
        return _confirm(robots, request, now, limits, end)
    robot = robots.get(request.email)
    if robot is None:
        return Decision(failed(request.action, "no such robot is registered"))
    if robot.confirmed_at is not None and not robot.owns(request.token):
        return Decision(failed(request.action, NO_TOKEN))
    return CHANGES[request.action](robot, request, limits)


def applied(robots: Robots, decision: Decision) -> None:
    if decision.removed:
        robots.pop(decision.removed, None)
    if decision.robot is not None:
        robots[decision.robot.email] = decision.robot


def clamped(latency_days: float | None, limits: Limits) -> float:
    wanted = limits.latency_default_days if latency_days is None else latency_days
    return min(max(wanted, limits.latency_from_days), limits.latency_to_days)


def _register(robots: Robots, request: Request, now: float, limits: Limits, fresh: Fresh) -> Decision:
    known = robots.get(request.email)
    if known is not None and known.confirmed_at is not None:
        if known.owns(request.token):
            return _change(known, request, limits)
        return Decision(failed(Action.REGISTER, NO_TOKEN))
    if known is None and len(robots) >= limits.robots:
        return Decision(failed(Action.REGISTER, "no more robots are taken"))
    asked_at = tuple(at for at in (known.asked_at if known else ()) if at > now - DAY_S)
    robot = Robot(
        request.email,
        clamped(request.latency_days, limits),
        now,
        digest_of(fresh.token),
        fresh.secret,
        request.callback,
        asked_at=asked_at,
    )
    if request.callback:
        answer = replace(succeeded("serve the token at the callback, then Confirm"), token=fresh.token)
        return Decision(answer, robot)
    if len(asked_at) >= limits.confirmations_per_address_day:
        return Decision(failed(Action.REGISTER, "this address has been asked often enough for a day"))
    sent = [at for one in robots.values() for at in one.asked_at if at > now - 3600.0]
    if len(sent) >= limits.confirmations_per_hour:
        return Decision(failed(Action.REGISTER, "too many registrations just now; try again later"))
    answer = succeeded("unconfirmed: the token was sent to this address; Confirm with it")
    return Decision(answer, replace(robot, asked_at=(*asked_at, now)), mail_token=fresh.token)


def _confirm(robots: Robots, request: Request, now: float, limits: Limits, end: str) -> Decision:
    robot = next((one for one in robots.values() if one.owns(request.token)), None)
    if robot is None or (request.email and request.email != robot.email):
        return Decision(failed(Action.CONFIRM, "no registration has this token"))
    answer = replace(succeeded("confirmed"), secret=robot.secret)
    if robot.confirmed_at is not None:
        return Decision(answer)
    if now > robot.registered_at + limits.confirm_within_s:
        return Decision(failed(Action.CONFIRM, "the token is too old; register again"))
    confirmed = replace(robot, confirmed_at=now, position=end)
    return Decision(answer, confirmed, prove_callback=bool(robot.callback))


def _unregister(robot: Robot, _request: Request, _limits: Limits) -> Decision:
    return Decision(succeeded("forgotten"), removed=robot.email)


def _change(robot: Robot, request: Request, limits: Limits) -> Decision:
    if request.latency_days is None:
        return Decision(failed(request.action, "say the new LATENCY"))
    return Decision(succeeded(), replace(robot, latency_days=clamped(request.latency_days, limits)))


def _suspend(robot: Robot, _request: Request, _limits: Limits) -> Decision:
    return Decision(succeeded(), replace(robot, suspended=True))


def _resume(robot: Robot, _request: Request, _limits: Limits) -> Decision:
    return Decision(succeeded("what was missed comes with the next notice"), replace(robot, suspended=False))


CHANGES: dict[Action, Callable[[Robot, Request, Limits], Decision]] = {
    Action.UNREGISTER: _unregister,
    Action.CHANGE: _change,
    Action.SUSPEND: _suspend,
    Action.RESUME: _resume,
}
