"""The programs that take turns: how each is asked for a first crawl and for a revisit, and how it counts its pages."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.measure import Broken, Cost, run
from tests.bench.site import Site
from tests.peers import environment

HERE = Path(__file__).resolve().parent
PACKAGES = ("scrapy>=2.13", "crawlee[parsel]>=1.0")
NO_INDEX = "\n[search]\nbeside = false\n"  # no peer makes a search index: nor do we while we measure
NO_PAGES = ("robots.txt", "robots.txt.tmp")
PARALLEL = 4  # requests at once on each server, for everybody


@dataclass(frozen=True, slots=True)
class Rival:
    """`first` and `again` crawl the whole site in a folder; `most` cuts a crawl short where that says enough."""

    name: str
    first: Callable[[Site, Path, int], Cost]
    again: Callable[[Site, Path, int], Cost]
    note: str = ""


def rivals(wanted: tuple[str, ...]) -> list[Rival]:
    known = {rival.name: rival for rival in (recrawl(1), recrawl(2), scrapy(), crawlee(), wget())}
    missing = [name for name in wanted if name not in known]
    if missing:
        raise SystemExit(f"no such program: {', '.join(missing)}; there are {', '.join(known)}")
    if "wget" in wanted and shutil.which("wget") is None:
        wanted = tuple(name for name in wanted if name != "wget")
    return [known[name] for name in wanted]


def recrawl(workers: int) -> Rival:
    program = str(Path(sys.executable).with_name("recrawl"))

    def first(site: Site, folder: Path, most: int) -> Cost:
        for server in site.servers:
            seed = f"http://{server}{site.path(site.numbers(server)[0])}"
            words = [program, "add", seed, "--name", "bench", "--own", "--parallel", str(PARALLEL)]
            run([*words, "--folder", str(folder / "copy"), "--contact", "bench@example.org"], folder, {})
        with (folder / "copy" / "recrawl.toml").open("a") as settings:
            settings.write(NO_INDEX)
        return crawl(folder, ())

    def again(site: Site, folder: Path, most: int) -> Cost:
        return crawl(folder, ("--all",))

    def crawl(folder: Path, more: tuple[str, ...]) -> Cost:
        (folder / "output.txt").unlink()
        words = [program, "run", str(folder / "copy"), "--once", "--workers", str(workers), "--json", *more]
        cost = run(words, folder, {})
        return replace(cost, pages=json.loads((folder / "output.txt").read_text())["visits"])

    name = "recrawl" if workers == 1 else f"recrawl-{workers}-workers"
    return Rival(name, first, again, "state and WARC on, search index off; revisit with conditional requests")


def scrapy() -> Rival:
    return _scripted("scrapy", "rival_scrapy.py", "with JOBDIR; keeps no pages; revisit: crawls again from the seeds")


def crawlee() -> Rival:
    return _scripted("crawlee", "rival_crawlee.py", "parsel crawler with file storage; revisit: crawls again")


def _scripted(name: str, script: str, note: str) -> Rival:
    def crawl(site: Site, folder: Path, most: int) -> Cost:
        python = environment("bench", PACKAGES) / "python"
        job = folder / "job"
        shutil.rmtree(job, ignore_errors=True)  # neither asks whether a page changed: a revisit is a crawl
        job.mkdir()
        seeds = [f"http://{server}{site.path(site.numbers(server)[0])}" for server in site.servers]
        words = [str(python), str(HERE / script), str(job), str(most), str(PARALLEL), *seeds]
        cost = run(words, folder, {"CRAWLEE_STORAGE_DIR": str(job)})
        return replace(cost, pages=int((job / "pages.txt").read_text()))

    return Rival(name, crawl, crawl, note)


def wget() -> Rival:
    def crawl(site: Site, folder: Path, more: tuple[str, ...]) -> Cost:
        target = folder / "files"
        seeds = [f"http://{server}{site.path(site.numbers(server)[0])}" for server in site.servers]
        hosts = ",".join(server.partition(":")[0] for server in site.servers)
        words = ["wget", "-r", "-l", "inf", "-q", "-H", "-D", hosts, "-P", str(target), "--compression=auto"]
        cost = run([*words, *more, *seeds], folder, {}, good=(0, 8))
        return replace(cost, pages=_pages_in(target))

    def first(site: Site, folder: Path, most: int) -> Cost:
        return crawl(site, folder, ())

    def again(site: Site, folder: Path, most: int) -> Cost:
        return crawl(site, folder, ("-N",))

    return Rival("wget", first, again, "-r: files only; revisit with -N (If-Modified-Since)")


def _pages_in(folder: Path) -> int:
    found = sum(name not in NO_PAGES for _, _, names in os.walk(folder) for name in names)
    if not found:
        raise Broken("wget brought nothing")
    return found
