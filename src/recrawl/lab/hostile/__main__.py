"""Serves the hostile web until it is told to stop."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from recrawl.lab.hostile.redirect import INNER
from recrawl.lab.hostile.server import hosts_of, serve_all
from recrawl.lab.hostile.table import cases


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="hostile", description="Servers that misbehave, on loopback.")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--inner", nargs="*", default=[INNER], help="Addresses nobody may ask.")
    parser.add_argument("--trust", type=Path, help="Write the certificate of the authority to trust here.")
    chosen = parser.parse_args(words)
    serve_all(hosts_of(cases(chosen.only)), chosen.inner, chosen.log, chosen.trust)


if __name__ == "__main__":
    main()
