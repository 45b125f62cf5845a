"""Verdicts folded and gaps found by the compiled part, a batch in one call each. `value` says the same with NumPy, and
takes over where there is no such part or where it is not certain, and of pages that wait for their site's hour. Both
come to the same but for the last digits; so a byte of a belief may differ by one where it might be rounded either way.
"""

import numpy as np

from recrawl.estimate import bayes
from recrawl.estimate import tempo as tempos
from recrawl.estimate import trust as trusts
from recrawl.model.belief import Context, Floats, Ints, Sightings, States
from recrawl.model.swift import replace
from recrawl.schedule.knowledge import Knowledge
from recrawl.schedule.numbers import compiled
from recrawl.schedule.settings import Settings


def folded(
    knowledge: Knowledge, laws: bayes.Laws, before: States, seen: Sightings, context: Context
) -> tuple[States, Knowledge] | None:
    """The states after these visits, and what is known then."""
    if compiled is None:
        return None
    tempo, trust, pages = knowledge.tempo, knowledge.trust, len(before)
    after, sums, proof = before.copy(), knowledge.sums.copy(), tempo.proof.copy()
    believed = trusts.Trust(
        trust.quiet_days.copy(), trust.quiet_notices.copy(), trust.found_changes.copy(), trust.found_days.copy(),
        trust.found_notices.copy(),
    )  # fmt: skip
    site, begin, end = np.empty((3, pages), dtype=np.int64)
    changed, rate = np.empty(pages, dtype=np.bool_), np.empty(pages)
    count = compiled.folded(
        after, _columns(seen), context.group, context.notices, _arrays(laws), knowledge.group_site, knowledge.young,
        float(tempo.origin), tempo.laid, len(tempo.rhythm), tempo.mean, tempo.elapsed, sums, proof, _sums(believed),
        (site, begin, end, changed, rate),
    )  # fmt: skip
    if count is None:
        return None
    if not count:
        return after, knowledge
    outcomes = tempos.Outcomes(site[:count], begin[:count], end[:count], changed[:count], rate[:count])
    clocks = tempos.noted(replace(tempo, proof=proof), outcomes)
    return after, replace(knowledge, tempo=clocks, trust=believed, sums=sums)


def gaps_s(
    knowledge: Knowledge,
    laws: bayes.Laws,
    settings: Settings,
    states: States,
    importance: Floats,
    now: float,
    luck: Floats,
    context: Context,
) -> tuple[Floats, Ints] | None:
    """The gaps, and the places of those that are left to be found."""
    if compiled is None:
        return None
    tempo, found = knowledge.tempo, np.empty(len(states))
    wishes = (
        now, knowledge.price, settings.harmonic, settings.ceiling_s, settings.floor_s, settings.spread_from_s,
        settings.bytes_weight, settings.response_weight, settings.mean_size_bytes,
    )  # fmt: skip
    left = compiled.next_gaps(
        states, importance, luck, context.server_price, context.group, context.notices, _arrays(laws),
        knowledge.group_site, float(tempo.origin), tempo.laid, len(tempo.rhythm), tempo.mean, tempo.weight,
        tempo.rhythm, _sums(knowledge.trust), wishes, found,
    )  # fmt: skip
    if left is None:
        return None
    return found, np.flatnonzero(np.isnan(found)) if left else _NONE


_NONE: Ints = np.zeros(0, dtype=np.int64)


def _columns(seen: Sightings) -> tuple[object, ...]:
    return seen.at, seen.changed, seen.first, seen.changed_ago_s, seen.size_bytes, seen.response_s


def _arrays(laws: bayes.Laws) -> tuple[Floats, ...]:
    return laws.law, laws.root, laws.decay, laws.modes, laws.mass, laws.centre, laws.slope


def _sums(trust: trusts.Trust) -> tuple[Floats, ...]:
    return trust.quiet_days, trust.quiet_notices, trust.found_changes, trust.found_days, trust.found_notices
