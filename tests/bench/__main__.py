"""`python -m tests.bench NAME …`: one of the benches below, `crawl` unless another is named."""

import sys
from importlib import import_module

WITH_OPTIONS = ("crawl", "scale", "workers")
BENCHES = (*WITH_OPTIONS, "patterns", "search", "schedule", "shown", "postgres", "beyond")


def main(words: list[str]) -> int:
    name, rest = (words[0], words[1:]) if words and words[0] in BENCHES else (BENCHES[0], words)
    bench = import_module(f"tests.bench.{name}")
    if name not in WITH_OPTIONS:
        bench.main(*map(int, rest))
        return 0
    return int(bench.main(rest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
