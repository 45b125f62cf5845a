"""The compiled part under the address and undefined-behaviour sanitizers: `make sanitize`.

It is built into a copy of the sources, and read by it are the tests that hold it to its Python twins, then little with
no memory left (`starved`), then pages, heads and index lines made up and broken at random, until the time is over. The
first byte touched that is not its own ends it with the place.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from tests.fuzz.pieces import PIECES
from tests.fuzz.targets import run
from tests.sights import page_of

ROOT = Path(__file__).parents[2]
FLAGS = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fPIC", "-shared"]
TWINS = [
    "archive",
    "detect/test_compiled_words.py",
    "engine/test_confirmed_visits.py",
    "engine/test_kin_names.py",
    "engine/test_side_by_side.py",
    "extract",
    "fetch/test_heads.py",
    "fetch/test_journal.py",
    "fetch/test_replies_of_304.py",
    "fetch/test_replies_of_documents.py",
    "fetch/test_validators_sent_back.py",
    "fetch/test_wire.py",
    "model",
    "schedule/test_compiled_estimate.py",
    "schedule/test_lean_policy.py",
    "store/test_compiled_rows.py",
    "store/test_store_wide_rows.py",
]
READERS = ("html", "html", "sights", "readings", "any_document", "http", "http", "cdx_lines", "warcs")
OF_PAGES = frozenset({"html", "sights", "readings", "any_document"})
OTHERS = {
    "http": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd:  a\r\nEmpty:\r\n",
    "cdx_lines": 'org,a)/ 20260101000000 {"url": "http://a.org/", "mime": "text/html", "status": "200", "length": "1", '
    '"offset": "2", "filename": "c.warc.gz"}',
    "warcs": "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.org/\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
    "Content-Length: 28\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nabc\r\n\r\n",
}
BROKEN = (b"<", b">", b"\0", b"&", b"&#", b"'", b'"', b"<!--", b"</", b"\xff", b"\xc3", b"\r\n", b":", b"</script")


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.fuzz.sanitized")
    words.add_argument("--minutes", type=float, default=2.0, help="of broken pages")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = words.parse_args()
    if chosen.inside:
        return broken_pages(chosen.minutes, chosen.seed)
    with tempfile.TemporaryDirectory(prefix="recrawl-sanitized-") as name:
        env = watched(Path(name))
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        tests += [str(ROOT / "tests" / "unit" / twin) for twin in TWINS]
        again = [sys.executable, "-m", "tests.fuzz.sanitized", "--inside"]
        again += ["--minutes", str(chosen.minutes), "--seed", str(chosen.seed)]
        starved = [sys.executable, "-m", "tests.fuzz.starved"]
        return max(subprocess.run(each, cwd=ROOT, env=env, check=False).returncode for each in (tests, starved, again))


def watched(place: Path) -> dict[str, str]:
    """The surroundings in which recrawl is the copy that watches itself."""
    shutil.copytree(ROOT / "src", place / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    folder = place / "src" / "recrawl" / "native"
    target = folder / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    sources = sorted(map(str, folder.glob("*.c")))
    subprocess.run(["gcc", *FLAGS, f"-I{sysconfig.get_path('include')}", *sources, "-o", str(target)], check=True)
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    return {
        **os.environ,
        "PYTHONPATH": str(place / "src"),
        "PYTHONMALLOC": "malloc",  # else Python's own pools hide where an object ends
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }


def broken_pages(minutes: float, seed: int) -> int:
    dice, count, until = random.Random(seed), 0, time.monotonic() + 60 * minutes
    while time.monotonic() < until:
        reader = dice.choice(READERS)
        data = bytearray(_made(dice, reader).encode("utf-8", "surrogatepass"))
        for _ in range(dice.choice((0, 1, 2, 8))):
            at = dice.randrange(len(data) + 1)
            data[at : at + dice.choice((0, 0, 1, 3, 200))] = dice.choice(BROKEN)
        if dice.random() < 0.3:
            del data[dice.randrange(len(data) + 1) :]
        run(reader, bytes(data))
        count += 1
    print(f"{count} broken inputs read, no complaint", flush=True)
    return 0


def _made(dice: random.Random, reader: str) -> str:
    if reader in OF_PAGES:
        return page_of(dice.getrandbits(40))
    return OTHERS[reader] + "".join(dice.choices(PIECES[reader], k=dice.choice((0, 1, 3, 20))))


if __name__ == "__main__":
    sys.exit(main())
