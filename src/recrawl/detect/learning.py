"""How noise is learnt: from looks, from comparisons, and by proof from a second look."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import xxhash

from recrawl.detect.noise import Entry, Knowledge, Nature, PageNoise, TemplateNoise, read_page, with_entries
from recrawl.detect.parts import Found, PartKind
from recrawl.detect.shapes import CLOCKS, SELF_CHANGING, agrees, shape_of
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.model.verdict import Lesson

STILL_LOOKS = 6  # equal looks in a row after which a mask is dropped
LONE_DIFFERENCES = 3  # in a row, of parts that look self-changing, nothing else differing: noise without proof
AGREEING_DIFFERENCES = 2  # the same for a moment that is the moment of the visit
MOST_SUSPECTS = 32  # differing parts beyond which a change is too broad to suspect anything
UNKNOWN_ASKS = 3  # visits in a row at which an unknown part may ask for a second look
DOUBT_AFTER = (3, 12, 48, 192)  # differences in a row after which a real part is put to the proof again
SMALL_SHARE = 0.5
SMALL_BYTES = 512
MOST_TOLD = 1_000  # differences of a template whose weight is remembered
_MOST = 255


@dataclass(frozen=True, slots=True)
class Learnt:
    noise: PageNoise
    lessons: tuple[Lesson, ...] = ()


def after_equal_body(noise: PageNoise) -> Learnt:
    """Not a byte differed: every part held still."""
    return after_look(noise, {entry.key: None for entry in noise.entries})


def after_look(noise: PageNoise, standing: Mapping[int, str | None]) -> Learnt:
    """Fold in a look that found nothing but noise: does what is masked still change? `standing`: what stands in
    the parts now; None: what stood there before."""
    entries = tuple(_looked_at(entry, standing) for entry in noise.entries if entry.nature is not Nature.UNKNOWN)
    unmasked = noise.keys(Nature.NOISE) - {entry.key for entry in entries if entry.nature is Nature.NOISE}
    return Learnt(replace(noise, entries=entries), tuple(Lesson(key, noise=False) for key in sorted(unmasked)))


def _looked_at(entry: Entry, standing: Mapping[int, str | None]) -> Entry:
    if entry.nature is Nature.REAL:
        return replace(entry, count=0)
    if entry.nature is Nature.STILL:
        return Entry(entry.key, Nature.STILL)
    if entry.nature is not Nature.NOISE or entry.key not in standing:
        return entry
    text = standing[entry.key]
    value = entry.value if text is None else short_hash(text)
    if value != entry.value:
        return replace(entry, count=0, value=value)
    if entry.count + 1 >= STILL_LOOKS:
        return Entry(entry.key, Nature.STILL)
    return replace(entry, count=entry.count + 1)


def short_hash(text: str) -> int:
    return xxhash.xxh32_intdigest(text.encode("utf-8", "surrogatepass")) & 0xFFFF


def after_difference(knowledge: Knowledge, found: Sequence[Found], at: float) -> Learnt:
    """Fold one comparison in that found these parts different, none of them noise so far."""
    if len(found) > MOST_SUSPECTS:
        return Learnt(_without_others(knowledge.page, ()))
    alone = all(_self_changing(part) for part in found)
    entries = [_differed(knowledge, part, alone, at) for part in found]
    lessons = tuple(Lesson(entry.key, noise=True) for entry in entries if entry.nature is Nature.NOISE)
    return Learnt(with_entries(_without_others(knowledge.page, found), entries), lessons)


def _differed(knowledge: Knowledge, part: Found, alone: bool, at: float) -> Entry:
    own, nature = knowledge.page.entry(part.key), knowledge.nature(part)
    count = min(_MOST, own.count + 1)
    if alone and _is_noise_by_itself(part, nature, count, at):
        return Entry(part.key, Nature.NOISE, value=short_hash(part.value))
    if nature is Nature.REAL:
        return Entry(part.key, Nature.REAL, count, own.value)
    undecided = Nature.STILL if own.nature is Nature.STILL else Nature.UNKNOWN
    return Entry(part.key, undecided, count if alone else 0, min(_MOST, own.value + 1))


def _is_noise_by_itself(part: Found, nature: Nature, count: int, at: float) -> bool:
    """Without the proof of a second look: only what looks like it, and not what was seen to hold still,
    except a clock that is right every time (one without seconds holds still for a minute)."""
    if shape_of(part.value, part.skeleton) in CLOCKS and agrees(part.value, at):
        return count >= AGREEING_DIFFERENCES
    return count >= LONE_DIFFERENCES and nature is not Nature.REAL


def _self_changing(part: Found) -> bool:
    return part.kind is PartKind.FIELD and shape_of(part.value, part.skeleton) in SELF_CHANGING


def _without_others(noise: PageNoise, found: Sequence[Found]) -> PageNoise:
    """What differed before and does not now is no longer suspect."""
    keys = {part.key for part in found}
    kept = tuple(
        replace(entry, count=0) if entry.nature is Nature.REAL and entry.key not in keys else entry
        for entry in noise.entries
        if entry.nature is not Nature.UNKNOWN or entry.key in keys
    )
    return replace(noise, entries=kept)


class Weighed(NamedTuple):
    """What parts that differ teach of a page of which nothing is masked. `is_masked`: something is now. `is_doubtful`:
    a small change of these parts wants a second look."""

    noise: PageNoise
    is_masked: bool
    is_doubtful: bool


def weighed(noise: bytes, template: TemplateNoise, found: tuple[Found, ...], at: float) -> Weighed:
    """Pages of one template differ in the same parts, nearly always: what follows is found out once, but for values,
    which are looked at with the clock in hand."""
    if any(part.skeleton for part in found):
        return _weighed(noise, template, found, at)
    told = template.told
    known: Weighed | None = told.get((noise, found))
    if known is None:
        if len(told) >= MOST_TOLD:
            told.clear()
        known = told[noise, found] = _weighed(noise, template, found, at)
    return known


def _weighed(noise: bytes, template: TemplateNoise, found: tuple[Found, ...], at: float) -> Weighed:
    knowledge = Knowledge(read_page(noise), template)
    learnt = after_difference(knowledge, found, at).noise
    return Weighed(learnt, bool(Knowledge(learnt, template).mask), _all_doubtful(knowledge, learnt, found))


def wants_second_look(before: Knowledge, after: PageNoise, found: Sequence[Found], share: float, size: int) -> bool:
    """Only where it can change the verdict: a small change, and not one part of it already known to be real."""
    return is_small(share, size) and _all_doubtful(before, after, found)


def is_small(share: float, size: int) -> bool:
    return share <= SMALL_SHARE or size <= SMALL_BYTES


def _all_doubtful(before: Knowledge, after: PageNoise, found: Sequence[Found]) -> bool:
    if not found or len(found) > MOST_SUSPECTS:
        return False
    return all(_doubtful(before.nature(part), after.entry(part.key)) for part in found)


def _doubtful(nature: Nature, entry: Entry) -> bool:
    if nature is Nature.REAL:
        return entry.count >= DOUBT_AFTER[min(entry.value, len(DOUBT_AFTER) - 1)] and entry.value < len(DOUBT_AFTER)
    return entry.value <= UNKNOWN_ASKS


def after_second_look(
    noise: PageNoise,
    suspects: Sequence[Found],
    moving: Sequence[Found],
    standing: Mapping[int, str],
    conclusive: bool,
) -> Learnt:
    """`moving`: what differs between the two looks: noise. `suspects`: what differed from the copy kept: those that
    held still are real, if the second answer was made anew (`conclusive`)."""
    restless = [part for part in moving if not part.mostly_same]
    still = [part for part in suspects if _held_still(part, moving)] if conclusive else []
    still += [part for part in moving if part.mostly_same]
    entries = [Entry(part.key, Nature.NOISE, value=short_hash(standing.get(part.key, ""))) for part in restless]
    entries += [_proved_real(noise.entry(part.key)) for part in still]
    votes = {Lesson(part.key, noise=True): None for part in restless}
    votes |= {Lesson(key, noise=False): None for part in still for key in (part.key, *_wider(part))}
    return Learnt(with_entries(noise, entries), tuple(votes))


def _held_still(part: Found, moving: Sequence[Found]) -> bool:
    keys = {other.key for other in moving}
    if part.kind is PartKind.PLACE:
        return part.place not in {other.place for other in moving}
    return part.key not in keys and part.place not in keys


def _proved_real(entry: Entry) -> Entry:
    proofs = entry.value + 1 if entry.nature is Nature.REAL else 0
    return Entry(entry.key, Nature.REAL, entry.count, min(proofs, len(DOUBT_AFTER)))


def _wider(part: Found) -> tuple[int, ...]:
    """A slot is too narrow a name to be met again: what it proves is said of its place as well."""
    return (part.place,) if part.kind is PartKind.SLOT else ()
