"""Chance without dice: every number is drawn from a key, so the same key gives the same number on every machine."""

from collections.abc import Sequence
from statistics import NormalDist
from struct import Struct
from typing import TypeVar

import xxhash

Item = TypeVar("Item")

_NUMBERS = Struct("<QQ")
_UNIT = 2.0**-53
_BELL = NormalDist()


def key_of(*parts: object) -> int:
    """One 64-bit key for a tuple of words and numbers; the parts cannot run into one another."""
    return xxhash.xxh3_64_intdigest("\x1f".join(map(str, parts)).encode("utf-8"))


def bits(key: int, place: int, index: int = 0) -> int:
    """64 bits that belong to a place under a key."""
    return xxhash.xxh3_64_intdigest(_NUMBERS.pack(place, index), key)


def fraction(key: int, place: int, index: int = 0) -> float:
    """A number in [0, 1)."""
    return (bits(key, place, index) >> 11) * _UNIT


def between(low: float, high: float, key: int, place: int, index: int = 0) -> float:
    return low + (high - low) * fraction(key, place, index)


def pick(choices: Sequence[Item], key: int, place: int, index: int = 0) -> Item:
    return choices[bits(key, place, index) % len(choices)]


def normal(mean: float, deviation: float, key: int, place: int) -> float:
    return mean + deviation * _BELL.inv_cdf(max(fraction(key, place), _UNIT))


def half_of(count: int, key: int, place: int) -> int:
    """Binomial(count, 1/2): exact up to 64 by counting bits, beyond that by its normal limit."""
    if count <= 64:
        return (bits(key, place) & ((1 << count) - 1)).bit_count()
    return min(count, max(0, round(normal(count / 2, (count / 4) ** 0.5, key, place))))
