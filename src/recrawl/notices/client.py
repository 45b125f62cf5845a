"""Asking a server's agent to tell us: one POST, its answer read in either form."""

import http.client
import ssl
from urllib.parse import urlsplit

from recrawl.formats.registration import Answer, Request, parse_answer, render_form
from recrawl.model.failure import FormatError, RecrawlError

WITHIN_S = 30.0
MOST_BYTES = 65_536


class AgentUnreachable(RecrawlError):
    """The agent did not answer as one. Says what to look at."""

    exit_code = 4


def ask(agent: str, request: Request, user_agent: str) -> Answer:
    """Redirects are not followed: the token would go where nobody looked."""
    parts = urlsplit(agent)
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "application/json",
        "User-Agent": user_agent,
    }
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection = _connection(parts.scheme, parts.hostname or "", parts.port)
        try:
            connection.request("POST", target, render_form(request), headers)
            answer = connection.getresponse()
            body = answer.read(MOST_BYTES)
        finally:
            connection.close()
        return parse_answer(body)
    except (OSError, http.client.HTTPException) as error:
        raise AgentUnreachable(f"the agent at {agent} cannot be reached: {error}; is the address right?") from error
    except FormatError as error:
        raise AgentUnreachable(f"{agent} does not answer like an agent (S4): {error}") from error


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=WITHIN_S, context=ssl.create_default_context())
    if scheme == "http" and host:
        return http.client.HTTPConnection(host, port, timeout=WITHIN_S)
    raise AgentUnreachable("the agent's address must begin with http:// or https://")
