"""Reads a document: the bytes of an answer come in, a `Document` goes out.

The way of the data: `mime` says what kind of thing it is, `charset` turns the bytes into text, a parser behind the
facade `html` (turbohtml, or lexbor as its twin) turns the text into a tree, and `links`, `text`, `main` and
`template` read the tree. `document` holds them together: `parse` gives a `Parsed` that reads what
is asked of it and no more, `read` gives the whole `Document`; `parse` beside another version reads what both share
only once (`text_written`). Two are in front of the tree, compiled, and say None where they are not certain: `sight`
looks at a new page without one, `page_read` reads text and links of a changed page in one pass. `records_page` opens
a page for its records: `records` reads the fields of a site file, typed by `values`, and `structured` what the page
says of itself; both stand on turbohtml's own tree, which has CSS, XPath and microdata.

What always holds: nothing here touches a clock, a disk or a network; equal bytes give equal documents; a broken
document never raises but gives what could be read; the work grows in proportion to the bytes, whatever they are.
"""
