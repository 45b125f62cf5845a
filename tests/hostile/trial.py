"""One crawl among hostile servers, in a folder of its own."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recrawl.lab.hostile.case import Case
from recrawl.lab.hostile.server import NEIGHBOURS
from recrawl.lab.hostile.table import cases
from recrawl.lab.requests_log import Request, parse_lines

RECRAWL = (sys.executable, "-m", "recrawl")
CONTACT = '[operator]\ncontact = "hostile@example.org"\n'
SETTINGS = f"""{CONTACT}[fetch]
connections = 32
[politeness]
patience_s = 4
[traps]
alike_pages = 80
alike_chain = 70
alike_many = 150
pages_per_pattern = 200
[signals]
sitemap_entries = 40
feed_entries = 40
sitemaps = 40
[search]
beside = false
"""
HASTY = "[limits]\nfirst_byte_s = 3\ntotal_s = 8\nslow_for_s = 3\n"  # for servers that take their time
PATIENT = "[limits]\nfirst_byte_s = 20\ntotal_s = 30\nslow_for_s = 15\n"  # for a machine that is busy


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took. `peak_mb`: the largest of its processes."""

    code: int
    seconds: float
    cpu_s: float
    peak_mb: float
    output: str


@dataclass(frozen=True, slots=True)
class Arena:
    """The servers, and the folder that was made for them."""

    folder: Path
    port: int
    hosts: dict[str, str]
    log: Path
    chosen: tuple[Case, ...]
    trust: Path

    def seed(self, name: str) -> str:
        scheme = next((case.scheme for case in self.chosen if case.name == name), "http")
        return f"{scheme}://{self.hosts[name]}:{self.port}/"

    def requests(self, before: int | None = None) -> list[Request]:
        """Each request twice: when it came (status 0) and when it was over (status 1). `before`: as of that line."""
        text = self.log.read_text() if self.log.exists() else ""
        return parse_lines("\n".join(text.splitlines()[:before]))

    def lines(self) -> int:
        return len(self.log.read_text().splitlines())


@contextmanager
def arena(
    place: Path, only: Sequence[str] = (), inner: Sequence[str] = (), limits: str = PATIENT, settings: str = SETTINGS
) -> Iterator[Arena]:
    """Servers running, sites added, nothing crawled yet."""
    log, trust = place / "requests.jsonl", place / "trust.pem"
    words = [sys.executable, "-m", "recrawl.lab.hostile", "--log", str(log), "--trust", str(trust)]
    words += ["--only", *only] if only else []
    words += ["--inner", *inner] if inner else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        try:
            assert server.stdout is not None
            said = json.loads(server.stdout.readline())
            found = Arena(place / "copy", said["port"], said["hosts"], log, tuple(cases(only)), trust)
            _write_folder(found, settings + limits)
            yield found
        finally:
            os.killpg(server.pid, signal.SIGKILL)


def _write_folder(found: Arena, settings: str) -> None:
    (found.folder / "sites").mkdir(parents=True)
    (found.folder / "recrawl.toml").write_text(settings)
    for name, host in found.hosts.items():
        text = f'seeds = ["{found.seed(name)}"]\nown = ["{host}"]\n'
        (found.folder / "sites" / f"{name}.toml").write_text(text)


def crawl(found: Arena, *words: str, within_s: float = 240.0) -> Cost:
    words = (*RECRAWL, "run", str(found.folder), "--once", "--workers", "1", "--quiet", *words)
    return measured(words, found.folder, within_s, trust=found.trust)


def measured(
    words: Sequence[str], folder: Path, within_s: float, most_bytes: int = 0, trust: Path | None = None
) -> Cost:
    """Run to the end or to its limits; -9 is the code of one that had to be stopped. `trust`: the authority whose
    certificates it believes, and no other's."""

    def limited() -> None:
        if most_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))

    output = folder.parent / "output.txt"
    env = {**os.environ, "SSL_CERT_FILE": str(trust)} if trust else None
    started_at = time.monotonic()
    with output.open("wb") as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, preexec_fn=limited, env=env)
        usage, status = _wait(process.pid, started_at + within_s)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(
        process.returncode,
        time.monotonic() - started_at,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        output.read_text(errors="replace")[-20_000:],
    )


def _wait(pid: int, until: float) -> tuple[resource.struct_rusage, int]:
    killed = False
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return usage, status
        if time.monotonic() > until and not killed:
            os.kill(pid, 9)
            killed = True
        time.sleep(0.05)


def neighbours() -> list[str]:
    return [f"neighbour-{number}" for number in range(NEIGHBOURS)]
