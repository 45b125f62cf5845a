/* What a connection of our own sends and receives (fetch/line.py). It never waits, so nobody else need be let at the
 * interpreter meanwhile: letting go of it and taking it back costs as much as the way into the system. */
#include "native.h"

#ifdef _WIN32

PyObject *
native_sent(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    Py_RETURN_NONE;
}

PyObject *
native_received(PyObject *module, PyObject *descriptor)
{
    Py_RETURN_NONE;
}

#else

#include <errno.h>
#include <sys/socket.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* Python has the signal ignored */
#endif

#define AT_ONCE 65536

/* sent(descriptor, data) -> how many bytes of it went out. Raises what a socket's `send` raises. */
PyObject *
native_sent(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2 || !PyBytes_CheckExact(arguments[1])) return PyErr_Format(PyExc_TypeError, "a descriptor and bytes are wanted");
    int wire = (int)PyLong_AsLong(arguments[0]);
    if (wire < 0 && PyErr_Occurred()) return NULL;
    ssize_t sent;
    do sent = send(wire, PyBytes_AS_STRING(arguments[1]), (size_t)PyBytes_GET_SIZE(arguments[1]), MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR && PyErr_CheckSignals() == 0);
    if (sent < 0) return PyErr_Occurred() ? NULL : PyErr_SetFromErrno(PyExc_OSError);
    return PyLong_FromSsize_t(sent);
}

/* received(descriptor) -> what has come, up to 64 KB; nothing at its end. Raises what a socket's `recv` raises. */
PyObject *
native_received(PyObject *module, PyObject *descriptor)
{
    static char room[AT_ONCE]; /* the interpreter is ours until it is copied */
    int wire = (int)PyLong_AsLong(descriptor);
    if (wire < 0 && PyErr_Occurred()) return NULL;
    ssize_t came;
    do came = recv(wire, room, sizeof(room), MSG_DONTWAIT);
    while (came < 0 && errno == EINTR && PyErr_CheckSignals() == 0);
    if (came < 0) return PyErr_Occurred() ? NULL : PyErr_SetFromErrno(PyExc_OSError);
    return PyBytes_FromStringAndSize(room, came);
}

#endif
