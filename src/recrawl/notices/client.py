"""Asking a server's agent to tell us: one POST, its answer read in either form."""

from collections.abc import Callable, Mapping

from recrawl.formats.registration import Answer, Request, parse_answer, render_form
from recrawl.model.failure import FormatError, RecrawlError

Post = Callable[[str, bytes, Mapping[str, str]], tuple[int, bytes]]  # address, form, headers → status, answer


class AgentUnreachable(RecrawlError):
    """The agent did not answer as one. Says what to look at."""

    exit_code = 4


def ask(agent: str, request: Request, user_agent: str, post: Post) -> Answer:
    """`post` follows no redirect: the token would go where nobody looked."""
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "application/json",
        "User-Agent": user_agent,
    }
    try:
        return parse_answer(post(agent, render_form(request), headers)[1])
    except FormatError as error:
        raise AgentUnreachable(f"{agent} does not answer like an agent (S4): {error}") from error
