/* What the policy by value believes of pages, read where it lies: packed states, and the knowledge that they are read by. */
#ifndef RECRAWL_ESTIMATE_H
#define RECRAWL_ESTIMATE_H

#include "native.h"

#define RATES 12
#define MOST_CLOCKS 8
#define MOST_SOURCES 16
#define HOUR_S 3600.0
#define DAY_S 86400.0
#define LEAST_PROBABILITY 1e-300

static inline double
larger(double one, double other)
{
    return one > other ? one : other;
}

static inline double
smaller(double one, double other)
{
    return one < other ? one : other;
}

/* model/belief.py, STATE */
typedef struct {
    double seen_at, watched_s, quiet_s;
    float gap_s, shortest_s, size_bytes, response_s;
    uint32_t gaps, changes;
    uint8_t weights[RATES];
    uint32_t memory;
} State;
_Static_assert(sizeof(State) == 64, "a state is 64 bytes");

/* What `estimating` is given: the constants of estimate/ and schedule/, in this order. */
enum {
    SWITCH_PER_DAY, MOST_NATS, REACH, CLOCK_FORGETS, TRUST_FORGETS, MOST_RECALL, DEVIATIONS, PROVEN_NATS, FIRST_CHANGES, FIRST_DAYS,
    NEXT_TO_NOTHING, SPEAKING, TELLING, RHYTHM_SURE, STAGGERED, EXPLORED, NUMBERS
};

typedef struct {
    double number[NUMBERS], rate[RATES], log_rate[RATES], decoded[256], rhythm_share[MOST_CLOCKS], least_ratio;
    Py_ssize_t clocks; /* 0: nobody has called `estimating` yet */
} Constants;
extern Constants constants_of_estimate;

/* Buffers of others, until they are let go. */
#define MOST_HELD 40
typedef struct {
    Py_buffer view[MOST_HELD];
    int count;
} Held;

enum { READ, WRITE };
void *hold(Held *held, PyObject *object, char kind, Py_ssize_t items, int use);
Py_ssize_t hold_any(Held *held, PyObject *object, char kind, int use, void **found);
int hold_tuple(Held *held, PyObject *tuple, const char *kinds, Py_ssize_t items, int use, void **found);
void let_go(Held *held);

/* estimate/bayes.py, Laws */
typedef struct {
    const double *law, *root, *decay, *modes, *mass, *centre, *slope;
    const int64_t *site; /* of each group */
    Py_ssize_t groups;
} Laws;
int hold_laws(Held *held, PyObject *arrays, PyObject *group_site, Laws *laws);

/* S(x) of a page as a sum of exponentials, and what it is made of. */
typedef struct {
    double belief[RATES], amount[RATES], share[RATES];
    const double *decay;
} Ahead;

void own_law(double *law, const Laws *laws, Py_ssize_t group, float size_bytes);
void normalise(double *row);
double sum_of(const double *row);
double dot(const double *left, const double *right);
void faded_after(double *faded, const double *decay, double days);
void look_ahead(Ahead *ahead, const State *state, const Laws *laws, Py_ssize_t group);
uint64_t bits_of(double number);
uint64_t salted(double watched_s, double at);

/* estimate/tempo.py, Tempo: the clock that each site goes by */
typedef struct {
    double origin;
    Py_ssize_t laid, sites, columns;
    const double *mean;
} Tempo;
int hold_mean(Held *held, PyObject *mean, Tempo *tempo);
double reading(const Tempo *tempo, const double *row, double hour);

/* estimate/trust.py, Trust */
typedef struct {
    double *quiet_days, *quiet_notices, *found_changes, *found_days, *found_notices;
    Py_ssize_t sources;
} Trust;
int hold_trust(Held *held, PyObject *arrays, Py_ssize_t sites, int use, Trust *trust);

/* How far each source of a site is believed; `most_recall`: the share of the changes that the best of them announces. */
typedef struct {
    double recall[MOST_SOURCES], false_per_day[MOST_SOURCES], most_recall;
    Py_ssize_t sources;
} Believed;
void believe(Believed *believed, const Trust *trust, Py_ssize_t site);

/* The logarithm of how likely the notices of a page are with any number of changes, by rate: `spoke` less `silent` a day. */
typedef struct {
    double spoke[RATES], silent[RATES];
} Heard;
void take_heed(Heard *heard, const Believed *believed, const int64_t *notices);

#endif
