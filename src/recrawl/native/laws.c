/* What is worked out when something new is met: what follows from the law of a group (estimate/bayes.py, `prepare`), and the clocks
 * of sites, hour by hour (estimate/tempo.py, `with_elapsed`).
 */
#include "estimate.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_SWEEPS 60

static const Constants *const known = &constants_of_estimate;

static PyObject *
room_for(Py_ssize_t numbers, double **to)
{
    PyObject *room = PyByteArray_FromStringAndSize(NULL, numbers * (Py_ssize_t)sizeof(double));
    if (room != NULL) *to = (double *)(void *)PyByteArray_AS_STRING(room);
    return room;
}

/* ---- laws ------------------------------------------------------------------------------------------------------------ */

static void
turn(double *one, double *other, double sine, double cosine)
{
    double before = *one;
    *one = cosine * before - sine * *other;
    *other = sine * before + cosine * *other;
}

/* One rotation of Jacobi's, that makes a cell beside the diagonal zero. */
static void
rotate(double matrix[RATES][RATES], double vectors[RATES][RATES], int one, int other)
{
    double apart = (matrix[other][other] - matrix[one][one]) / (2.0 * matrix[one][other]);
    double tangent = (apart < 0.0 ? -1.0 : 1.0) / (fabs(apart) + sqrt(apart * apart + 1.0));
    double cosine = 1.0 / sqrt(tangent * tangent + 1.0), sine = tangent * cosine, moved = tangent * matrix[one][other];
    matrix[one][one] -= moved;
    matrix[other][other] += moved;
    matrix[one][other] = matrix[other][one] = 0.0;
    for (int row = 0; row < RATES; row++) {
        turn(&vectors[row][one], &vectors[row][other], sine, cosine);
        if (row == one || row == other) continue;
        turn(&matrix[row][one], &matrix[row][other], sine, cosine);
        matrix[one][row] = matrix[row][one];
        matrix[other][row] = matrix[row][other];
    }
}

/* Eigenvalues on the diagonal, eigenvectors in the columns. */
static void
diagonalise(double matrix[RATES][RATES], double vectors[RATES][RATES])
{
    for (int row = 0; row < RATES; row++)
        for (int column = 0; column < RATES; column++) vectors[row][column] = row == column ? 1.0 : 0.0;
    int is_done = 0;
    for (int sweep = 0; sweep < MOST_SWEEPS && !is_done; sweep++) {
        is_done = 1;
        for (int one = 0; one < RATES; one++)
            for (int other = one + 1; other < RATES; other++) {
                double large = sqrt(fabs(matrix[one][one] * matrix[other][other]));
                if (fabs(matrix[one][other]) <= 0.5 * DBL_EPSILON * large) continue;
                rotate(matrix, vectors, one, other);
                is_done = 0;
            }
    }
}

/* In ascending order of the eigenvalues, as LAPACK has them. */
static void
prepare(const double *law, double *root, double *decay, double *modes, double *mass)
{
    double matrix[RATES][RATES], vectors[RATES][RATES], switches = known->number[SWITCH_PER_DAY];
    int order[RATES];
    for (int row = 0; row < RATES; row++) root[row] = sqrt(law[row]);
    for (int row = 0; row < RATES; row++)
        for (int column = 0; column < RATES; column++)
            matrix[row][column] = switches * root[row] * root[column] - (row == column ? known->rate[row] + switches : 0.0);
    diagonalise(matrix, vectors);
    for (int one = 0; one < RATES; one++) {
        int place = one;
        while (place > 0 && matrix[order[place - 1]][order[place - 1]] > matrix[one][one]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = one;
    }
    for (int one = 0; one < RATES; one++) {
        decay[one] = matrix[order[one]][order[one]];
        mass[one] = 0.0;
        for (int row = 0; row < RATES; row++) {
            modes[row * RATES + one] = vectors[row][order[one]];
            mass[one] += vectors[row][order[one]] * root[row];
        }
    }
}

/* prepared(laws) -> root, decay, modes and mass of each group; None: laws they are not */
PyObject *
native_prepared(PyObject *module, PyObject *laws)
{
    if (!known->clocks) return PyErr_Format(PyExc_TypeError, "call estimating first");
    Held held = {.count = 0};
    void *law = NULL;
    Py_ssize_t cells = hold_any(&held, laws, 'd', READ, &law), groups = cells / RATES;
    PyObject *parts[4] = {NULL, NULL, NULL, NULL}, *answer = NULL;
    double *root, *decay, *modes, *mass;
    int is_plain = cells >= 0 && cells % RATES == 0;
    for (Py_ssize_t one = 0; is_plain && one < cells; one++) is_plain = ((double *)law)[one] > 0.0 && isfinite(((double *)law)[one]);
    if (!is_plain) answer = PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    else if ((parts[0] = room_for(cells, &root)) && (parts[1] = room_for(cells, &decay)) && (parts[2] = room_for(cells * RATES, &modes)) &&
             (parts[3] = room_for(cells, &mass))) {
        for (Py_ssize_t group = 0; group < groups; group++) {
            Py_ssize_t at = group * RATES;
            prepare((double *)law + at, root + at, decay + at, modes + at * RATES, mass + at);
        }
        answer = PyTuple_Pack(4, parts[0], parts[1], parts[2], parts[3]);
    }
    for (int part = 0; part < 4; part++) Py_XDECREF(parts[part]);
    let_go(&held);
    return answer;
}

/* ---- clocks ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    Py_ssize_t sites, columns, last, origin;
    const double *rhythm, *proof, *doubt;
    const float *activity;
} Given;

/* How likely each clock of a site is after its predictions (estimate/tempo.py, _earned). */
static void
earn(const Given *given, Py_ssize_t site, double *weight)
{
    double most = -Py_HUGE_VAL, sum = 0.0;
    for (Py_ssize_t clock = 0; clock < known->clocks; clock++) most = larger(most, given->proof[clock * given->sites + site] - given->doubt[clock]);
    for (Py_ssize_t clock = 0; clock < known->clocks; clock++) {
        double likely = exp(given->proof[clock * given->sites + site] - given->doubt[clock] - most);
        weight[clock * given->sites + site] = likely;
        sum += likely;
    }
    for (Py_ssize_t clock = 0; clock < known->clocks; clock++) weight[clock * given->sites + site] /= sum;
}

static void
run(const Given *given, Py_ssize_t clock, Py_ssize_t site, double *elapsed)
{
    Py_ssize_t row = clock * given->sites + site, hour = given->origin % 24;
    double days = 0.0, share = known->rhythm_share[clock];
    elapsed[0] = 0.0;
    for (Py_ssize_t column = 0; column < given->last; column++, hour = (hour + 1) % 24) {
        double activity = column < given->columns ? (double)given->activity[row * given->columns + column] : 1.0;
        days += (1.0 + share * (given->rhythm[site * 24 + hour] - 1.0)) * activity / 24.0;
        elapsed[column + 1] = days;
    }
}

static void
lay_out(const Given *given, double *elapsed, double *weight, double *mean)
{
    Py_ssize_t width = given->last + 1;
    memset(mean, 0, (size_t)(given->sites * width) * sizeof(double));
    for (Py_ssize_t site = 0; site < given->sites; site++) {
        earn(given, site, weight);
        for (Py_ssize_t clock = 0; clock < known->clocks; clock++) {
            double *row = elapsed + (clock * given->sites + site) * width, *to = mean + site * width, share = weight[clock * given->sites + site];
            run(given, clock, site, row);
            for (Py_ssize_t column = 0; column < width; column++) to[column] += share * row[column];
        }
    }
}

/* laid_out(rhythm, activity of as many hours as are known, proof, doubts, origin, last) -> elapsed, weight, mean; None: it is not plain */
PyObject *
native_laid_out(PyObject *module, PyObject *arguments)
{
    PyObject *rhythm, *activity, *proof, *doubts, *parts[3] = {NULL, NULL, NULL}, *answer = NULL;
    Given given;
    if (!PyArg_ParseTuple(arguments, "OOOOnn", &rhythm, &activity, &proof, &doubts, &given.origin, &given.last)) return NULL;
    if (!known->clocks) return PyErr_Format(PyExc_TypeError, "call estimating first");
    Held held = {.count = 0};
    void *found = NULL;
    double *elapsed, *weight, *mean;
    Py_ssize_t hours = hold_any(&held, rhythm, 'd', READ, &found), cells = -1, rows;
    given.rhythm = found;
    given.sites = hours / 24;
    rows = given.sites * known->clocks;
    if (hours > 0 && hours % 24 == 0 && given.origin >= 0 && given.last >= 1 && given.last < 100000) cells = hold_any(&held, activity, 'f', READ, &found);
    given.activity = found;
    int is_plain = cells >= 0 && cells % rows == 0 && (given.proof = hold(&held, proof, 'd', rows, READ)) != NULL &&
                   (given.doubt = hold(&held, doubts, 'd', known->clocks, READ)) != NULL;
    given.columns = is_plain ? cells / rows : 0;
    if (!is_plain) answer = PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    else if ((parts[0] = room_for(rows * (given.last + 1), &elapsed)) && (parts[1] = room_for(rows, &weight)) &&
             (parts[2] = room_for(given.sites * (given.last + 1), &mean))) {
        lay_out(&given, elapsed, weight, mean);
        answer = PyTuple_Pack(3, parts[0], parts[1], parts[2]);
    }
    for (int part = 0; part < 3; part++) Py_XDECREF(parts[part]);
    let_go(&held);
    return answer;
}

/* ---- due times ------------------------------------------------------------------------------------------------------- */

/* due_again(states, gaps, moments of the visits, from which gap on to the second) -> due times. The gaps are noted in the states. */
PyObject *
native_due_again(PyObject *module, PyObject *arguments)
{
    PyObject *states, *gaps, *moments, *answer = NULL;
    double whole_from_s, *due_at;
    if (!PyArg_ParseTuple(arguments, "OOOd", &states, &gaps, &moments, &whole_from_s)) return NULL;
    Held held = {.count = 0};
    void *found = NULL;
    Py_ssize_t pages = hold_any(&held, states, 's', WRITE, &found);
    State *state = found;
    const double *gap_s = pages < 0 ? NULL : hold(&held, gaps, 'd', pages, READ), *at = gap_s == NULL ? NULL : hold(&held, moments, 'd', pages, READ);
    if (at == NULL) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a gap and a moment for every state are wanted");
    } else if ((answer = room_for(pages, &due_at)) != NULL)
        for (Py_ssize_t row = 0; row < pages; row++) {
            double due = at[row] + gap_s[row];
            state[row].gap_s = (float)gap_s[row];
            due_at[row] = gap_s[row] < whole_from_s ? due : trunc(due);
        }
    let_go(&held);
    return answer;
}
