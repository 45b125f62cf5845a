"""Where a server says that it has an agent (S4): one line of robots.txt, which other robots pass over.

    Notice-agent: https://www.example.com/recrawl-agent

Whoever writes robots.txt speaks for the server. It is an offer: a person decides whether to register.
"""

import re

MOST_OFFERS = 5
_LINE = re.compile(
    rb"^[ \t]*notice-agent[ \t]*:[ \t]*(https?://[^\s#]{1,500})[ \t]*(?:#.*)?$", re.IGNORECASE | re.MULTILINE
)


def parse(robots_txt: bytes) -> tuple[str, ...]:
    """The addresses of agents, in the order of the file."""
    text = robots_txt.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    found = (match.decode("ascii", "ignore") for match in _LINE.findall(text))
    return tuple(dict.fromkeys(found))[:MOST_OFFERS]


def render(agent: str) -> str:
    """The line for robots.txt."""
    return f"Notice-agent: {agent}"
