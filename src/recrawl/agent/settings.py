"""agent.toml: what is watched, who may ask, how notices travel. Unknown keys are refused with the nearest valid one."""

import re
import tomllib
from dataclasses import field, fields
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from recrawl.formats.settings_table import read, unknown
from recrawl.formats.toml_places import line_of
from recrawl.formats.toml_text import quoted
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Documents:
    """`source`: walk the root, read a list (`list`), or run a command that prints them (`command`)."""

    root: str = ""
    base: str = ""
    source: str = "walk"
    list: str = ""  # a file with one path or address a line
    command: str = ""  # prints address, size, last-modified and hash, tab-separated, a line each
    hash: str = "changed"  # never: size and time decide · changed: where these differ, the content does · always
    include: tuple[str, ...] = ()  # of paths below the root, `*.html`; empty: all
    exclude: tuple[str, ...] = ()
    index_names: tuple[str, ...] = ("index.html", "index.htm")  # their document is the folder's address
    hidden: bool = False  # names that begin with a dot
    symlinks: bool = False  # follow them, within the root only


@dataclass(frozen=True, slots=True)
class Mail:
    smtp: str = "127.0.0.1:25"
    sender: str = ""  # default: recrawl-agent@ the host of base
    starttls: bool = False
    user: str = ""
    password_file: str = ""
    most_lines: int = 5000  # a mail; a longer notice goes in several


@dataclass(frozen=True, slots=True)
class Serve:
    listen: str = "127.0.0.1:8790"
    endpoint: str = ""  # the address robots are told; default: http://listen/
    forwarded: bool = False  # behind a proxy that sets X-Forwarded-For
    private_callbacks: bool = False  # allow callbacks on private addresses (tests, intranets)
    body_bytes: int = 8192
    connections: int = 32


@dataclass(frozen=True, slots=True)
class Limits:
    """Against floods and against using the agent to bother third parties."""

    latency_from_days: float = 0.0
    latency_to_days: float = 90.0
    latency_default_days: float = 7.0
    robots: int = 1000
    requests_per_sender_hour: int = 60
    requests_per_network_hour: int = 240
    confirmations_per_address_day: int = 3
    confirmations_per_hour: int = 60
    confirm_within_s: float = 172_800.0


@dataclass(frozen=True, slots=True)
class IndexNow:
    key: str = ""
    endpoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Publish:
    folder: str = ""  # where sitemap.xml and changes.atom go; default: `public` beside agent.toml
    url: str = ""  # where the folder is seen from outside; default: base
    changes: int = 500  # newest changes in the feed


@dataclass(frozen=True, slots=True)
class Settings:
    documents: Documents = field(default_factory=Documents)
    mail: Mail = field(default_factory=Mail)
    serve: Serve = field(default_factory=Serve)
    limits: Limits = field(default_factory=Limits)
    indexnow: IndexNow = field(default_factory=IndexNow)
    publish: Publish = field(default_factory=Publish)

    @property
    def host(self) -> str:
        return urlsplit(self.documents.base).hostname or ""

    @property
    def server(self) -> str:
        """Host and port as they stand in the addresses."""
        return urlsplit(self.documents.base).netloc

    @property
    def base_path(self) -> str:
        return urlsplit(self.documents.base).path

    @property
    def origin(self) -> str:
        parts = urlsplit(self.documents.base)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def sender(self) -> str:
        host = self.host
        literal = f"[{host}]" if host.replace(".", "").isdecimal() else f"[IPv6:{host}]" if ":" in host else host
        return self.mail.sender or f"recrawl-agent@{literal}"

    @property
    def endpoint(self) -> str:
        return self.serve.endpoint or f"http://{self.serve.listen}/"


KEY = re.compile(r"[A-Za-z0-9-]{8,128}")  # as IndexNow has it
SOURCES = ("walk", "list", "command")
HASHING = ("never", "changed", "always")


def parse(text: str, source: str = "agent.toml") -> Settings:
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of TOML, a number of thousands of digits, brackets without end
        raise FormatError(str(error), source=source) from error
    kinds, names = get_type_hints(Settings), [one.name for one in fields(Settings)]
    values: dict[str, Any] = {}
    for name, table in tables.items():
        if name not in names:
            raise unknown(name, names, "", line_of(text, (name,)), source)
        if not isinstance(table, dict):
            raise FormatError(f"{name} is a table: write [{name}]", line=line_of(text, (name,)), source=source)
        values[name] = read(kinds[name], table, name, text, source)
    settings = Settings(**values)
    _check(settings, text, source)
    return settings


def _check(settings: Settings, text: str, source: str) -> None:
    documents = settings.documents
    faults = {
        "base": "must be an http or https address" if fault_of_base(documents.base) else "",
        "source": _one_of(documents.source, SOURCES),
        "hash": _one_of(documents.hash, HASHING),
        "root": "is missing" if documents.source == "walk" and not documents.root else "",
        "list": "is missing" if documents.source == "list" and not documents.list else "",
        "command": "is missing" if documents.source == "command" and not documents.command else "",
    }
    named = {("documents", key): fault for key, fault in faults.items()}
    named["indexnow", "key"] = _fault_of_key(settings.indexnow)
    named["indexnow", "endpoints"] = _fault_of_endpoints(settings.indexnow)
    for place, fault in named.items():
        if fault:
            raise FormatError(f"{'.'.join(place)} {fault}", line=line_of(text, place), source=source)


def _fault_of_key(wish: IndexNow) -> str:
    sound = KEY.fullmatch(wish.key) if wish.key else not wish.endpoints
    return "" if sound else "must be 8 to 128 letters, digits or hyphens, the same that stand in the file KEY.txt"


def _fault_of_endpoints(wish: IndexNow) -> str:
    return "" if wish.endpoints or not wish.key else 'is missing: write endpoints = ["https://…/indexnow"]'


def fault_of_base(base: str) -> bool:
    try:
        parts = urlsplit(base)
        return parts.scheme not in ("http", "https") or not parts.hostname or bool(parts.query or parts.fragment)
    except ValueError:
        return True


def _one_of(word: str, words: tuple[str, ...]) -> str:
    return "" if word in words else f"must be one of {', '.join(words)}, not {word!r}"


def starting_text(root: str, base: str) -> str:
    """A first agent.toml."""
    return f"""# recrawl agent: tells registered robots what changed on this web server.
# Every key: docs/reference/agent.md

[documents]
root = {quoted(root)}
base = {quoted(base)}
hash = "changed"  # never | changed | always: does the content decide what counts as updated?

[mail]
smtp = "127.0.0.1:25"

[serve]
listen = "127.0.0.1:8790"  # put your web server in front of it; registrations come here
"""
