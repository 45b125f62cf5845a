"""Where the chaos takes place: static sites on loopback in processes of their own, and a folder that crawls them."""

import json
import random
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

RECRAWL = (sys.executable, "-m", "recrawl")
GAP_S = 0.02
PAGES = 50


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One site with its controls and what it saw."""

    url: str
    controls: str
    log: Path

    def asked(self) -> int:
        return self.log.read_bytes().count(b"\n") if self.log.exists() else 0

    def change(self, paths: list[str]) -> None:
        self.control({"change": paths})

    def control(self, order: dict[str, object]) -> None:
        body = json.dumps(order).encode()
        urllib.request.urlopen(urllib.request.Request(self.controls, data=body, method="POST"), timeout=60).read()

    def paths(self) -> list[str]:
        with urllib.request.urlopen(self.controls + "/paths", timeout=60) as answer:
            return list(json.load(answer))


@dataclass(frozen=True, slots=True)
class Ground:
    folder: Path
    sites: tuple[Neighbour, ...]
    dice: random.Random

    def asked(self) -> int:
        return sum(site.asked() for site in self.sites)

    def stir(self) -> None:
        """Some pages of each site change."""
        for site in self.sites:
            site.change(self.dice.sample(site.paths(), 5))


@contextmanager
def ground(place: Path, seed: int, sites: int = 3, pages: int = PAGES, gap_s: float = GAP_S) -> Iterator[Ground]:
    started: list[subprocess.Popen[str]] = []
    try:
        neighbours = []
        for number in range(sites):
            log = place / f"requests-{number}.jsonl"
            words = ["--pages", str(pages), "--seed", str(seed + number), "--traps", "2", "--log", str(log)]
            process = subprocess.Popen(
                [sys.executable, "-m", "recrawl.lab.static_site", *words], stdout=subprocess.PIPE, text=True
            )
            started.append(process)
            assert process.stdout is not None
            neighbours.append(Neighbour(process.stdout.readline().strip(), process.stdout.readline().strip(), log))
        folder = place / "folder"
        for number, site in enumerate(neighbours):
            words = ["add", site.url, "--own", "--gap", str(gap_s), "--name", f"s{number}", "--folder", str(folder)]
            subprocess.run([*RECRAWL, *words], check=True, stdout=subprocess.DEVNULL)
        yield Ground(folder, tuple(neighbours), random.Random(seed))
    finally:
        for process in started:
            process.terminate()
            process.wait(60)
