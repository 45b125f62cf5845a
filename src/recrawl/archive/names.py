"""How the files of an archive are called.

    recrawl-<worker>-<yyyymmddhhmmss>-<serial>.warc.gz     records
    recrawl-<worker>-<yyyymmddhhmmss>-<serial>.cdxj.open   its index lines in order of writing, while it is written
    recrawl-<worker>-<yyyymmddhhmmss>-<serial>.cdxj        its index lines, sorted: the WARC file is finished

A WARC file is finished if and only if its sorted sidecar exists; only the others are ever looked at for repair.
"""

import os
import re
from functools import lru_cache
from pathlib import Path

from recrawl.archive.record import timestamp14
from recrawl.model.late import late

WARC = ".warc.gz"
OPEN = ".cdxj.open"
FINISHED = ".cdxj"
BUILDING = ".cdxj.building"
STEM = late(r"recrawl-(?P<worker>[A-Za-z0-9_.-]+)-(?P<created>[0-9]{14})-(?P<serial>[0-9]{5,})")


def stem_of(worker: str, now: float, serial: int) -> str:
    return f"recrawl-{safe(worker)}-{timestamp14(now)}-{serial:05d}"


def safe(worker: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", worker) or "_"


@lru_cache(maxsize=1024)  # a search for a capture asks it of file after file
def created_of(stem: str) -> str:
    found = STEM.fullmatch(stem)
    return found["created"] if found else ""


def worker_of(stem: str) -> str:
    found = STEM.fullmatch(stem)
    return found["worker"] if found else ""


def stems(folder: Path, suffix: str) -> list[str]:
    """Stems of the files with that suffix, in order of their making."""
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except FileNotFoundError:
        return []
    found = [name.removesuffix(suffix) for name in names if name.endswith(suffix)]
    return sorted((stem for stem in found if STEM.fullmatch(stem)), key=lambda stem: (created_of(stem), stem))
