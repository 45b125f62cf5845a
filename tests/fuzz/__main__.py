"""Runs the targets one after the other, each in a process of its own; a crash is named with what replays it."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.targets import TARGETS, run


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.fuzz")
    words.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    words.add_argument("--minutes", type=float, default=10.0, help="for each target")
    words.add_argument("--replay", type=Path, help="run this input through the target")
    chosen = words.parse_args()
    names = chosen.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        words.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    if chosen.replay:
        run(names[0], chosen.replay.read_bytes())
        return 0
    return max(_watched(name, chosen.minutes) for name in names)


def _watched(name: str, minutes: float) -> int:
    place = Path(tempfile.mkdtemp(prefix=f"recrawl-fuzz-{name}-"))
    words = [sys.executable, "-m", "tests.fuzz.inside", name, str(place), str(int(minutes * 60))]
    done = subprocess.run(words, capture_output=True, text=True, check=False, errors="replace")
    crashes = sorted([*place.glob("crash-*"), *place.glob("timeout-*"), *place.glob("oom-*"), *place.glob("slow-*")])
    if done.returncode == 0:
        says = next((line for line in reversed(done.stderr.splitlines()) if "exec/s" in line), "")
        print(f"{name:<14} {minutes:g} min, no crash; {' '.join(says.split())}", flush=True)
        shutil.rmtree(place)
        return 0
    print(f"{name:<14} CRASHED; again:", flush=True)
    for crash in crashes:
        print(f"  {sys.executable} -m tests.fuzz {name} --replay {crash}")
    print("\n".join(done.stderr.splitlines()[-30:]) if not crashes else "\n".join(_last_error(done.stderr)), flush=True)
    return 1


def _last_error(text: str) -> list[str]:
    lines = text.splitlines()
    at = next(
        (place for place, line in enumerate(lines) if "Uncaught Python exception" in line), max(0, len(lines) - 15)
    )
    return lines[at : at + 25]


if __name__ == "__main__":
    sys.exit(main())
