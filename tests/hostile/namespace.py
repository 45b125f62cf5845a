"""A network of one's own without a way out: a guard that fails reaches a listener and nothing else."""

import os
import subprocess
from collections.abc import Sequence

from recrawl.lab.hostile.redirect import INNER, PRIVATE

LISTENING = (INNER, *PRIVATE)


def alone(words: Sequence[str]) -> list[str]:
    """The command in a network namespace where loopback is up and inner addresses lead to it."""
    addresses = " ".join(PRIVATE)
    script = f'ip link set lo up && for a in {addresses}; do ip addr add "$a/32" dev lo; done && exec "$@"'
    flags = "-n" if os.geteuid() == 0 else "-rn"
    return ["unshare", flags, "sh", "-c", script, "sh", *words]


def run_alone(words: Sequence[str], within_s: float) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(alone(words), capture_output=True, text=True, timeout=within_s, check=False)
