/* Verdicts folded into the beliefs of their pages and into what is known of groups, sites and sources (schedule/value.py,
 * `folded`). What is written to are copies that nobody has seen yet; nothing is touched before all is known to be plain.
 */
#include "estimate.h"
#include <math.h>
#include <string.h>

static const Constants *const known = &constants_of_estimate;

typedef struct {
    const double *at, *ago_s, *size_bytes, *response_s;
    const uint8_t *changed, *first;
} Seen;

typedef struct {
    Py_ssize_t pages;
    State *states;
    Seen seen;
    const int64_t *group, *notices; /* no notices: nobody said anything */
    Laws laws;
    const uint8_t *young;
    Tempo tempo;
    const double *elapsed;
    Py_ssize_t clock_columns;
    double *sums, *proof;
    Trust trust;
    int64_t *site, *begin, *end; /* of outcomes */
    uint8_t *is_change;
    double *rate;
} Fold;

/* What the visits of a batch say about a site, before it is added to what is known. */
typedef struct {
    double gained[MOST_CLOCKS], quiet_days, found_changes, found_days;
    Py_ssize_t visits;
} Gain;

static int
counts(const Fold *fold, Py_ssize_t row)
{
    double before = fold->states[row].seen_at;
    return !fold->seen.first[row] && before > 0.0 && fold->seen.at[row] > before;
}

/* Groups and sites that are there, and moments that are some: else it is left to NumPy. */
static int
is_plain(const Fold *fold)
{
    for (Py_ssize_t row = 0; row < fold->pages; row++) {
        int64_t group = fold->group[row];
        if (group < 0 || group >= fold->laws.groups || !isfinite(fold->seen.at[row]) || !isfinite(fold->states[row].seen_at)) return 0;
        int64_t site = fold->laws.site[group];
        if (site < 0 || site >= fold->tempo.sites || !(fabs(fold->seen.at[row]) < 1e15)) return 0;
    }
    return 1;
}

/* estimate/poisson.py, fold */
static void
count_gap(State *state, const Seen *seen, Py_ssize_t row, int is_counted)
{
    double gap_s = is_counted ? seen->at[row] - state->seen_at : 0.0, response_s = seen->response_s[row];
    int is_found = is_counted && seen->changed[row];
    state->watched_s += gap_s;
    if (!is_found) state->quiet_s += gap_s;
    state->gaps += (uint32_t)is_counted;
    state->changes += (uint32_t)is_found;
    if (is_found && (state->shortest_s == 0.0f || gap_s < (double)state->shortest_s)) state->shortest_s = (float)gap_s;
    if (seen->size_bytes[row] >= 0.0) state->size_bytes = (float)seen->size_bytes[row];
    if (response_s >= 0.0) {
        response_s = smaller(response_s, 1.7976931348623157e308);
        double mixed = state->response_s > 0.0f ? (double)(0.8f * state->response_s) + 0.2 * response_s : response_s;
        state->response_s = (float)mixed;
    }
    state->seen_at = seen->at[row];
}

/* estimate/bayes.py, encoded: ratios to the law as bytes */
static void
encode(uint8_t *weights, const double *belief, const double *law, uint64_t salt)
{
    double ratio[RATES], most = 0.0;
    for (int one = 0; one < RATES; one++) {
        ratio[one] = belief[one] / law[one];
        most = larger(most, ratio[one]);
    }
    for (int one = 0; one < RATES; one++) {
        uint64_t mixed = (salt ^ ((uint64_t)(one + 1) * 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 31)) * 0x94D049BB133111EBu;
        double nats = -log(larger(ratio[one] / most, known->least_ratio));
        double exact = 255.0 * sqrt(larger(nats, 0.0) / known->number[MOST_NATS]);
        weights[one] = (uint8_t)smaller(floor(exact + (double)(mixed >> 40) / (double)(1 << 24)), 255.0);
    }
}

/* Where the rate may be by now, whatever was seen (estimate/bayes.py, drifted). */
static void
drift(double *drifted, const double *belief, const double *law, double days)
{
    double kept = exp(-known->number[SWITCH_PER_DAY] * days);
    for (int one = 0; one < RATES; one++) drifted[one] = belief[one] * kept + (1.0 - kept) * law[one];
}

/* The belief after a gap and its verdict; S(x) as it was predicted (estimate/bayes.py, updated). */
static double
update(double *after, const Ahead *ahead, const Laws *laws, Py_ssize_t group, double days, int is_found, double ago_days)
{
    const double *root = laws->root + group * RATES, *mode = laws->modes + group * RATES * RATES, *law = laws->law + group * RATES;
    double faded[RATES], same[RATES];
    faded_after(faded, ahead->decay, days);
    for (int one = 0; one < RATES; one++) faded[one] *= ahead->amount[one];
    for (int one = 0; one < RATES; one++, mode += RATES) same[one] = larger(dot(faded, mode) * root[one], LEAST_PROBABILITY);
    memcpy(after, same, sizeof same);
    if (is_found) {
        double ago = smaller(larger(ago_days, 0.0), days), anything[RATES];
        int is_told = isfinite(ago_days);
        drift(anything, ahead->belief, law, days);
        for (int one = 0; one < RATES; one++) {
            double rate = known->rate[one];
            after[one] = is_told ? anything[one] * rate * exp(-rate * ago) : larger(anything[one] - same[one], 1e-12);
        }
    }
    normalise(after);
    return sum_of(same);
}

/* The belief after a change that somebody may have told of (estimate/trust.py, after_change), where most are told of. */
static void
heed(double *after, const Fold *fold, const Ahead *ahead, Py_ssize_t row, double days)
{
    Py_ssize_t group = fold->group[row];
    Believed believed;
    Heard heard;
    double drifted[RATES], any[RATES], most = -Py_HUGE_VAL;
    believe(&believed, &fold->trust, fold->laws.site[group]);
    if (believed.most_recall < known->number[TELLING]) return;
    take_heed(&heard, &believed, fold->notices == NULL ? NULL : fold->notices + row * believed.sources);
    drift(drifted, ahead->belief, fold->laws.law + group * RATES, days);
    for (int one = 0; one < RATES; one++) {
        any[one] = heard.spoke[one] - heard.silent[one] * days;
        most = larger(most, any[one]);
    }
    for (int one = 0; one < RATES; one++)
        after[one] = drifted[one] * larger(exp(any[one] - most) - exp(-known->rate[one] * days - most), 1e-12);
    normalise(after);
}

/* Every clock is held to what it predicted (estimate/tempo.py, judged). */
static void
judge_clocks(const Fold *fold, Gain *gain, const Ahead *ahead, int64_t site, double begin, double end, int is_found)
{
    double last_days = Py_NAN, score = 0.0, faded[RATES];
    for (Py_ssize_t clock = 0; clock < known->clocks; clock++) {
        const double *row = fold->elapsed + (clock * fold->tempo.sites + site) * fold->clock_columns;
        double days = reading(&fold->tempo, row, end) - reading(&fold->tempo, row, begin);
        if (days != last_days) { /* as long as nothing is known of a site's hours, its clocks agree */
            faded_after(faded, ahead->decay, days);
            double sure = smaller(larger(dot(faded, ahead->share), 1e-6), 1.0 - 1e-6);
            score = log(is_found ? 1.0 - sure : sure);
            last_days = days;
        }
        gain->gained[clock] += score;
    }
}

/* One visit that is evidence: into its page's state, its group's sums, its site's gain, and an outcome. */
static void
fold_one(const Fold *fold, Gain *gains, Py_ssize_t row, Py_ssize_t outcome)
{
    State *state = &fold->states[row];
    Py_ssize_t group = fold->group[row];
    int64_t site = fold->laws.site[group];
    Gain *gain = &gains[site];
    int is_found = fold->seen.changed[row] != 0, is_joining = state->gaps == 0;
    double begin = state->seen_at / HOUR_S, end = fold->seen.at[row] / HOUR_S, after[RATES], law[RATES];
    const double *mean = fold->tempo.mean + site * fold->tempo.columns;
    double days = reading(&fold->tempo, mean, end) - reading(&fold->tempo, mean, begin);
    Ahead ahead;
    look_ahead(&ahead, state, &fold->laws, group);
    double survival = update(after, &ahead, &fold->laws, group, days, is_found, fold->seen.ago_s[row] / DAY_S);
    if (is_found) heed(after, fold, &ahead, row, days);
    judge_clocks(fold, gain, &ahead, site, begin, end, is_found);
    count_gap(state, &fold->seen, row, 1);
    own_law(law, &fold->laws, group, state->size_bytes);
    encode(state->weights, after, law, salted(state->watched_s, fold->seen.at[row]));
    double joined = is_joining ? 1.0 : 0.0, stays = fold->young[group] ? joined : 1.0, *sums = fold->sums + group * RATES;
    for (int one = 0; one < RATES; one++) sums[one] += (after[one] - ahead.belief[one] * (1.0 - joined)) * stays;
    double hazard = -log(smaller(larger(survival, 1e-9), 1.0 - 1e-9)), gap_days = end / 24.0 - begin / 24.0;
    fold->site[outcome] = site;
    fold->begin[outcome] = (int64_t)rint(begin);
    fold->end[outcome] = (int64_t)rint(end);
    fold->is_change[outcome] = (uint8_t)is_found;
    fold->rate[outcome] = hazard / larger(days, 1e-9);
    gain->visits++;
    if (!is_found) gain->quiet_days += gap_days;
    else gain->found_days += gap_days;
    if (is_found) gain->found_changes += hazard / -expm1(-hazard);
}

/* What the visits said about a site, into what is known of it; what was known is forgotten a little with each. */
static void
learn(const Fold *fold, Gain *gain, Py_ssize_t site)
{
    const Trust *trust = &fold->trust;
    double *kept_sums[] = {trust->quiet_days, trust->quiet_notices, trust->found_changes, trust->found_days, trust->found_notices};
    double kept = pow(known->number[CLOCK_FORGETS], (double)gain->visits);
    for (Py_ssize_t clock = 0; clock < known->clocks; clock++) {
        double *proof = &fold->proof[clock * fold->tempo.sites + site];
        *proof = *proof * kept + gain->gained[clock];
    }
    kept = pow(known->number[TRUST_FORGETS], (double)gain->visits);
    for (Py_ssize_t source = 0; source < trust->sources; source++) {
        Py_ssize_t at = site * trust->sources + source;
        for (int sum = 0; sum < 5; sum++) kept_sums[sum][at] *= kept;
        trust->quiet_days[at] += gain->quiet_days;
        trust->found_changes[at] += gain->found_changes;
        trust->found_days[at] += gain->found_days;
    }
    gain->visits = 0;
}

static void
add_notices(const Fold *fold, Py_ssize_t row, int64_t site, int is_found)
{
    const Trust *trust = &fold->trust;
    double *to = (is_found ? trust->found_notices : trust->quiet_notices) + site * trust->sources;
    for (Py_ssize_t source = 0; source < trust->sources; source++) to[source] += (double)fold->notices[row * trust->sources + source];
}

/* How many of the visits are evidence. */
static Py_ssize_t
fold_all(const Fold *fold, Gain *gains, char *is_counted)
{
    Py_ssize_t outcomes = 0;
    for (Py_ssize_t row = 0; row < fold->pages; row++) {
        is_counted[row] = (char)counts(fold, row);
        if (is_counted[row]) fold_one(fold, gains, row, outcomes++);
        else count_gap(&fold->states[row], &fold->seen, row, 0);
    }
    for (Py_ssize_t one = 0; one < outcomes; one++)
        if (gains[fold->site[one]].visits) learn(fold, &gains[fold->site[one]], fold->site[one]);
    for (Py_ssize_t row = 0; row < fold->pages; row++) {
        if (!is_counted[row]) continue;
        Py_ssize_t group = fold->group[row];
        double *sums = fold->sums + group * RATES;
        for (int one = 0; one < RATES; one++) sums[one] = larger(sums[one], 0.0);
        if (fold->notices != NULL) add_notices(fold, row, fold->laws.site[group], fold->seen.changed[row] != 0);
    }
    return outcomes;
}

static int
hold_seen(Held *held, PyObject *columns, Py_ssize_t pages, Seen *seen)
{
    void *found[6];
    if (!hold_tuple(held, columns, "d??ddd", pages, READ, found)) return 0;
    *seen = (Seen){found[0], found[3], found[4], found[5], found[1], found[2]};
    return 1;
}

static int
hold_clocks(Held *held, PyObject *elapsed, PyObject *proof, Fold *fold)
{
    void *found;
    Py_ssize_t cells = hold_any(held, elapsed, 'd', READ, &found), rows = known->clocks * fold->tempo.sites;
    fold->elapsed = found;
    fold->clock_columns = cells / rows;
    if (cells < 0 || cells % rows || fold->clock_columns <= fold->tempo.laid) return 0;
    return (fold->proof = hold(held, proof, 'd', rows, WRITE)) != NULL;
}

static int
hold_outcomes(Held *held, PyObject *columns, Fold *fold)
{
    void *found[5];
    if (!hold_tuple(held, columns, "qqq?d", fold->pages, WRITE, found)) return 0;
    fold->site = found[0];
    fold->begin = found[1];
    fold->end = found[2];
    fold->is_change = found[3];
    fold->rate = found[4];
    return 1;
}

/* folded(states, seen, group, notices, laws, group_site, young, (origin, laid, sites), mean, elapsed, sums, proof, trust,
 * outcomes) -> how many visits were evidence; None: it is left to NumPy. States, sums, proof, trust and outcomes are written to. */
PyObject *
native_folded(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    enum { STATES, SEEN, GROUP, NOTICES, LAWS, GROUP_SITE, YOUNG, ORIGIN, LAID, SITES, MEAN, ELAPSED, SUMS, PROOF, TRUST, OUTCOMES, ARGUMENTS };
    if (count != ARGUMENTS || !known->clocks) return PyErr_Format(PyExc_TypeError, "sixteen arguments are wanted, after a call of estimating");
    Fold fold = {.tempo = {PyFloat_AsDouble(given[ORIGIN]), PyLong_AsSsize_t(given[LAID]), PyLong_AsSsize_t(given[SITES]), 0, NULL}};
    if (PyErr_Occurred()) return NULL;
    Held held = {.count = 0};
    Gain *gains = NULL;
    char *is_counted = NULL;
    PyObject *answer = NULL;
    void *states = NULL;
    fold.pages = hold_any(&held, given[STATES], 's', WRITE, &states);
    fold.states = states;
    int is_given = fold.pages > 0 && hold_seen(&held, given[SEEN], fold.pages, &fold.seen) && hold_laws(&held, given[LAWS], given[GROUP_SITE], &fold.laws) &&
                   (fold.group = hold(&held, given[GROUP], 'q', fold.pages, READ)) != NULL &&
                   (fold.young = hold(&held, given[YOUNG], '?', fold.laws.groups, READ)) != NULL && hold_mean(&held, given[MEAN], &fold.tempo) &&
                   hold_clocks(&held, given[ELAPSED], given[PROOF], &fold) &&
                   (fold.sums = hold(&held, given[SUMS], 'd', fold.laws.groups * RATES, WRITE)) != NULL &&
                   hold_trust(&held, given[TRUST], fold.tempo.sites, WRITE, &fold.trust) && hold_outcomes(&held, given[OUTCOMES], &fold);
    if (is_given && given[NOTICES] != Py_None)
        is_given = (fold.notices = hold(&held, given[NOTICES], 'q', fold.pages * fold.trust.sources, READ)) != NULL;
    if (is_given) {
        gains = PyMem_Calloc((size_t)fold.tempo.sites, sizeof(Gain));
        is_counted = PyMem_Malloc((size_t)fold.pages);
        if (gains == NULL || is_counted == NULL) PyErr_NoMemory();
        else answer = is_plain(&fold) ? PyLong_FromSsize_t(fold_all(&fold, gains, is_counted)) : Py_NewRef(Py_None);
    } else if (!PyErr_Occurred()) answer = Py_NewRef(Py_None);
    PyMem_Free(gains);
    PyMem_Free(is_counted);
    let_go(&held);
    return answer;
}
