"""The endpoint: S4's POST, answered in two lines (or JSON), behind limits of size, time, number and rate."""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path

from recrawl.agent import counts, history, outward, post, registry
from recrawl.agent.bounded import BoundedServer
from recrawl.agent.decision import Decision, Fresh, applied, decide
from recrawl.agent.outward import NotSent
from recrawl.agent.place import Place
from recrawl.agent.rate import Buckets, network_of
from recrawl.agent.registry import Robots
from recrawl.agent.settings import Settings
from recrawl.formats.registration import (
    Action,
    Answer,
    BadRequest,
    Request,
    failed,
    parse_form,
    parse_json,
    render_answer,
    render_answer_json,
)
from recrawl.model.values import dataclass

SLOWEST_S = 10.0
JSON = "application/json"
PUBLIC = {"/sitemap.xml": "application/xml", "/changes.atom": "application/atom+xml"}


@dataclass(slots=True)
class Desk:
    """Takes requests one after another, whoever brings them. `clock` and `draw` are the only time and dice here."""

    place: Place
    settings: Settings
    clock: Callable[[], float] = time.time
    draw: Callable[[], str] = lambda: secrets.token_urlsafe(24)
    _senders: Buckets = field(init=False)
    _networks: Buckets = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._senders = Buckets(self.settings.limits.requests_per_sender_hour)
        self._networks = Buckets(self.settings.limits.requests_per_network_hour)

    def may_ask(self, sender: str) -> bool:
        with self._lock:
            now = self.clock()
            return self._senders.take(sender, now) and self._networks.take(network_of(sender), now)

    def handle(self, request: Request, welcome: bool = True) -> Answer:
        """Decide and carry out. `welcome` False: this sender has asked too often; leaving with the token works all
        the same."""
        now, fresh = self.clock(), Fresh(self.draw(), self.draw())
        answer = self._unproved(request, now, fresh) if welcome and request.action is Action.CONFIRM else None
        if answer is None:
            answer = self._carry_out(request, now, fresh, welcome)
        self.count(f"{request.action.value.lower()}_{'done' if answer.success else 'refused'}")
        return answer

    def _carry_out(self, request: Request, now: float, fresh: Fresh, welcome: bool) -> Answer:
        with registry.changing(self.place) as robots:
            decision = self._decide(robots, request, now, fresh)
            leaves = bool(decision.removed) and bool(request.token)
            if not welcome and not leaves:
                decision = Decision(failed(request.action, "too many requests from your network; try again later"))
            applied(robots, decision)
        return self._ask_to_confirm(decision, request, now) if decision.mail_token else decision.answer

    def _decide(self, robots: Robots, request: Request, now: float, fresh: Fresh) -> Decision:
        return decide(robots, request, now, self.settings.limits, fresh, history.end(self.place.history))

    def count(self, name: str) -> None:
        counts.add(self.place, Counter({name: 1}))

    def _unproved(self, request: Request, now: float, fresh: Fresh) -> Answer | None:
        """A callback must serve the token by itself: nobody can subscribe somebody else's server. None: all is well."""
        decision = self._decide(registry.read(self.place), request, now, fresh)
        if decision.robot is None or not decision.prove_callback:
            return None
        try:
            status, body = outward.ask("GET", decision.robot.callback, private=self.settings.serve.private_callbacks)
        except NotSent as failure:
            return failed(Action.CONFIRM, str(failure))
        proofs = (request.token.encode(), registry.digest_of(request.token).encode())
        served = status == HTTPStatus.OK and body.strip() in proofs
        return None if served else failed(Action.CONFIRM, "the callback does not serve the token")

    def _ask_to_confirm(self, decision: Decision, request: Request, now: float) -> Answer:
        """Outside the lock: a slow mail server must not keep anybody from leaving."""
        mail = post.confirmation(self.settings, request.email, decision.mail_token, now, self.draw())
        try:
            post.send(self.settings, [mail])
        except NotSent as failure:
            return failed(Action.REGISTER, str(failure))
        return decision.answer


def serve(desk: Desk, listen: str) -> "Server":
    """A server ready to be run by `serve_forever`, bound to host:port (port 0: any free one)."""
    return Server(desk, listen)


class Server(BoundedServer):
    def __init__(self, desk: Desk, listen: str) -> None:
        self.desk = desk
        super().__init__(listen, Conversation, desk.settings.serve.connections)


class Conversation(BaseHTTPRequestHandler):
    server: Server
    timeout = SLOWEST_S
    server_version = "recrawl-agent"
    sys_version = ""

    def do_POST(self) -> None:
        desk, wants_json = self.server.desk, JSON in self.headers.get("Content-Type", "")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self._refuse(HTTPStatus.LENGTH_REQUIRED, "say Content-Length", wants_json)
        if int(length) > desk.settings.serve.body_bytes:
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the body is too large", wants_json)
        body = self.rfile.read(int(length))
        try:
            request = parse_json(body) if wants_json else parse_form(body)
        except BadRequest as fault:
            desk.may_ask(self._sender())
            return self._refuse(HTTPStatus.BAD_REQUEST, fault.message, wants_json, fault.action)
        welcome = desk.may_ask(self._sender())
        answer = desk.handle(request, welcome)
        status = HTTPStatus.OK if welcome or answer.success else HTTPStatus.TOO_MANY_REQUESTS
        return self._answer(status, answer, wants_json or JSON in self.headers.get("Accept", ""))

    def do_GET(self) -> None:
        file = self.server.desk.place.public / Path(self.path).name
        if self.path in PUBLIC and file.is_file():
            return self._send(HTTPStatus.OK, PUBLIC[self.path], file.read_bytes())
        about = (
            "recrawl agent: announces changes of this web server to registered robots.\n"
            "POST the fields ACTION (Register, Unregister, Change, Suspend, Resume, Confirm), ROBOT_EMAIL, LATENCY.\n"
        )
        found = HTTPStatus.OK if self.path == "/" else HTTPStatus.NOT_FOUND
        return self._send(found, "text/plain; charset=utf-8", about.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: `agent status` has the counts."""

    def _sender(self) -> str:
        peer = str(self.client_address[0])
        if not self.server.desk.settings.serve.forwarded:
            return peer
        said = self.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        try:
            return str(ip_address(said))
        except ValueError:
            return peer

    def _refuse(self, status: HTTPStatus, why: str, as_json: bool, action: Action = Action.REGISTER) -> None:
        self.server.desk.count("malformed")
        self.close_connection = True
        self._answer(status, failed(action, why), as_json)

    def _answer(self, status: HTTPStatus, answer: Answer, as_json: bool) -> None:
        body = render_answer_json(answer) if as_json else render_answer(answer)
        self._send(status, JSON if as_json else "text/plain; charset=us-ascii", body)

    def _send(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)
