/* recrawl.native._native: the compiled part of recrawl, one function a file. */
#include "met.h"
#include "native.h"

static PyMethodDef METHODS[] = {
    {"answering", native_answering, METH_VARARGS, "What `not_modified` makes."},
    {"arrived", native_arrived, METH_VARARGS, "The classes that `sighted`, `checked`, `confirmed_run` and `saved_by` read and make."},
    {"captured", native_captured, METH_VARARGS, "The classes that `unchanged_run` reads and makes."},
    {"checked", native_checked, METH_VARARGS, "Pages after a 304; None in their place: what is not so plain."},
    {"condition_lines", (PyCFunction)(void (*)(void))native_condition_lines, METH_FASTCALL, "The conditions of a request; None: they are not so plain."},
    {"confirmed", (PyCFunction)(void (*)(void))native_confirmed, METH_FASTCALL, "What a 304 proves; None: it says something else, or more."},
    {"confirmed_run", native_confirmed_run, METH_VARARGS, "Note visits, one after the other, that say no more than that a copy is what it was."},
    {"contexts", native_contexts, METH_VARARGS, "The classes that `read_page` reads and makes."},
    {"deflated", native_deflated, METH_VARARGS, "Headers as a raw deflate stream; None: too long, or more than ASCII."},
    {"ends", (PyCFunction)(void (*)(void))native_ends, METH_FASTCALL, "What two sequences begin and end with alike."},
    {"fitting_line", (PyCFunction)(void (*)(void))native_fitting_line, METH_FASTCALL, "The index line that is wanted, of sorted sidecars; None: it cannot be told."},
    {"folded_blocks", native_folded_blocks, METH_VARARGS, "Blocks as two texts are compared by them."},
    {"frame_words", native_frame_words, METH_VARARGS, "The words by which the frame of a page is known."},
    {"head", native_head, METH_O, "Status, fields and bytes of a plain head; None: it is not so plain."},
    {"is_folded", native_is_folded, METH_O, "Whether a text is printable ASCII with single blanks."},
    {"is_plain_head", native_is_plain_head, METH_VARARGS, "Whether a head can be stored as it came."},
    {"kin", native_kin, METH_VARARGS, "The class that `kin_names` reads."},
    {"kin_names", native_kin_names, METH_VARARGS, "The groups of pages; None in their place: what is not so plain."},
    {"line_key", (PyCFunction)(void (*)(void))native_line_key, METH_FASTCALL, "How the index lines of an address and a second begin; None: it is not so plain."},
    {"lines_beginning_with", native_lines_beginning_with, METH_VARARGS, "Of sorted lines those that begin with a key."},
    {"link_targets", native_link_targets, METH_VARARGS, "Where the links of a main text lead; None: it cannot be told."},
    {"linked", native_linked, METH_VARARGS, "The classes that `link_targets` reads, and what counts."},
    {"main_runs", native_main_runs, METH_O, "The main content of the runs of a page."},
    {"named_fields", native_named_fields, METH_O, "Pairs as lines of a record; None: they are not so plain."},
    {"not_modified", (PyCFunction)(void (*)(void))native_not_modified, METH_FASTCALL, "The reply that a 304 is; None: it is not so plain."},
    {"noted", native_noted, METH_VARARGS, "The classes that `packed_answers` reads."},
    {"own_line", native_own_line, METH_O, "What an index line of recrawl says; None: it is another's."},
    {"packed_answers", native_packed_answers, METH_O, "Answers as the journal keeps them; None: they are not so plain."},
    {"plain_links", native_plain_links, METH_VARARGS, "The links of anchors with plain addresses."},
    {"proving", native_proving, METH_VARARGS, "The classes that `confirmed` reads and makes."},
    {"read_page", native_read_page, METH_VARARGS, "The text of a page as its parser wrote it, and where it leads."},
    {"read_source", native_read_source, METH_VARARGS, "The same from its source; None: only its tree will tell."},
    {"replace", (PyCFunction)(void (*)(void))native_replace, METH_FASTCALL | METH_KEYWORDS, "A swift value with some fields changed."},
    {"replace_else", native_replace_else, METH_O, "What replaces fields of other values."},
    {"rows_of", native_rows_of, METH_VARARGS, "Rows of values; None: one of them is not so plain."},
    {"rows_plan", native_rows_plan, METH_VARARGS, "How values of a class become rows, and rows values."},
    {"saved_by", native_saved_by, METH_O, "What visits saved, by site; None: one of them is not so plain."},
    {"sha1_text", native_sha1_text, METH_O, "A sha1 as WARC readers write it."},
    {"sight", native_sight, METH_VARARGS, "What a page shows at first sight; None: only its tree will tell."},
    {"sighted", native_sighted, METH_VARARGS, "What was seen of pages, as columns; None: something is not so plain."},
    {"swift", native_swift, METH_VARARGS, "Have values of a class made without its constructor."},
    {"unchanged", (PyCFunction)(void (*)(void))native_unchanged, METH_FASTCALL, "The record of a 304 and its index line; None: it is not so plain."},
    {"unchanged_run", native_unchanged_run, METH_VARARGS, "The records of 304s, one after the other, and their index lines."},
    {"urlkey", native_urlkey, METH_O, "The key of an address in an index; None: it is not so plain."},
    {"urn_uuid", native_urn_uuid, METH_O, "Random bytes as the identity of a record."},
    {"values_of", native_values_of, METH_VARARGS, "Values of rows; None: one of them is not so plain."},
    {"warc_date", native_warc_date, METH_O, "A moment with microseconds; None: it is not so plain."},
    {"write_in_order", native_write_in_order, METH_VARARGS, "Hand the sorted lines of a buffer on, many at once."},
    {"without_none", native_without_none, METH_VARARGS, "Rows with something else for None; None: they are no tuples."},
    {"written_line", native_written_line, METH_VARARGS, "An index line; None: a value needs an escape."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "recrawl.native._native", .m_doc = "The compiled part of recrawl.", .m_size = -1,
    .m_methods = METHODS,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    archive_prepare();
    links_prepare();
    pack_prepare();
    sight_prepare();
    unchanged_prepare();
    urlkey_prepare();
    words_prepare();
    PyObject *module = PyModule_Create(&MODULE);
    if (module == NULL || head_prepare() < 0 || PyModule_AddType(module, &MetType) < 0 || PyModule_AddType(module, &HeadLinesType) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
