"""How far a source of notices is to be believed: per site and source, from visits alone.

    r   recall      share of the changes it announces
    ν   false rate  notices per page and day that no change stands behind

A gap that ended in "same" holds false notices only: they give ν. A gap that ended in "changed" holds r·E[N] true
ones on top: they give r. Both are sums, forgotten slowly, drawn to "says nothing" while little is known; so a liar
(ν high, r low) is ignored by itself, and with a good source silence becomes evidence of rest. Nobody is believed
before "more notices before a change" foretells them clearly better than chance (`evidence_nats`): whoever is asked
again and again whether he was lucky will have been, one day.
"""

import numpy as np

from recrawl.estimate import given
from recrawl.estimate.bayes import RATES_PER_DAY
from recrawl.model.belief import Bools, Floats, Ints
from recrawl.model.swift import replace
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Trust:
    """Sums by site and source."""

    quiet_days: Floats
    quiet_notices: Floats
    found_changes: Floats
    found_days: Floats
    found_notices: Floats

    @property
    def false_per_day(self) -> Floats:
        """While few quiet days are known, all notices are taken as false: a busy liar must not look like a herald."""
        any_per_day = (self.quiet_notices + self.found_notices + 0.1) / (self.quiet_days + self.found_days + 1.0)
        return np.asarray((self.quiet_notices + given.FIRST_DAYS * any_per_day) / (self.quiet_days + given.FIRST_DAYS))

    @property
    def recall(self) -> Floats:
        """What is left of the notices before a change when those that chance would bring, and three deviations of that,
        are taken off: a source that speaks at random must not look like one that knows a little."""
        by_chance = self.false_per_day * self.found_days
        true_notices = self.found_notices - by_chance - given.DEVIATIONS * np.sqrt(by_chance + 1.0)
        share = np.clip(true_notices / (self.found_changes + given.FIRST_CHANGES), 0.0, given.MOST_RECALL)
        return np.where(self.evidence_nats >= given.PROVEN_NATS, share, 0.0)

    @property
    def evidence_nats(self) -> Floats:
        """How much likelier the notices are if gaps with a change have a rate of notices of their own than if all gaps
        have the same: the logarithm of the likelihood ratio, each rate at its best."""
        notices, days = self.quiet_notices + self.found_notices, self.quiet_days + self.found_days
        nats, nothing = np.zeros(notices.shape), given.NEXT_TO_NOTHING
        for spoke, lasted in ((self.quiet_notices, self.quiet_days), (self.found_notices, self.found_days)):
            by_chance = notices * lasted / np.maximum(days, nothing)
            nats += spoke * np.log(np.maximum(spoke, nothing) / np.maximum(by_chance, nothing))
        return nats


def started(sites: int) -> Trust:
    return Trust(*(np.zeros((sites, given.SOURCES)) for _ in range(5)))


def fitting(trust: Trust) -> Trust:
    """What an older recrawl learnt, with room for sources that it did not know."""
    more = given.SOURCES - trust.quiet_days.shape[1]
    if more <= 0:
        return trust
    return Trust(*(np.pad(getattr(trust, name), ((0, 0), (0, more))) for name in Trust.__dataclass_fields__))


def with_sites(trust: Trust, sites: int) -> Trust:
    more = sites - trust.quiet_days.shape[0]
    if more <= 0:
        return trust
    nothing = np.zeros((more, given.SOURCES))
    return Trust(*(np.concatenate([getattr(trust, name), nothing]) for name in Trust.__dataclass_fields__))


def learned(trust: Trust, site: Ints, days: Floats, changed: Bools, expected: Floats, notices: Ints) -> Trust:
    """Fold judged gaps; `expected`: E[N] of a gap that ended in "changed"."""
    sites = trust.quiet_days.shape[0]
    kept = (given.SOURCE_FORGETS ** np.bincount(site, minlength=sites))[:, None]
    sums = {name: getattr(trust, name) * kept for name in Trust.__dataclass_fields__}
    quiet, found = site[~changed], site[changed]
    for name, where, amount in (
        ("quiet_days", quiet, days[~changed]),
        ("found_changes", found, expected[changed]),
        ("found_days", found, days[changed]),
    ):
        sums[name] += np.bincount(where, weights=amount, minlength=sites)[:, None]
    spoke, source = np.nonzero(notices)
    for name, of in (("quiet_notices", ~changed[spoke]), ("found_notices", changed[spoke])):
        np.add.at(sums[name], (site[spoke[of]], source[of]), notices[spoke[of], source[of]])
    return replace(trust, **sums)


def speaking(trust: Trust, site: Ints) -> Bools:
    """For each of these (a page's site): does some source announce a tenth of the changes or more?"""
    return _announced(trust, site, given.SPEAKING)


def telling(trust: Trust, site: Ints) -> Bools:
    """For each of these: does some source announce most changes, so that visits come of its notices?"""
    return _announced(trust, site, given.TELLING)


def _announced(trust: Trust, site: Ints, share: float) -> Bools:
    if site.size >= len(trust.quiet_days):
        return np.asarray((trust.recall >= share).any(axis=1))[site]
    few = Trust(*(getattr(trust, name)[site] for name in Trust.__dataclass_fields__))
    return np.asarray((few.recall >= share).any(axis=1))


def likelihoods(trust: Trust, site: Ints, days: Floats, notices: Ints) -> tuple[Floats, Floats]:
    """Per page and rate, up to a common factor: of the notices with no change, and of the notices with any number of
    changes, e^{−λx} included in the first."""
    recall, false = trust.recall[site], np.maximum(trust.false_per_day[site], 1e-6)
    log_same = -RATES_PER_DAY * days[:, None]
    log_any = np.zeros_like(log_same)
    for source in range(given.SOURCES):
        r, v, n = recall[:, source, None], false[:, source, None], notices[:, source, None]
        log_any += n * np.log1p(r * RATES_PER_DAY / v) - r * RATES_PER_DAY * days[:, None]
    return log_same, log_any


def with_notices(belief: Floats, trust: Trust, site: Ints, days: Floats, notices: Ints) -> tuple[Floats, Floats]:
    """The belief given the notices and the silence, and per rate the probability that nothing changed."""
    log_same, log_any = likelihoods(trust, site, days, notices)
    told = belief * np.exp(log_any - log_any.max(axis=1, keepdims=True))
    return told / told.sum(axis=1, keepdims=True), np.exp(np.minimum(log_same - log_any, 0.0))


def after_change(belief: Floats, trust: Trust, site: Ints, days: Floats, notices: Ints) -> Floats:
    """The belief after a visit that found a change, given what was announced: any number of changes, but not none. Who
    comes because he was told comes soon after the change; taken for chance that would look like ever faster rates."""
    log_same, log_any = likelihoods(trust, site, days, notices)
    most = log_any.max(axis=1, keepdims=True)
    likely = np.maximum(np.exp(log_any - most) - np.exp(log_same - most), 1e-12)
    return np.asarray(belief * likely / (belief * likely).sum(axis=1, keepdims=True))
