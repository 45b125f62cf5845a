/* What the files of the compiled part know of each other. */
#ifndef RECRAWL_NATIVE_H
#define RECRAWL_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "texts are looked at eight bytes at a time, the first one lowest: elsewhere recrawl does everything in Python"
#endif

extern PyTypeObject HeadLinesType;

int head_prepare(void);
void archive_prepare(void);
void links_prepare(void);
void pack_prepare(void);
void sight_prepare(void);
void unchanged_prepare(void);
void urlkey_prepare(void);
void words_prepare(void);
Py_ssize_t slot_named(PyTypeObject *type, const char *name);
PyObject *value_copied(PyObject *old);
/* The main content of a list of runs, borrowed, into a row with room for all of them; how many. Negative with an exception. */
Py_ssize_t main_kept(PyObject *runs, PyObject **kept);
/* The fields of a head that lies there whole, as a tuple; NULL, with or without an exception: it is not so plain. */
PyObject *head_told(const char *at, const char *end, int *status);
/* The same of a head that came over the wire, not out of the archive. */
PyObject *head_came(const char *at, const char *end, int *status);
int tag_is_block(const char *name, size_t length);
/* What the functions of the module give that they are named after (`sight.c`, `sides.c`, `links.c`). */
PyObject *source_read(PyObject *source, Py_ssize_t most_tags, PyObject *body, PyObject *child_of, Py_ssize_t caption_letters, PyObject *beside);
PyObject *sides_told(PyObject *old_runs, PyObject *new_runs, PyObject *items, PyObject *fold);
PyObject *items_unmet(PyObject *items, PyObject *origin, PyObject *is_origin, Py_ssize_t most_chars, PyObject *met);
PyObject *native_answering(PyObject *module, PyObject *arguments);
PyObject *native_arrived(PyObject *module, PyObject *arguments);
PyObject *native_came_whole(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_captured(PyObject *module, PyObject *arguments);
PyObject *native_alike(PyObject *module, PyObject *arguments);
PyObject *native_checked(PyObject *module, PyObject *arguments);
PyObject *native_clean_behind(PyObject *module, PyObject *arguments);
PyObject *native_confirmed(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_confirmed_run(PyObject *module, PyObject *arguments);
PyObject *native_condition_lines(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_contexts(PyObject *module, PyObject *arguments);
PyObject *native_ends(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_estimating(PyObject *module, PyObject *arguments);
PyObject *native_folded(PyObject *module, PyObject *const *given, Py_ssize_t count);
PyObject *native_next_gaps(PyObject *module, PyObject *const *given, Py_ssize_t count);
PyObject *native_worths(PyObject *module, PyObject *const *given, Py_ssize_t count);
PyObject *native_prepared(PyObject *module, PyObject *laws);
PyObject *native_laid_out(PyObject *module, PyObject *arguments);
PyObject *native_due_again(PyObject *module, PyObject *arguments);
PyObject *native_deflated(PyObject *module, PyObject *arguments);
PyObject *native_first_noted(PyObject *module, PyObject *const *given, Py_ssize_t count);
PyObject *native_fitting_line(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_folded_blocks(PyObject *module, PyObject *arguments);
PyObject *native_head(PyObject *module, PyObject *lines);
PyObject *native_header_value(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_header_values(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_is_folded(PyObject *module, PyObject *text);
PyObject *native_not_modified(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_measured(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_noted(PyObject *module, PyObject *arguments);
PyObject *native_packed_answers(PyObject *module, PyObject *came);
PyObject *native_plain_head(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_own_line(PyObject *module, PyObject *line);
PyObject *native_is_plain_head(PyObject *module, PyObject *arguments);
PyObject *native_is_plain_request(PyObject *module, PyObject *arguments);
PyObject *native_main_runs(PyObject *module, PyObject *runs);
PyObject *native_named_fields(PyObject *module, PyObject *pairs);
PyObject *native_kin(PyObject *module, PyObject *arguments);
PyObject *native_kin_names(PyObject *module, PyObject *arguments);
PyObject *native_joined_lines(PyObject *module, PyObject *arguments);
PyObject *native_lines_of(PyObject *module, PyObject *arguments);
PyObject *native_line_key(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_link_targets(PyObject *module, PyObject *arguments);
PyObject *native_record_parts(PyObject *module, PyObject *data);
PyObject *native_unpacked(PyObject *module, PyObject *member);
PyObject *native_stand_alike(PyObject *module, PyObject *arguments);
PyObject *native_linked(PyObject *module, PyObject *arguments);
PyObject *native_plain_links(PyObject *module, PyObject *arguments);
PyObject *native_lines_beginning_with(PyObject *module, PyObject *arguments);
PyObject *native_proving(PyObject *module, PyObject *arguments);
PyObject *native_raw_request(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_read_page(PyObject *module, PyObject *arguments);
PyObject *native_read_source(PyObject *module, PyObject *arguments);
PyObject *native_response_told(PyObject *module, PyObject *data);
PyObject *native_responded(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_responding(PyObject *module, PyObject *arguments);
PyObject *native_saved_by(PyObject *module, PyObject *arrivals);
PyObject *native_sha1_text(PyObject *module, PyObject *digest);
PyObject *native_unchanged(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_unchanged_run(PyObject *module, PyObject *arguments);
PyObject *native_unmet_items(PyObject *module, PyObject *const *given, Py_ssize_t count);
PyObject *native_urlkey(PyObject *module, PyObject *url);
PyObject *native_urn_uuids(PyObject *module, PyObject *random);
PyObject *native_frame_words(PyObject *module, PyObject *arguments);
PyObject *native_bindable(PyObject *module, PyObject *arguments);
PyObject *native_beside(PyObject *module, PyObject *const *given, Py_ssize_t count);
PyObject *native_side_by_side(PyObject *module, PyObject *const *given, Py_ssize_t count);
PyObject *native_sighted(PyObject *module, PyObject *arguments);
PyObject *native_sight(PyObject *module, PyObject *arguments);
PyObject *native_answered(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_told(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_tag_letters(PyObject *module, PyObject *source);
PyObject *native_warc_date(PyObject *module, PyObject *moment);
PyObject *native_write_in_order(PyObject *module, PyObject *arguments);
PyObject *native_written_line(PyObject *module, PyObject *arguments);
PyObject *native_rows_of(PyObject *module, PyObject *arguments);
PyObject *native_sent(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *native_received(PyObject *module, PyObject *descriptor);
PyObject *native_keeper(PyObject *module, PyObject *heap);
PyObject *native_rows_plan(PyObject *module, PyObject *arguments);
PyObject *native_values_of(PyObject *module, PyObject *arguments);
PyObject *native_swift(PyObject *module, PyObject *arguments);
PyObject *native_replace_else(PyObject *module, PyObject *usual);
PyObject *native_replace(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#endif
