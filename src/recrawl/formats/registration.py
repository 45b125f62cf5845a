"""S4's registration: fields of an HTTP POST, and an answer of two lines.

    ACTION=Register&ROBOT_EMAIL=robot@search.example&LATENCY=7      →      100
                                                                           success

Ours beside S4's: the action `Confirm` and the fields TOKEN (proves that the address is one's own) and CALLBACK
(where signed notices are to be posted). Both sides also speak JSON, with the same names in small letters.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode, urlsplit

from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass

SUCCESS = 100
LONGEST_EMAIL = 254
_LOCAL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EMAIL = re.compile(rf"(?=.{{1,64}}@){_LOCAL}@{_LABEL}(?:\.{_LABEL})*")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{0,128}")
_LATENCY = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")


class Action(StrEnum):
    REGISTER = "Register"
    UNREGISTER = "Unregister"
    CHANGE = "Change"
    SUSPEND = "Suspend"
    RESUME = "Resume"
    CONFIRM = "Confirm"


FAILED = {
    Action.REGISTER: 201,
    Action.UNREGISTER: 202,
    Action.CHANGE: 203,
    Action.SUSPEND: 204,
    Action.RESUME: 205,
    Action.CONFIRM: 206,
}
REMARKS = {SUCCESS: "success", **{code: f"{action.value.lower()} failed" for action, code in FAILED.items()}}
_FIELDS = {"ACTION": "action", "ROBOT_EMAIL": "email", "LATENCY": "latency", "TOKEN": "token", "CALLBACK": "callback"}


@dataclass(frozen=True, slots=True)
class Request:
    """`latency_days` None: not said."""

    action: Action
    email: str = ""
    latency_days: float | None = None
    token: str = ""
    callback: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """`secret` and `token` are given once, to whoever has proved to own the address; only JSON carries them."""

    code: int
    remark: str
    detail: str = ""
    token: str = ""
    secret: str = ""

    @property
    def success(self) -> bool:
        return self.code == SUCCESS


class BadRequest(FormatError):
    """A registration that cannot be read. `action` is known as far as it could be, so the right code can be given."""

    def __init__(self, message: str, action: Action = Action.REGISTER) -> None:
        super().__init__(message)
        self.action = action


def succeeded(detail: str = "") -> Answer:
    return Answer(SUCCESS, REMARKS[SUCCESS], detail)


def failed(action: Action, detail: str = "") -> Answer:
    code = FAILED[action]
    return Answer(code, REMARKS[code], detail)


def parse_form(body: bytes) -> Request:
    """An `application/x-www-form-urlencoded` body."""
    try:
        text = body.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True, max_num_fields=20, errors="strict")
    except ValueError as error:
        raise BadRequest(f"not a form: {error}") from None
    return _request({name.upper(): value for name, value in pairs})


def parse_json(body: bytes) -> Request:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadRequest("not a JSON object")
    return _request({str(name).upper(): _word(one) for name, one in value.items()})


def render_form(request: Request) -> bytes:
    return urlencode(_words(request)).encode("ascii")


def render_json(request: Request) -> bytes:
    return json.dumps({name.lower(): value for name, value in _words(request).items()}).encode()


def render_answer(answer: Answer) -> bytes:
    """S4's two lines."""
    return f"{answer.code}\n{answer.remark}\n".encode("ascii")


def render_answer_json(answer: Answer) -> bytes:
    words = {"detail": answer.detail, "token": answer.token, "secret": answer.secret}
    told = {name: word for name, word in words.items() if word}
    return json.dumps({"code": answer.code, "remark": answer.remark, **told}).encode() + b"\n"


def parse_answer(body: bytes) -> Answer:
    """Either form of answer."""
    text = body.decode("utf-8", "replace").strip()
    if text.startswith("{"):
        return _answer_from_json(text)
    code, _, remark = text.partition("\n")
    if not re.fullmatch(r"[0-9]{3}", code.strip()):
        raise FormatError("the answer has no code in its first line", line=1, column=1)
    return Answer(int(code), remark.strip())


def _answer_from_json(text: str) -> Answer:
    try:
        value = json.loads(text)
        answer = Answer(int(value["code"]), str(value["remark"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(f"the answer is no JSON with code and remark: {error}") from None
    detail, token, secret = (str(value.get(name, "")) for name in ("detail", "token", "secret"))
    return replace(answer, detail=detail, token=token, secret=secret)


def email_fault(email: str) -> str:
    """One sentence on why no mail can go there; '' if it can. Quoted local parts and comments are not taken."""
    if len(email) > LONGEST_EMAIL or not _EMAIL.fullmatch(email):
        return f"{email[:80]!r} is not an e-mail address"
    return ""


def read_latency(text: str) -> float | None:
    return float(text) if _LATENCY.fullmatch(text) else None


def latency_text(days: float) -> str:
    """At most six places, no more than are needed."""
    return f"{days:.6f}".rstrip("0").rstrip(".")


def _request(words: Mapping[str, str]) -> Request:
    unknown = [name for name in words if name not in _FIELDS]
    if "ACTION" not in words:
        raise BadRequest("the field ACTION is missing")
    action = _action(words["ACTION"])
    if unknown:
        raise BadRequest(f"unknown field {unknown[0][:40]!r}", action)
    email, latency = words.get("ROBOT_EMAIL", ""), words.get("LATENCY", "")
    fault = email_fault(email) if email or action is not Action.CONFIRM else ""
    latency_days = read_latency(latency) if latency else None
    if not fault and latency and latency_days is None:
        fault = f"{latency[:40]!r} is not a number of days"
    if not fault and not _TOKEN.fullmatch(words.get("TOKEN", "")):
        fault = "the token holds characters that no token has"
    fault = fault or callback_fault(words.get("CALLBACK", ""))
    if fault:
        raise BadRequest(fault, action)
    return Request(action, email.lower(), latency_days, words.get("TOKEN", ""), words.get("CALLBACK", ""))


def callback_fault(url: str) -> str:
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    plain = url.isascii() and url.isprintable() and " " not in url and "@" not in url and len(url) <= 2000
    return "" if sound and plain else "the callback is not a plain http or https address"


def _action(word: str) -> Action:
    for action in Action:
        if action.value.lower() == word.lower():
            return action
    raise BadRequest(f"unknown action {word[:40]!r}; it is one of {', '.join(Action)}")


def _words(request: Request) -> dict[str, str]:
    latency = None if request.latency_days is None else latency_text(request.latency_days)
    values = (request.action.value, request.email, latency, request.token, request.callback)
    return {name: value for name, value in zip(_FIELDS, values, strict=True) if value}


def _word(value: object) -> str:
    """JSON numbers as a form would have them; anything nested is no word."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return latency_text(value) if value >= 0 else str(value)
    return "" if value is None else "\0"
