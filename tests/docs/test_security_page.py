"""SECURITY.md claims nothing without a test, and names every module that opens a connection."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text()
OPENS = re.compile(
    r"^\s*(?:import|from) (?:urllib\.request|http\.client|smtplib|imaplib|poplib|ftplib|httpx|requests|aiohttp)\b"
    r"|socket\.create_connection|asyncio\.open_connection|pycurl\.Curl\(",
    re.MULTILINE,
)
KNOWN = {
    "agent/outward.py": "agent/outward.py",
    "agent/post.py": "the agent's mail server (SMTP)",
    "messages/webhooks.py": "`webhooks.urls`",
    "fetch/handle.py": "fetch/client.py",
    "notices/mailbox.py": "the mailbox (IMAP)",
}


def test_every_test_that_is_named_is_there() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE))
    assert len(named) >= 20
    assert not [name for name in named if not (ROOT / name).is_file()]


def test_no_module_opens_a_connection_that_the_page_does_not_name() -> None:
    source = ROOT / "src" / "recrawl"
    files = [file for file in source.rglob("*.py") if file.relative_to(source).parts[0] != "lab"]
    opening = {str(file.relative_to(source)) for file in files if OPENS.search(file.read_text())}
    assert opening == set(KNOWN)
    assert not [words for words in KNOWN.values() if words not in PAGE]
