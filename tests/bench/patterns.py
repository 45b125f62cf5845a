"""Matches a second with 10, 1,000 and 10,000 patterns: what a link costs must not depend on how many there are.

python -m tests.bench.patterns
"""

import time

from recrawl.scope.patterns import Patterns

COUNTS = (10, 1_000, 10_000)
LINKS = 20_000


def patterns(count: int) -> list[str]:
    """Of every habit: hosts, literal paths, beginnings of segments, literal parameters, tails."""
    habits = (
        "http://site{n}.example/list.aspx?cate_id={{0}}&page={{1}}",
        "/shop{n}/item/{{id:int}}/{{slug}}",
        "/goods/part{n}-{{id:int}}.html",
        "/view.php?board=b{n}&id={{id:int}}",
        "/docs{n}/{{rest:path}}",
    )
    return [habits[number % len(habits)].format(n=number) for number in range(count)]


def links(count: int) -> list[str]:
    """Half of them match a pattern, spread over all; half match none."""
    made = []
    for place in range(LINKS):
        n = place * 7919 % count
        n -= n % 5
        made.append(
            (
                f"http://site{n}.example/list.aspx?page=3&cate_id={place}",
                f"http://any.example/shop{n + 1}/item/{place}/brass-lamp",
                f"http://any.example/goods/part{n + 2}-{place}.html",
                f"http://any.example/view.php?id={place}&board=b{n + 3}",
                f"http://any.example/docs{n + 4}/a/b/{place}.html",
                f"http://any.example/help/{place}",
                "http://any.example/login?next=/basket",
                f"http://ads.example/click?campaign={place}",
                f"http://any.example/goods/part-{place}.html",
                f"http://any.example/shop{n + 1}/cart/{place}",
            )[place % 10]
        )
    return made


def seconds_a_link(counts: tuple[int, ...] = COUNTS, rounds: int = 5, most_links: int = LINKS) -> dict[int, float]:
    """The best of some rounds, in which the sizes take turns: what else the machine does then hits them alike."""
    prepared = {count: (Patterns(patterns(count)), links(count)[:most_links]) for count in counts}
    for count, (compiled, asked) in prepared.items():
        matched = sum(compiled.match(url) is not None for url in asked)
        assert matched == len(asked) // 2, f"{matched} of {len(asked)} links matched {count} patterns"
    best = dict.fromkeys(counts, float("inf"))
    for _ in range(rounds):
        for count, (compiled, asked) in prepared.items():
            began = time.process_time()
            for url in asked:
                compiled.match(url)
            best[count] = min(best[count], (time.process_time() - began) / len(asked))
    return best


def main() -> None:
    costs = seconds_a_link()
    for count, cost in costs.items():
        print(f"{count:>6} patterns  {1 / cost:>10,.0f} matches/s  {cost * 1e6:.2f} µs a link")
    print(f"cost of a link, {COUNTS[-1]:,} against {COUNTS[0]} patterns: {costs[COUNTS[-1]] / costs[COUNTS[0]]:.2f}x")


if __name__ == "__main__":
    main()
