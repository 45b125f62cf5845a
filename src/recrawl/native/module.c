/* recrawl.native._native: the compiled part of recrawl, one function a file. */
#include "met.h"
#include "native.h"

static PyMethodDef METHODS[] = {
    {"answering", native_answering, METH_VARARGS, "What `not_modified`, `came_whole` and `told` make."},
    {"alike", native_alike, METH_VARARGS, "How many pages stand in each way; None: one of them is not so plain."},
    {"answered", (PyCFunction)(void (*)(void))native_answered, METH_FASTCALL, "The reply that a plain 304 is, or what else has come over a connection."},
    {"arrived", native_arrived, METH_VARARGS, "The classes that `sighted`, `checked`, `confirmed_run`, `first_noted` and `saved_by` read and make."},
    {"beside", (PyCFunction)(void (*)(void))native_beside, METH_FASTCALL, "What two versions of a page say and differ in; None: only their trees will tell."},
    {"bindable", native_bindable, METH_VARARGS, "Rows of values that a database driver takes as they are; None: a row is no tuple."},
    {"came_whole", (PyCFunction)(void (*)(void))native_came_whole, METH_FASTCALL, "The reply that a small document is; None: it is not so plain."},
    {"captured", native_captured, METH_VARARGS, "The classes that `unchanged_run` reads and makes."},
    {"checked", native_checked, METH_VARARGS, "Pages after a 304 or a new version; None in their place: what is not so plain."},
    {"clean_behind", native_clean_behind, METH_VARARGS, "Addresses behind an origin that are clean at a glance."},
    {"condition_lines", (PyCFunction)(void (*)(void))native_condition_lines, METH_FASTCALL, "The conditions of a request; None: they are not so plain."},
    {"confirmed", (PyCFunction)(void (*)(void))native_confirmed, METH_FASTCALL, "What a 304 proves; None: it says something else, or more."},
    {"confirmed_run", native_confirmed_run, METH_VARARGS, "Note visits, one after the other, that say no more than that a copy is what it was."},
    {"contexts", native_contexts, METH_VARARGS, "The classes that `read_page` reads and makes."},
    {"deflated", native_deflated, METH_VARARGS, "Headers as a raw deflate stream; None: too long, or more than ASCII."},
    {"due_again", native_due_again, METH_VARARGS, "Due times after gaps, which are noted in the states."},
    {"ends", (PyCFunction)(void (*)(void))native_ends, METH_FASTCALL, "What two sequences begin and end with alike."},
    {"estimating", native_estimating, METH_VARARGS, "The constants that `folded` and `next_gaps` go by."},
    {"first_noted", (PyCFunction)(void (*)(void))native_first_noted, METH_FASTCALL, "Note a visit that says that a page is new and nothing else."},
    {"fitting_line", (PyCFunction)(void (*)(void))native_fitting_line, METH_FASTCALL, "The index line that is wanted, of sorted sidecars; None: it cannot be told."},
    {"folded", (PyCFunction)(void (*)(void))native_folded, METH_FASTCALL, "Fold verdicts into beliefs; None: they are not so plain."},
    {"folded_blocks", native_folded_blocks, METH_VARARGS, "Blocks as two texts are compared by them."},
    {"frame_words", native_frame_words, METH_VARARGS, "The words by which the frame of a page is known."},
    {"head", native_head, METH_O, "Status, fields and bytes of a plain head; None: it is not so plain."},
    {"header_value", (PyCFunction)(void (*)(void))native_header_value, METH_FASTCALL, "The first value of a header; None: they are not so plain."},
    {"header_values", (PyCFunction)(void (*)(void))native_header_values, METH_FASTCALL, "All values of a header; None: they are not so plain."},
    {"is_folded", native_is_folded, METH_O, "Whether a text is printable ASCII with single blanks."},
    {"is_plain_head", native_is_plain_head, METH_VARARGS, "Whether a head can be stored as it came."},
    {"joined_lines", native_joined_lines, METH_VARARGS, "Sorted index lines with more of them."},
    {"is_plain_request", native_is_plain_request, METH_VARARGS, "Whether a request can be stored as it was sent."},
    {"keeper", native_keeper, METH_O, "A function that puts what it is called with on a list, as a row."},
    {"kin", native_kin, METH_VARARGS, "The class that `kin_names` reads."},
    {"kin_names", native_kin_names, METH_VARARGS, "The groups of pages; None in their place: what is not so plain."},
    {"laid_out", native_laid_out, METH_VARARGS, "The clocks of sites, hour by hour; None: they are not so plain."},
    {"line_key", (PyCFunction)(void (*)(void))native_line_key, METH_FASTCALL, "How the index lines of an address and a second begin; None: it is not so plain."},
    {"lines_beginning_with", native_lines_beginning_with, METH_VARARGS, "Of sorted lines those that begin with a key."},
    {"lines_of", native_lines_of, METH_VARARGS, "Where the index lines of a key lie, of sorted ones."},
    {"link_targets", native_link_targets, METH_VARARGS, "Where the links of a main text lead; None: it cannot be told."},
    {"linked", native_linked, METH_VARARGS, "The classes that `link_targets` reads, and what counts."},
    {"main_runs", native_main_runs, METH_O, "The main content of the runs of a page."},
    {"measured", (PyCFunction)(void (*)(void))native_measured, METH_FASTCALL, "How many bytes an answer has that begins so; 0: it is odd."},
    {"named_fields", native_named_fields, METH_O, "Pairs as lines of a record; None: they are not so plain."},
    {"next_gaps", (PyCFunction)(void (*)(void))native_next_gaps, METH_FASTCALL, "Gaps until another visit is worth its price; NaN: of a page that is not so plain."},
    {"not_modified", (PyCFunction)(void (*)(void))native_not_modified, METH_FASTCALL, "The reply that a 304 is; None: it is not so plain."},
    {"noted", native_noted, METH_VARARGS, "The classes that `packed_answers` reads."},
    {"own_line", native_own_line, METH_O, "What an index line of recrawl says; None: it is another's."},
    {"packed_answers", native_packed_answers, METH_O, "Answers as the journal keeps them; None: they are not so plain."},
    {"plain_head", (PyCFunction)(void (*)(void))native_plain_head, METH_FASTCALL, "The head of a request; None: it is not so plain."},
    {"plain_links", native_plain_links, METH_VARARGS, "The links of anchors with plain addresses."},
    {"prepared", native_prepared, METH_O, "What follows from laws; None: they are not so plain."},
    {"proving", native_proving, METH_VARARGS, "The classes that `confirmed` reads and makes."},
    {"raw_request", (PyCFunction)(void (*)(void))native_raw_request, METH_FASTCALL, "The head of a GET; None: it is not so plain."},
    {"read_page", native_read_page, METH_VARARGS, "The text of a page as its parser wrote it, and where it leads."},
    {"read_source", native_read_source, METH_VARARGS, "The same from its source; None: only its tree will tell."},
    {"received", native_received, METH_O, "What has come over a connection."},
    {"record_parts", native_record_parts, METH_O, "The fields and the block of a WARC record; None: it is not so plain."},
    {"replace", (PyCFunction)(void (*)(void))native_replace, METH_FASTCALL | METH_KEYWORDS, "A swift value with some fields changed."},
    {"replace_else", native_replace_else, METH_O, "What replaces fields of other values."},
    {"responded", (PyCFunction)(void (*)(void))native_responded, METH_FASTCALL, "The records of a whole response and its index line; None: it is not so plain."},
    {"response_told", native_response_told, METH_O, "What the record of a response says; None: it is not so plain, or no response."},
    {"responding", native_responding, METH_VARARGS, "The classes that `responded` reads, and what it asks."},
    {"rows_of", native_rows_of, METH_VARARGS, "Rows of values; None: one of them is not so plain."},
    {"rows_plan", native_rows_plan, METH_VARARGS, "How values of a class become rows, and rows values."},
    {"saved_by", native_saved_by, METH_O, "What visits saved, by site; None: one of them is not so plain."},
    {"sent", (PyCFunction)(void (*)(void))native_sent, METH_FASTCALL, "How much went out over a connection."},
    {"sha1_text", native_sha1_text, METH_O, "A sha1 as WARC readers write it."},
    {"side_by_side", (PyCFunction)(void (*)(void))native_side_by_side, METH_FASTCALL, "What differs in the main content of two versions; None: only reading both will tell."},
    {"sight", native_sight, METH_VARARGS, "What a page shows at first sight; None: only its tree will tell."},
    {"sighted", native_sighted, METH_VARARGS, "What was seen of pages, as columns; None: something is not so plain."},
    {"stand_alike", native_stand_alike, METH_VARARGS, "Whether the same links stand in two texts; False: perhaps."},
    {"swift", native_swift, METH_VARARGS, "Have values of a class made without its constructor."},
    {"tag_letters", native_tag_letters, METH_O, "How many tags a source has, and how they begin; None: it is not so plain."},
    {"told", (PyCFunction)(void (*)(void))native_told, METH_FASTCALL, "The reply that a measured answer is; None: it is not so plain."},
    {"unchanged", (PyCFunction)(void (*)(void))native_unchanged, METH_FASTCALL, "The record of a 304 and its index line; None: it is not so plain."},
    {"unchanged_run", native_unchanged_run, METH_VARARGS, "The records of 304s, one after the other, and their index lines."},
    {"unmet_items", (PyCFunction)(void (*)(void))native_unmet_items, METH_FASTCALL, "Items that may lead to where no other led."},
    {"unpacked", native_unpacked, METH_O, "What a gzip member of ours holds; None: it is another's."},
    {"urlkey", native_urlkey, METH_O, "The key of an address in an index; None: it is not so plain."},
    {"urn_uuids", native_urn_uuids, METH_O, "Random bytes as identities of records, sixteen for each."},
    {"values_of", native_values_of, METH_VARARGS, "Values of rows; None: one of them is not so plain."},
    {"warc_date", native_warc_date, METH_O, "A moment with microseconds; None: it is not so plain."},
    {"write_in_order", native_write_in_order, METH_VARARGS, "Hand the sorted lines of a buffer on, many at once."},
    {"worths", (PyCFunction)(void (*)(void))native_worths, METH_FASTCALL, "What visits of changed pages are worth; NaN: of a page that is not so plain."},
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
