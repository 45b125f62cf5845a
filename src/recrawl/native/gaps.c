/* From the last visit of a page to the moment when another is worth its price (schedule/value.py, `next_gap_s`). Left to NumPy
 * are pages whose site has a rhythm to be waited for.
 */
#include "estimate.h"
#include <math.h>
#include <string.h>

#define STEPS 5 /* schedule/index.py, days_until */
#define SAME 1e-9
#define SMALL_STEP 1e-7 /* of Newton: another would be too small for a number's digits */
#define HALVINGS 18 /* schedule/index.py, first_days */
#define HOURS 25

static const Constants *const known = &constants_of_estimate;

/* What is the same for all pages of a batch (schedule/settings.py), in this order. */
enum { NOW, PRICE, HARMONIC, CEILING_S, FLOOR_S, SPREAD_FROM_S, BYTES_WEIGHT, RESPONSE_WEIGHT, MEAN_SIZE_BYTES, WISHES };

typedef struct {
    double wish[WISHES], most_days, log_most_days;
    Py_ssize_t pages;
    const State *states;
    const double *importance, *luck, *server_price, *weight, *rhythm;
    const int64_t *group, *notices;
    Laws laws;
    Tempo tempo;
    Trust trust;
    double *gaps_s;
} Batch;

/* How fast a site's clock runs from now on, hour by hour; the first of them has partly passed. */
typedef struct {
    int64_t site;
    int is_speaking, is_rhythmic;
    Believed believed;
    double speed[HOURS], passed[HOURS];
} Pace;

static void
take_pace(const Batch *batch, Pace *pace, int64_t site)
{
    double share = 0.0, sure = 0.0, now = batch->wish[NOW] / HOUR_S, sum = 0.0;
    for (Py_ssize_t clock = 0; clock < known->clocks; clock++) {
        double weight = batch->weight[clock * batch->tempo.sites + site];
        share += known->rhythm_share[clock] * weight;
        if (known->rhythm_share[clock] > 0.0) sure += weight;
    }
    int64_t first = (int64_t)floor(now) % 24;
    for (int hour = 0; hour < HOURS; hour++) {
        pace->speed[hour] = (1.0 + share * (batch->rhythm[site * 24 + (first + hour) % 24] - 1.0)) / 24.0;
        if (hour == 0) pace->speed[0] *= 1.0 - (now - floor(now));
        pace->passed[hour] = sum += pace->speed[hour];
    }
    pace->site = site;
    pace->is_rhythmic = sure >= known->number[RHYTHM_SURE];
    believe(&pace->believed, &batch->trust, site);
    pace->is_speaking = pace->believed.most_recall >= known->number[SPEAKING];
}

/* A fixed share of gaps ends without regard to the rhythm (schedule/own_luck.py, explores). */
static int
explores(const State *state)
{
    uint64_t salt = salted(state->watched_s, state->seen_at) * 0x9E3779B97F4A7C15u;
    return (double)(salt >> 40) < known->number[EXPLORED] * (double)(1 << 24);
}

/* schedule/own_luck.py, staggered */
static double
staggered(const State *state)
{
    if (state->gaps) return 1.0;
    uint64_t salt = (salted(state->watched_s, state->seen_at) ^ (uint64_t)state->size_bytes) * 0xBF58476D1CE4E5B9u;
    salt = (salt ^ (salt >> 29)) * 0x94D049BB133111EBu;
    return exp(known->number[STAGGERED] * (2.0 * ((double)(salt >> 40) / (double)(1 << 24)) - 1.0));
}

/* schedule/cost.py */
static double
cost(const Batch *batch, const State *state)
{
    const double *wish = batch->wish;
    if (wish[BYTES_WEIGHT] == 0.0 && wish[RESPONSE_WEIGHT] == 0.0) return 1.0;
    double share = ((double)state->changes + 0.5) / ((double)state->gaps + 1.0);
    float size = state->size_bytes / (float)wish[MEAN_SIZE_BYTES];
    return 1.0 + (double)((float)wish[BYTES_WEIGHT] * size) * share + (double)((float)wish[RESPONSE_WEIGHT] * size * state->response_s);
}

static double
value(double survival, double area, double days, double harmonic)
{
    return area - days * survival + harmonic * (days - area);
}

/* Whether the price is reached at all. */
static int
is_reached(const Batch *batch, const Ahead *ahead, double price)
{
    double faded[RATES], gone[RATES], days = batch->most_days;
    faded_after(faded, ahead->decay, days);
    for (int one = 0; one < RATES; one++) gone[one] = ahead->share[one] * (faded[one] - 1.0) / ahead->decay[one];
    return value(dot(ahead->share, faded), sum_of(gone), days, batch->wish[HARMONIC]) >= price;
}

/* The x with V(x) = price, by steps of Newton on the logarithms (schedule/index.py, days_until). */
static double
days_until(const Batch *batch, const Ahead *ahead, double price)
{
    double harmonic = batch->wish[HARMONIC], low = log(1e-4), high = batch->log_most_days, wished = log(larger(price, LEAST_PROBABILITY));
    double part[RATES], falling[RATES], faded[RATES];
    for (int one = 0; one < RATES; one++) {
        part[one] = ahead->share[one] / ahead->decay[one];
        falling[one] = ahead->share[one] * ahead->decay[one];
    }
    double whole = sum_of(part), rate = larger(-sum_of(falling), 1e-9);
    double at = smaller(larger(0.5 * (wished + log(2.0 / (1.0 + harmonic) / rate)), low), high);
    int is_enough = 0;
    for (int step = 0; step < STEPS; step++) {
        double days = exp(at), before = at;
        faded_after(faded, ahead->decay, days);
        double survival = dot(ahead->share, faded), area = dot(part, faded) - whole;
        double found = larger(value(survival, area, days, harmonic), LEAST_PROBABILITY);
        if (found >= price) {
            high = at;
            is_enough = 1;
        } else low = at;
        double slope = days * (harmonic * (1.0 - survival) - days * dot(falling, faded));
        double next = at + (wished - log(found)) * found / larger(slope, LEAST_PROBABILITY);
        at = next > low - SAME && next < high + SAME ? next : 0.5 * (low + high);
        if (fabs(at - before) < SMALL_STEP) break;
    }
    return is_enough || is_reached(batch, ahead, price) ? smaller(exp(at), batch->most_days) : batch->most_days;
}

/* V where somebody speaks of the site's pages (schedule/index.py, value_told). */
static double
value_told(const double *belief, const Heard *heard, double days, double harmonic)
{
    double any[RATES], told[RATES], gain[RATES], most = -Py_HUGE_VAL;
    for (int one = 0; one < RATES; one++) {
        any[one] = heard->spoke[one] - heard->silent[one] * days;
        most = larger(most, any[one]);
    }
    for (int one = 0; one < RATES; one++) {
        double sure = exp(smaller(-known->rate[one] * days - any[one], 0.0));
        sure = smaller(larger(sure, LEAST_PROBABILITY), 1.0 - 1e-12);
        double nats = -log(sure), area = days * (1.0 - sure) / nats;
        told[one] = belief[one] * exp(any[one] - most);
        gain[one] = (1.0 - sure - sure * nats) / known->rate[one] + harmonic * (days - area);
    }
    normalise(told);
    return dot(told, gain);
}

/* Where that reaches the price, by halving in the logarithm. */
static double
days_until_told(const Batch *batch, const double *belief, const Heard *heard, double price)
{
    double low = log(1e-4), high = batch->log_most_days;
    for (int step = 0; step < HALVINGS; step++) {
        double middle = 0.5 * (low + high);
        if (value_told(belief, heard, exp(middle), batch->wish[HARMONIC]) >= price) high = middle;
        else low = middle;
    }
    return exp(high);
}

static double
days_of(const Batch *batch, const Pace *pace, Py_ssize_t row, double price)
{
    Ahead ahead;
    look_ahead(&ahead, &batch->states[row], &batch->laws, batch->group[row]);
    if (!pace->is_speaking) return days_until(batch, &ahead, price);
    Heard heard;
    take_heed(&heard, &pace->believed, batch->notices + row * batch->trust.sources);
    return days_until_told(batch, ahead.belief, &heard, price);
}

/* The hour, not before now, at which so many operational days have passed (estimate/tempo.py, moment_after). */
static double
moment_after(const Batch *batch, const Pace *pace, double begin, double days)
{
    const double *mean = batch->tempo.mean + pace->site * batch->tempo.columns;
    double now = batch->wish[NOW] / HOUR_S, first = 1.0 - (now - floor(now));
    double left = larger(days - (reading(&batch->tempo, mean, now) - reading(&batch->tempo, mean, begin)), 0.0), whole = floor(left);
    int step = 0;
    while (step < HOURS - 1 && pace->passed[step] < left - whole) step++;
    double speed = pace->speed[step], before = pace->passed[step] - speed;
    double part = smaller(larger((left - whole - before) / larger(speed, 1e-12), 0.0), 1.0);
    return now + 24.0 * whole + (step == 0 ? part * first : first + (double)step - 1.0 + part);
}

/* schedule/bounds.py */
static double
bounded(const Batch *batch, double gap_s, double luck)
{
    const double *wish = batch->wish;
    if (gap_s <= wish[CEILING_S]) return larger(gap_s, wish[FLOOR_S]);
    return wish[SPREAD_FROM_S] + luck * (wish[CEILING_S] - wish[SPREAD_FROM_S]);
}

/* The value at which a page is due. */
static double
asked_of(const Batch *batch, Py_ssize_t row)
{
    const State *state = &batch->states[row];
    double price = batch->wish[PRICE] + batch->server_price[row];
    return price * cost(batch, state) * staggered(state) / larger(batch->importance[row], 1e-6);
}

static int
is_plain(const Batch *batch, const State *state, int64_t group)
{
    if (group < 0 || group >= batch->laws.groups) return 0;
    int64_t site = batch->laws.site[group];
    return site >= 0 && site < batch->tempo.sites && isfinite(state->seen_at) && state->size_bytes >= 0.0f && state->size_bytes < 1e18f;
}

/* How many gaps are left to NumPy: of these pages it is not a number. */
static Py_ssize_t
find_all(const Batch *batch)
{
    Py_ssize_t left = 0;
    Pace pace = {.site = -1};
    for (Py_ssize_t row = 0; row < batch->pages; row++) {
        const State *state = &batch->states[row];
        int64_t group = batch->group[row];
        int is_odd = !is_plain(batch, state, group);
        if (!is_odd && batch->laws.site[group] != pace.site) take_pace(batch, &pace, batch->laws.site[group]);
        if (is_odd || (pace.is_rhythmic && !pace.is_speaking && !explores(state))) {
            batch->gaps_s[row] = Py_NAN;
            left++;
            continue;
        }
        double asked = asked_of(batch, row);
        double seen_hour = (state->seen_at > 0.0 ? state->seen_at : batch->wish[NOW]) / HOUR_S;
        double due_hour = moment_after(batch, &pace, seen_hour, days_of(batch, &pace, row, asked));
        batch->gaps_s[row] = bounded(batch, (due_hour - seen_hour) * HOUR_S, batch->luck[row]);
    }
    return left;
}

/* What a visit of each page is worth, in units of its price, if it has changed for sure (schedule/value.py, worth_if_changed). */
static Py_ssize_t
weigh_all(const Batch *batch)
{
    Py_ssize_t left = 0;
    double now = batch->wish[NOW] / HOUR_S, harmonic = batch->wish[HARMONIC];
    for (Py_ssize_t row = 0; row < batch->pages; row++) {
        const State *state = &batch->states[row];
        if (!is_plain(batch, state, batch->group[row])) {
            batch->gaps_s[row] = Py_NAN;
            left++;
            continue;
        }
        const double *mean = batch->tempo.mean + batch->laws.site[batch->group[row]] * batch->tempo.columns;
        double days = larger(reading(&batch->tempo, mean, now) - reading(&batch->tempo, mean, state->seen_at / HOUR_S), 1e-6);
        double sure = LEAST_PROBABILITY, nats = -log(sure), area = days * (1.0 - sure) / nats, gain[RATES];
        Ahead ahead;
        look_ahead(&ahead, state, &batch->laws, batch->group[row]);
        for (int one = 0; one < RATES; one++) gain[one] = (1.0 - sure - sure * nats) / known->rate[one] + harmonic * (days - area);
        batch->gaps_s[row] = dot(ahead.belief, gain) / asked_of(batch, row);
    }
    return left;
}

static int
take_wishes(PyObject *wishes, Batch *batch)
{
    if (!PyTuple_CheckExact(wishes) || PyTuple_GET_SIZE(wishes) != WISHES) return 0;
    for (int one = 0; one < WISHES; one++) {
        batch->wish[one] = PyFloat_AsDouble(PyTuple_GET_ITEM(wishes, one));
        if (PyErr_Occurred()) return 0;
    }
    batch->most_days = batch->wish[CEILING_S] / DAY_S;
    batch->log_most_days = log(batch->most_days);
    return batch->wish[NOW] >= 0.0 && batch->wish[NOW] < 1e15 && isfinite(batch->log_most_days);
}

static PyObject *
each(PyObject *const *given, Py_ssize_t count, Py_ssize_t (*find)(const Batch *))
{
    enum { STATES, IMPORTANCE, LUCK, SERVER_PRICE, GROUP, NOTICES, LAWS, GROUP_SITE, ORIGIN, LAID, SITES, MEAN, WEIGHT, RHYTHM, TRUST, WISHED, GAPS, ARGUMENTS };
    if (count != ARGUMENTS || !known->clocks) return PyErr_Format(PyExc_TypeError, "seventeen arguments are wanted, after a call of estimating");
    Batch batch = {.tempo = {PyFloat_AsDouble(given[ORIGIN]), PyLong_AsSsize_t(given[LAID]), PyLong_AsSsize_t(given[SITES]), 0, NULL}};
    if (PyErr_Occurred()) return NULL;
    Held held = {.count = 0};
    void *states = NULL;
    batch.pages = hold_any(&held, given[STATES], 's', READ, &states);
    batch.states = states;
    Py_ssize_t pages = batch.pages, sites = batch.tempo.sites;
    int is_given = pages > 0 && take_wishes(given[WISHED], &batch) && hold_mean(&held, given[MEAN], &batch.tempo) &&
                   (batch.importance = hold(&held, given[IMPORTANCE], 'd', pages, READ)) != NULL &&
                   (batch.luck = hold(&held, given[LUCK], 'd', pages, READ)) != NULL &&
                   (batch.server_price = hold(&held, given[SERVER_PRICE], 'd', pages, READ)) != NULL &&
                   (batch.group = hold(&held, given[GROUP], 'q', pages, READ)) != NULL &&
                   (batch.gaps_s = hold(&held, given[GAPS], 'd', pages, WRITE)) != NULL &&
                   (batch.weight = hold(&held, given[WEIGHT], 'd', known->clocks * sites, READ)) != NULL &&
                   (batch.rhythm = hold(&held, given[RHYTHM], 'd', 24 * sites, READ)) != NULL &&
                   hold_laws(&held, given[LAWS], given[GROUP_SITE], &batch.laws) && hold_trust(&held, given[TRUST], sites, READ, &batch.trust) &&
                   (batch.notices = hold(&held, given[NOTICES], 'q', pages * batch.trust.sources, READ)) != NULL;
    PyObject *answer = PyErr_Occurred() ? NULL : is_given ? PyLong_FromSsize_t(find(&batch)) : Py_NewRef(Py_None);
    let_go(&held);
    return answer;
}

/* next_gaps(states, importance, luck, server_price, group, notices, laws, group_site, origin, laid, sites, mean, weight, rhythm,
 * trust, wishes, gaps_s) -> how many of them are not a number, since they are left to NumPy; None: all of them. Gaps are written to. */
PyObject *
native_next_gaps(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    return each(given, count, find_all);
}

/* worths(the same) -> the same, but what visits are worth is written to */
PyObject *
native_worths(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    return each(given, count, weigh_all);
}
