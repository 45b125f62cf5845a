"""The fuzzing process itself: recrawl is instrumented as it is imported, so nothing imports it before."""

import shutil
import sys
from pathlib import Path

import atheris

CORPUS = Path(__file__).parent / "corpus"
MOST_BYTES = 4096
MADE_UP = {"html": 200, "sights": 200, "readings": 200}  # pages to begin with: nothing in C leads the fuzzer to one
LONGEST_S = 5  # one input may not take longer: that is a crash too


def main(name: str, place: Path, seconds: str) -> None:
    with atheris.instrument_imports(include=["recrawl"]):
        from tests.fuzz.targets import run
        from tests.sights import page_of
    corpus = place / "corpus"
    if (CORPUS / name).is_dir():
        shutil.copytree(CORPUS / name, corpus)
    else:
        corpus.mkdir(parents=True)
    for seed in range(MADE_UP.get(name, 0)):
        (corpus / f"page-{seed}").write_bytes(page_of(seed).encode("utf-8", "surrogatepass")[:MOST_BYTES])
    options = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", f"-timeout={LONGEST_S}", "-rss_limit_mb=2048"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={place}/", str(corpus)], lambda data: run(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
