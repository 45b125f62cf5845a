/* Frozen values made at the price of tuples: a class that was given to `swift` is called without an `__init__` between,
 * its slots filled where they lie, and `replace` copies them. Whatever is not plain (an argument too many, one that is
 * missing) goes the usual way, which knows how to complain.
 */
#include "native.h"

#include <structmember.h>

#define MOST_CLASSES 4096

typedef struct {
    PyTypeObject *type;
    Py_ssize_t count, required;
    PyObject *names;     /* of the fields, interned */
    PyObject *defaults;  /* of those behind the required ones */
    PyObject *factories; /* beside them, None: none */
    Py_ssize_t *offsets; /* of the slots */
} Plan;

/* Where the slot of a name lies in the values of a class; negative with an exception: it has none. */
Py_ssize_t
slot_named(PyTypeObject *type, const char *name)
{
    PyObject *descriptor = PyObject_GetAttrString((PyObject *)type, name);
    if (descriptor == NULL) return -1;
    int is_slot = Py_IS_TYPE(descriptor, &PyMemberDescr_Type);
    Py_ssize_t offset = is_slot ? ((PyMemberDescrObject *)descriptor)->d_member->offset : -1;
    Py_DECREF(descriptor);
    if (!is_slot) PyErr_Format(PyExc_TypeError, "%s has no slot %s", type->tp_name, name);
    return offset;
}

static Plan plans[MOST_CLASSES]; /* by address of the class; classes are never let go */
static int planned;

static Plan *
plan_of(PyTypeObject *type)
{
    size_t at = ((size_t)type >> 4) % MOST_CLASSES;
    while (plans[at].type != NULL && plans[at].type != type) at = (at + 1) % MOST_CLASSES;
    return &plans[at];
}

static PyObject **
slot(PyObject *value, const Plan *plan, Py_ssize_t field)
{
    return (PyObject **)((char *)value + plan->offsets[field]);
}

static Py_ssize_t
field_named(const Plan *plan, PyObject *name)
{
    for (Py_ssize_t field = 0; field < plan->count; field++)
        if (PyTuple_GET_ITEM(plan->names, field) == name) return field;
    for (Py_ssize_t field = 0; field < plan->count; field++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(plan->names, field), name) == 0) return field;
    return -1;
}

static PyObject *
the_usual_way(PyTypeObject *type, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *made = NULL, *given = PyTuple_New(count), *named = names ? PyDict_New() : NULL;
    if (given == NULL || (names && named == NULL)) goto done;
    for (Py_ssize_t at = 0; at < count; at++) PyTuple_SET_ITEM(given, at, Py_NewRef(arguments[at]));
    for (Py_ssize_t at = 0; names && at < PyTuple_GET_SIZE(names); at++)
        if (PyDict_SetItem(named, PyTuple_GET_ITEM(names, at), arguments[count + at]) < 0) goto done;
    made = PyType_Type.tp_call((PyObject *)type, given, named);
done:
    Py_XDECREF(given);
    Py_XDECREF(named);
    return made;
}

static PyObject *
make(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names)
{
    PyTypeObject *type = (PyTypeObject *)callable;
    const Plan *plan = plan_of(type);
    Py_ssize_t count = PyVectorcall_NARGS(flags), named = names ? PyTuple_GET_SIZE(names) : 0;
    if (count > plan->count) return the_usual_way(type, arguments, count, names);
    PyObject *value = type->tp_alloc(type, 0);
    if (value == NULL) return NULL;
    for (Py_ssize_t at = 0; at < count; at++) *slot(value, plan, at) = Py_NewRef(arguments[at]);
    for (Py_ssize_t at = 0; at < named; at++) {
        Py_ssize_t field = field_named(plan, PyTuple_GET_ITEM(names, at));
        if (field < count || *slot(value, plan, field) != NULL) goto other;
        *slot(value, plan, field) = Py_NewRef(arguments[count + at]);
    }
    for (Py_ssize_t field = count; field < plan->count; field++) {
        PyObject **here = slot(value, plan, field);
        if (*here != NULL) continue;
        if (field < plan->required) goto other;
        PyObject *factory = PyTuple_GET_ITEM(plan->factories, field - plan->required);
        *here = factory == Py_None ? Py_NewRef(PyTuple_GET_ITEM(plan->defaults, field - plan->required))
                                   : PyObject_CallNoArgs(factory);
        if (*here == NULL) {
            Py_DECREF(value);
            return NULL;
        }
    }
    return value;
other:
    Py_DECREF(value);
    return the_usual_way(type, arguments, count, names);
}

/* swift(class, names, required, defaults, factories) */
PyObject *
native_swift(PyObject *module, PyObject *arguments)
{
    PyTypeObject *type;
    PyObject *names, *defaults, *factories;
    Py_ssize_t required;
    if (!PyArg_ParseTuple(arguments, "O!O!nO!O!", &PyType_Type, &type, &PyTuple_Type, &names, &required, &PyTuple_Type,
                          &defaults, &PyTuple_Type, &factories))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(names);
    if (planned > MOST_CLASSES / 2 || required < 0 || PyTuple_GET_SIZE(defaults) != count - required ||
        PyTuple_GET_SIZE(factories) != count - required || !(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        PyErr_SetString(PyExc_ValueError, "not a class that can be made swift, or one too many");
        return NULL;
    }
    Py_ssize_t *offsets = PyMem_Calloc((size_t)count + 1, sizeof(Py_ssize_t));
    if (offsets == NULL) return PyErr_NoMemory();
    for (Py_ssize_t field = 0; field < count; field++) {
        PyObject *descriptor = PyDict_GetItemWithError(type->tp_dict, PyTuple_GET_ITEM(names, field));
        if (descriptor == NULL || !Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) {
            PyMem_Free(offsets);
            if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s has no slot for each field", type->tp_name);
            return NULL;
        }
        offsets[field] = ((PyMemberDescrObject *)descriptor)->d_member->offset;
    }
    Plan *plan = plan_of(type);
    if (plan->type == NULL) planned++;
    Plan old = *plan; /* of a class that is given again, as `swift` does with those of `values.dataclass` */
    *plan = (Plan){(PyTypeObject *)Py_NewRef(type), count, required, Py_NewRef(names), Py_NewRef(defaults), Py_NewRef(factories), offsets};
    type->tp_vectorcall = make;
    Py_XDECREF(old.type);
    Py_XDECREF(old.names);
    Py_XDECREF(old.defaults);
    Py_XDECREF(old.factories);
    PyMem_Free(old.offsets);
    Py_RETURN_NONE;
}

static PyObject *usual_replace; /* for values of other classes, and to complain about unknown fields */

PyObject *
native_replace_else(PyObject *module, PyObject *usual)
{
    Py_XSETREF(usual_replace, Py_NewRef(usual));
    Py_RETURN_NONE;
}

static PyObject *
replaced_as_usual(PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    if (usual_replace != NULL) return PyObject_Vectorcall(usual_replace, arguments, (size_t)count, names);
    PyErr_SetString(PyExc_RuntimeError, "call replace_else first");
    return NULL;
}

/* The same value once more, to be changed before anybody sees it; NULL without an exception: its class is not swift. */
PyObject *
value_copied(PyObject *old)
{
    const Plan *plan = plan_of(Py_TYPE(old));
    PyObject *fresh = plan->type == NULL ? NULL : plan->type->tp_alloc(plan->type, 0);
    for (Py_ssize_t field = 0; fresh != NULL && field < plan->count; field++) *slot(fresh, plan, field) = Py_XNewRef(*slot(old, plan, field));
    return fresh;
}

/* replace(value, **changes) */
PyObject *
native_replace(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    const Plan *plan = count == 1 ? plan_of(Py_TYPE(arguments[0])) : NULL;
    if (plan == NULL || plan->type == NULL) return replaced_as_usual(arguments, count, names);
    PyObject *old = arguments[0];
    PyObject *fresh = plan->type->tp_alloc(plan->type, 0);
    if (fresh == NULL) return NULL;
    for (Py_ssize_t at = 0; names && at < PyTuple_GET_SIZE(names); at++) {
        Py_ssize_t field = field_named(plan, PyTuple_GET_ITEM(names, at));
        if (field < 0) {
            Py_DECREF(fresh);
            return replaced_as_usual(arguments, count, names);
        }
        *slot(fresh, plan, field) = Py_NewRef(arguments[1 + at]);
    }
    for (Py_ssize_t field = 0; field < plan->count; field++) {
        PyObject **here = slot(fresh, plan, field);
        if (*here == NULL) *here = Py_XNewRef(*slot(old, plan, field));
    }
    return fresh;
}
