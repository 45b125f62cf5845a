"""Makes the site's answers, hands them to `server.c` and becomes it; where that cannot be compiled `server.py` serves.

Two workers are measured on the cores on which the site is served, and what the server takes of them they lack. In C
nearly all that remains is the kernel's part, one recv and one send a page. The process stays the same one, so who
started it may send it the same signals.

    python -m tests.bench.compiled_server PAGES SHAPE PORT ADDRESS...
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench import server
from tests.bench.server import Answer
from tests.bench.site import SHAPES, Site

SOURCE = Path(__file__).with_name("server.c")
COUNT = struct.Struct("=I")
LENGTHS = struct.Struct(
    "=8I"
)  # server, generation, path, ETag, 304, 200; of the 200 what is head and what is packed body


def main(words: list[str]) -> None:
    program = compiled()
    if program is None:
        server.main(words)
        return
    pages, shape, port, *addresses = words
    site = Site(int(pages), tuple(f"{address}:{port}" for address in addresses), shape=SHAPES[shape])
    os.execve(program, ["server", str(handed_over(site)), port, *addresses], os.environ)


def compiled() -> int | None:
    """The program as an open file that is in no folder, or None: no compiler, no zlib, another system than Linux."""
    compiler = shutil.which("cc")
    if compiler is None or not hasattr(os, "memfd_create"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "server"
        words = [compiler, "-O2", "-o", str(program), str(SOURCE), "-lz"]
        if subprocess.run(words, capture_output=True, check=False).returncode:
            return None
        return os.open(program, os.O_RDONLY)


def handed_over(site: Site) -> int:
    """All answers in one file that outlives this program, since the next one maps it."""
    descriptor = os.memfd_create("answers", 0)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(COUNT.pack(0))
        count = sum(bool(file.write(record)) for record in records(site))
        file.seek(0)
        file.write(COUNT.pack(count))
    return descriptor


def records(site: Site) -> Iterator[bytes]:
    """First generations before second ones, of which there are only those that differ."""
    yield from (_record(at, 0, b"/robots.txt", b"", b"", server.ROBOTS_ANSWER, 0, 0) for at in range(len(site.servers)))
    for generation in (0, 1):
        yield from (
            _page(site, page, generation) for page in range(site.pages) if site.version(page, generation) == generation
        )


def _page(site: Site, page: int, generation: int) -> bytes:
    answer = Answer(page, generation, site.body(page, generation))
    path, at = site.path(page).encode(), page % len(site.servers)
    return _record(
        at, generation, path, answer.etag, answer.not_modified, answer.packed, len(answer.head), answer.body_bytes
    )


def _record(
    at: int, generation: int, path: bytes, etag: bytes, not_modified: bytes, whole: bytes, head: int, body: int
) -> bytes:
    lengths = LENGTHS.pack(at, generation, len(path), len(etag), len(not_modified), len(whole), head, body)
    return b"".join((lengths, path, etag, not_modified, whole))


if __name__ == "__main__":
    main(sys.argv[1:])
