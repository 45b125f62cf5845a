/* What is believed of pages, and of what lies around them (estimate/bayes.py, tempo.py, trust.py): what folding verdicts
 * (fold.c) and finding the next gap (gaps.c) share. Operations are in the order in which NumPy does them, but in products with
 * the modes and in whatever its own exponentials round otherwise.
 */
#include "estimate.h"
#include <math.h>
#include <string.h>

Constants constants_of_estimate;
static Constants *const known = &constants_of_estimate;

/* estimating(rates a day, their logarithms, what each byte of a weight means, the clocks' share of the rhythm, numbers) */
PyObject *
native_estimating(PyObject *module, PyObject *arguments)
{
    PyObject *rates, *log_rates, *decoded, *shares, *numbers;
    if (!PyArg_ParseTuple(arguments, "OOOOO!", &rates, &log_rates, &decoded, &shares, &PyTuple_Type, &numbers)) return NULL;
    Held held = {.count = 0};
    void *rate, *log_rate, *nats, *share;
    Py_ssize_t clocks = hold_any(&held, shares, 'd', READ, &share);
    int is_plain = clocks > 0 && clocks <= MOST_CLOCKS && PyTuple_GET_SIZE(numbers) == NUMBERS &&
                   (rate = hold(&held, rates, 'd', RATES, READ)) != NULL && (log_rate = hold(&held, log_rates, 'd', RATES, READ)) != NULL &&
                   (nats = hold(&held, decoded, 'd', 256, READ)) != NULL;
    for (int one = 0; is_plain && one < NUMBERS; one++) {
        known->number[one] = PyFloat_AsDouble(PyTuple_GET_ITEM(numbers, one));
        is_plain = !PyErr_Occurred();
    }
    if (is_plain) {
        memcpy(known->rate, rate, sizeof known->rate);
        memcpy(known->log_rate, log_rate, sizeof known->log_rate);
        memcpy(known->decoded, nats, sizeof known->decoded);
        memcpy(known->rhythm_share, share, (size_t)clocks * sizeof(double));
        known->least_ratio = exp(-known->number[MOST_NATS]);
        known->clocks = clocks;
    }
    let_go(&held);
    if (!is_plain) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "rates, their logarithms, 256 weights, clocks and numbers are wanted");
    Py_RETURN_NONE;
}

/* ---- buffers --------------------------------------------------------------------------------------------------------- */

static int
is_of_kind(const Py_buffer *view, char kind)
{
    const char *format = view->format;
    if (kind == 's') return 1; /* states: any bytes */
    if (format == NULL || strlen(format) != 1) return 0;
    if (*format == 'B') return 1; /* as the compiled part itself gives columns */
    return *format == kind || (kind == 'q' && *format == 'l' && sizeof(long) == 8);
}

/* Items of a contiguous buffer: d and f numbers, q whole numbers, ? truths, s states; negative: it is none, or
 * there is no memory to look at it. */
Py_ssize_t
hold_any(Held *held, PyObject *object, char kind, int use, void **found)
{
    Py_ssize_t each = kind == '?' ? 1 : kind == 'f' ? 4 : kind == 's' ? (Py_ssize_t)sizeof(State) : 8;
    Py_buffer *view = &held->view[held->count];
    int wanted = PyBUF_C_CONTIGUOUS | (kind == 's' ? 0 : PyBUF_FORMAT) | (use == WRITE ? PyBUF_WRITABLE : 0);
    if (held->count == MOST_HELD) return -1;
    if (PyObject_GetBuffer(object, view, wanted) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_MemoryError)) PyErr_Clear();
        return -1;
    }
    held->count++;
    *found = view->buf;
    int is_apt = is_of_kind(view, kind) && view->len % each == 0 && (each == 1 || !view->len || (uintptr_t)view->buf % (each == 4 ? 4 : sizeof(double)) == 0);
    return is_apt ? view->len / each : -1;
}

/* The same, of so many items; NULL: it is not so. */
void *
hold(Held *held, PyObject *object, char kind, Py_ssize_t items, int use)
{
    void *found = NULL;
    if (hold_any(held, object, kind, use, &found) != items) return NULL;
    return found == NULL ? (void *)held : found; /* of an empty one nothing is read */
}

/* One after another, each of so many items. */
int
hold_tuple(Held *held, PyObject *tuple, const char *kinds, Py_ssize_t items, int use, void **found)
{
    if (!PyTuple_CheckExact(tuple) || PyTuple_GET_SIZE(tuple) != (Py_ssize_t)strlen(kinds)) return 0;
    for (Py_ssize_t at = 0; kinds[at]; at++)
        if ((found[at] = hold(held, PyTuple_GET_ITEM(tuple, at), kinds[at], items, use)) == NULL) return 0;
    return 1;
}

void
let_go(Held *held)
{
    while (held->count > 0) PyBuffer_Release(&held->view[--held->count]);
}

/* ---- laws and beliefs ------------------------------------------------------------------------------------------------ */

int
hold_laws(Held *held, PyObject *arrays, PyObject *group_site, Laws *laws)
{
    static const int EACH[] = {RATES, RATES, RATES, RATES * RATES, RATES, 1, 1};
    const double **places[] = {&laws->law, &laws->root, &laws->decay, &laws->modes, &laws->mass, &laws->centre, &laws->slope};
    void *sites;
    laws->groups = hold_any(held, group_site, 'q', READ, &sites);
    laws->site = sites;
    if (laws->groups < 1 || !PyTuple_CheckExact(arrays) || PyTuple_GET_SIZE(arrays) != 7) return 0;
    for (int one = 0; one < 7; one++)
        if ((*places[one] = hold(held, PyTuple_GET_ITEM(arrays, one), 'd', laws->groups * EACH[one], READ)) == NULL) return 0;
    return 1;
}

/* As NumPy adds up twelve. */
double
sum_of(const double *row)
{
    double sum = ((row[0] + row[1]) + (row[2] + row[3])) + ((row[4] + row[5]) + (row[6] + row[7]));
    for (int one = 8; one < RATES; one++) sum += row[one];
    return sum;
}

double
dot(const double *left, const double *right)
{
    double product[RATES];
    for (int one = 0; one < RATES; one++) product[one] = left[one] * right[one];
    return sum_of(product);
}

void
normalise(double *row)
{
    double sum = sum_of(row);
    for (int one = 0; one < RATES; one++) row[one] /= sum;
}

/* The law of the page's group, leaning on the page's size; not normalised. */
void
own_law(double *law, const Laws *laws, Py_ssize_t group, float size_bytes)
{
    const double *of_group = laws->law + group * RATES;
    double slope = laws->slope[group], reach = known->number[REACH];
    memcpy(law, of_group, RATES * sizeof(double));
    if (slope == 0.0 || !(size_bytes > 0.0f)) return;
    double nats = log(larger((double)size_bytes, 1.0)) - laws->centre[group];
    double lean = slope * smaller(larger(nats, -reach), reach);
    for (int one = 0; one < RATES; one++) law[one] *= exp(lean * known->log_rate[one]);
}

void
faded_after(double *faded, const double *decay, double days)
{
    for (int one = 0; one < RATES; one++) faded[one] = exp(decay[one] * days);
}

/* What is believed of a page, as a sum of its group's modes. */
void
look_ahead(Ahead *ahead, const State *state, const Laws *laws, Py_ssize_t group)
{
    const double *root = laws->root + group * RATES, *mass = laws->mass + group * RATES, *mode = laws->modes + group * RATES * RATES;
    double *belief = ahead->belief, *amount = ahead->amount;
    own_law(belief, laws, group, state->size_bytes);
    for (int one = 0; one < RATES; one++) belief[one] *= known->decoded[state->weights[one]];
    normalise(belief);
    memset(amount, 0, sizeof ahead->amount);
    for (int one = 0; one < RATES; one++, mode += RATES) {
        double part = belief[one] / root[one];
        for (int other = 0; other < RATES; other++) amount[other] += part * mode[other];
    }
    for (int one = 0; one < RATES; one++) ahead->share[one] = amount[one] * mass[one];
    ahead->decay = laws->decay + group * RATES;
}

uint64_t
bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

uint64_t
salted(double watched_s, double at)
{
    return (bits_of(watched_s) * 0xD6E8FEB86659FD93u) ^ bits_of(at);
}

/* ---- clocks ---------------------------------------------------------------------------------------------------------- */

/* `origin`, `laid` and `sites` are there already. */
int
hold_mean(Held *held, PyObject *mean, Tempo *tempo)
{
    void *found;
    Py_ssize_t cells = hold_any(held, mean, 'd', READ, &found);
    if (tempo->sites < 1 || tempo->laid < 1 || cells < 0 || cells % tempo->sites) return 0;
    tempo->columns = cells / tempo->sites;
    tempo->mean = found;
    return tempo->columns > tempo->laid;
}

/* Operational days up to an hour that is finite. */
double
reading(const Tempo *tempo, const double *row, double hour)
{
    double column = hour - tempo->origin, inside = smaller(larger(column, 0.0), (double)tempo->laid);
    Py_ssize_t whole = (Py_ssize_t)inside;
    if (whole > tempo->laid - 1) whole = tempo->laid - 1;
    double low = row[whole], high = row[whole + 1];
    return low + (high - low) * (inside - (double)whole) + (column - inside) / 24.0;
}

/* ---- sources --------------------------------------------------------------------------------------------------------- */

int
hold_trust(Held *held, PyObject *arrays, Py_ssize_t sites, int use, Trust *trust)
{
    double **places[] = {&trust->quiet_days, &trust->quiet_notices, &trust->found_changes, &trust->found_days, &trust->found_notices};
    if (!PyTuple_CheckExact(arrays) || PyTuple_GET_SIZE(arrays) != 5) return 0;
    for (int one = 0; one < 5; one++) {
        void *found;
        Py_ssize_t cells = hold_any(held, PyTuple_GET_ITEM(arrays, one), 'd', use, &found);
        if (cells < sites || cells % sites || (one && cells != trust->sources * sites)) return 0;
        if ((trust->sources = cells / sites) > MOST_SOURCES) return 0;
        *places[one] = found;
    }
    return 1;
}

static double
nats_of(double spoke, double lasted, double notices, double days)
{
    double nothing = known->number[NEXT_TO_NOTHING], by_chance = notices * lasted / larger(days, nothing);
    return spoke * log(larger(spoke, nothing) / larger(by_chance, nothing));
}

static double
false_per_day(const Trust *trust, Py_ssize_t at)
{
    double days = trust->quiet_days[at] + trust->found_days[at], first_days = known->number[FIRST_DAYS];
    double any_per_day = (trust->quiet_notices[at] + trust->found_notices[at] + 0.1) / (days + 1.0);
    return (trust->quiet_notices[at] + first_days * any_per_day) / (trust->quiet_days[at] + first_days);
}

static double
recall(const Trust *trust, Py_ssize_t at)
{
    const double *number = known->number;
    double quiet = trust->quiet_notices[at], found = trust->found_notices[at], notices = quiet + found;
    double days = trust->quiet_days[at] + trust->found_days[at];
    if (found == 0.0) return 0.0; /* as nearly everywhere */
    double nats = nats_of(quiet, trust->quiet_days[at], notices, days);
    nats += nats_of(found, trust->found_days[at], notices, days);
    if (!(nats >= number[PROVEN_NATS])) return 0.0;
    double by_chance = false_per_day(trust, at) * trust->found_days[at];
    double true_notices = found - by_chance - number[DEVIATIONS] * sqrt(by_chance + 1.0);
    return smaller(larger(true_notices / (trust->found_changes[at] + number[FIRST_CHANGES]), 0.0), number[MOST_RECALL]);
}

void
believe(Believed *believed, const Trust *trust, Py_ssize_t site)
{
    believed->most_recall = 0.0;
    believed->sources = trust->sources;
    for (Py_ssize_t source = 0; source < trust->sources; source++) {
        Py_ssize_t at = site * trust->sources + source;
        believed->recall[source] = recall(trust, at);
        believed->false_per_day[source] = larger(false_per_day(trust, at), 1e-6);
        believed->most_recall = larger(believed->most_recall, believed->recall[source]);
    }
}

/* estimate/trust.py, likelihoods; `notices`: of each source, NULL: none. */
void
take_heed(Heard *heard, const Believed *believed, const int64_t *notices)
{
    memset(heard, 0, sizeof *heard);
    for (Py_ssize_t source = 0; source < believed->sources; source++) {
        double share = believed->recall[source], count = notices == NULL ? 0.0 : (double)notices[source];
        for (int one = 0; one < RATES; one++) {
            double told = share * known->rate[one];
            if (count != 0.0) heard->spoke[one] += count * log1p(told / believed->false_per_day[source]);
            heard->silent[one] += told;
        }
    }
}
