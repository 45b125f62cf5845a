/* recrawl.native._native: the compiled part of recrawl, one function a file. */
#include "met.h"
#include "native.h"

static PyMethodDef METHODS[] = {
    {"frame_words", native_frame_words, METH_VARARGS, "The words by which the frame of a page is known."},
    {"head", native_head, METH_O, "Status, fields and bytes of a plain head; None: it is not so plain."},
    {"lines_beginning_with", native_lines_beginning_with, METH_VARARGS, "Of sorted lines those that begin with a key."},
    {"replace", (PyCFunction)(void (*)(void))native_replace, METH_FASTCALL | METH_KEYWORDS, "A swift value with some fields changed."},
    {"replace_else", native_replace_else, METH_O, "What replaces fields of other values."},
    {"sha1_text", native_sha1_text, METH_O, "A sha1 as WARC readers write it."},
    {"sight", native_sight, METH_VARARGS, "What a page shows at first sight; None: only its tree will tell."},
    {"swift", native_swift, METH_VARARGS, "Have values of a class made without its constructor."},
    {"urn_uuid", native_urn_uuid, METH_O, "Random bytes as the identity of a record."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "recrawl.native._native", .m_doc = "The compiled part of recrawl.", .m_size = -1,
    .m_methods = METHODS,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    sight_prepare();
    PyObject *module = PyModule_Create(&MODULE);
    if (module == NULL || head_prepare() < 0 || PyModule_AddType(module, &MetType) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
