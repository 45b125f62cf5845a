"""Search over 100,000 documents: how long answers take, how large the index is; tantivy on the same words beside it.

    python -m tests.bench.search [DOCUMENTS]

A third of the documents is English-like, a third Korean, a third Japanese; words are drawn by Zipf's law, so that the
common ones stand in nearly every document. Both engines get the same words, cut by recrawl's knife, and
answer the same 300 questions with ten results; ours marks its snippets, too.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from statistics import quantiles

import tantivy

from recrawl.index.query import parse
from recrawl.index.snippet import snippet
from recrawl.index.weights import WEIGHTS
from recrawl.index.words import joined
from recrawl.model.search import Entry, Part, Question, Step, Term
from recrawl.store.search.sqlite import SqliteSearch

VOCABULARY = 30_000
WORDS = (120, 220)  # of a document
BATCH = 500
QUESTIONS = 300


@dataclass(frozen=True)
class Result:
    name: str
    build_s: float
    index_bytes: int
    median_ms: float
    p95_ms: float
    p95_cpu_ms: float
    hits: int


class Tongue:
    """Makes words of one language, the common ones short."""

    def __init__(self, name: str, letters: Callable[[random.Random], str], joint: str) -> None:
        chance = random.Random(name)
        self.name, self.joint = name, joint
        made = dict.fromkeys(letters(chance) for _ in range(3 * VOCABULARY))
        self.words = list(islice(made, VOCABULARY))
        self.weights = list(accumulate(1 / rank for rank in range(1, len(self.words) + 1)))

    def draw(self, chance: random.Random, count: int) -> list[str]:
        return chance.choices(self.words, cum_weights=self.weights, k=count)


def _latin(chance: random.Random) -> str:
    return "".join(chance.choice("bcdfglmnprst") + chance.choice("aeiou") for _ in range(chance.randint(1, 4)))


def _hangul(chance: random.Random) -> str:
    return "".join(chr(0xAC00 + 28 * chance.randrange(399)) for _ in range(2)) + chance.choice(("", "는", "을", "에서"))


def _kanji(chance: random.Random) -> str:
    return "".join(chr(0x4E00 + chance.randrange(2000)) for _ in range(2)) + chance.choice(("の", "は", "を", "する"))


TONGUES = (Tongue("en", _latin, " "), Tongue("ko", _hangul, " "), Tongue("ja", _kanji, ""))


def documents(count: int) -> Iterator[Entry]:
    chance = random.Random(1)
    for number in range(count):
        tongue = TONGUES[number % 3]
        title = tongue.joint.join(tongue.draw(chance, 5))
        headings = tongue.joint.join(tongue.draw(chance, 8))
        text = tongue.joint.join(tongue.draw(chance, chance.randint(*WORDS)))
        url = f"http://site{number % 7}.example/{number}"
        yield Entry(
            number,
            float(number),
            url,
            f"site{number % 7}",
            language=tongue.name,
            changed_at=float(number),
            title=title,
            headings=headings,
            text=text,
        )


def questions() -> list[str]:
    """Words common and rare (every rank of the same order of magnitude is as likely), alone, together, as phrases."""
    chance = random.Random(2)

    def word(tongue: Tongue) -> str:
        return tongue.words[int(len(tongue.words) ** chance.random()) - 1]

    asked = []
    for number in range(QUESTIONS):
        tongue = TONGUES[number % 3]
        form = ("{0}", "{0} {1}", '"{0} {1}"', "{0}", "title:{0}", "{0} OR {1}")[number // 3 % 6]
        asked.append(form.format(word(tongue), word(tongue)))
    return asked


def measured(name: str, build_s: float, index_bytes: int, ask: Callable[[str], int]) -> Result:
    hits, times, processor = 0, list[float](), list[float]()
    for question in questions():
        ask(question)  # once to have it in memory, as a second reader would
        start, spent = time.perf_counter(), time.process_time()
        hits += ask(question)
        times.append(1000 * (time.perf_counter() - start))
        processor.append(1000 * (time.process_time() - spent))
    cuts = quantiles(times, n=100)
    return Result(name, build_s, index_bytes, cuts[49], cuts[94], quantiles(processor, n=100)[94], hits)


def ours(count: int, folder: Path) -> Result:
    index = SqliteSearch(folder / "search.db", joined, 1, WEIGHTS)
    start, rows, cursor = time.perf_counter(), documents(count), 0
    while batch := tuple(islice(rows, BATCH)):
        index.apply(Step(cursor, cursor + 1, put=batch))
        cursor += 1
    build_s = time.perf_counter() - start

    def ask(text: str) -> int:
        question = parse(text, 0.0)
        found = index.find(question, limit=10)
        for hit in found.hits:
            snippet(hit.entry.text, question.terms)
        return found.total

    result = measured("recrawl (SQLite FTS5)", build_s, index.extent().bytes, ask)
    index.close()
    return result


FIELDS = (Part.TITLE, Part.HEADINGS, Part.TEXT)


def theirs(count: int, folder: Path) -> Result:
    builder = tantivy.SchemaBuilder()
    for part in FIELDS:
        builder.add_text_field(part.value, stored=False, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("kept", stored=True, tokenizer_name="raw", index_option="basic")
    (folder / "tantivy").mkdir()
    index = tantivy.Index(builder.build(), path=str(folder / "tantivy"))
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    start = time.perf_counter()
    for entry in documents(count):
        words = {part.value: joined(entry.part(part)) for part in FIELDS}
        writer.add_document(tantivy.Document(**words, kept=entry.url))
    writer.commit()
    writer.wait_merging_threads()
    build_s = time.perf_counter() - start
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> int:
        found = searcher.search(index.parse_query(_spelled(parse(text, 0.0)), [part.value for part in FIELDS]), 10)
        for _, place in found.hits:
            searcher.doc(place)
        return int(found.count)

    size = sum(file.stat().st_size for file in (folder / "tantivy").iterdir())
    return measured("tantivy", build_s, size, ask)


def _spelled(question: Question) -> str:
    def spelled(term: Term) -> str:
        words = f'"{" ".join(term.words)}"'
        return f"{term.part.value}:{words}" if term.part else words

    return " AND ".join("(" + " OR ".join(map(spelled, group)) + ")" for group in question.groups)


def main(count: int = 100_000) -> list[Result]:
    results = []
    for engine in (ours, theirs):
        with tempfile.TemporaryDirectory() as folder:
            results.append(engine(count, Path(folder)))
        one = results[-1]
        told = {
            "engine": one.name,
            "documents": count,
            "build_s": round(one.build_s, 1),
            "index_mb": round(one.index_bytes / 1e6, 1),
            "median_ms": round(one.median_ms, 2),
            "p95_ms": round(one.p95_ms, 2),
            "p95_cpu_ms": round(one.p95_cpu_ms, 2),
            "hits": one.hits,
        }
        print(json.dumps(told), flush=True)
    return results


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
