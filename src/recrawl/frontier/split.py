"""Which partitions each worker of a folder owns: by what is known to lie in them, not by their numbers alone."""

import heapq
from collections.abc import Mapping


def split(weights: Mapping[int, float], partitions: int, workers: int) -> list[frozenset[int]]:
    """Every partition to one worker: the heaviest first, each to whoever carries least; those in which nothing is
    known to lie are dealt out so that all have about as many. The same weights give the same shares."""
    owned: list[set[int]] = [set() for _ in range(workers)]
    carried = [(0.0, number) for number in range(workers)]
    heavy = sorted(
        (number for number in range(partitions) if weights.get(number, 0.0) > 0), key=lambda n: (-weights[n], n)
    )
    for partition in heavy:
        weight, worker = carried[0]
        owned[worker].add(partition)
        heapq.heapreplace(carried, (weight + weights[partition], worker))
    empty = [number for number in range(partitions) if weights.get(number, 0.0) <= 0]
    for partition in empty:
        min(owned, key=len).add(partition)
    return [frozenset(one) for one in owned]
