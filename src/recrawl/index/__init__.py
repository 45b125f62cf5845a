"""Words: how a document is cut for the index, how a question is read, and what of a text is shown for an answer.

In come documents and what people type. Out go entries of the index, questions, and snippets whose hits are marked by
offsets: never markup, so whatever a page says stays text.

What always holds: document and question are cut by the same knife. Words of scripts with spaces are folded (case,
width, accents); scripts without them, and Korean, are cut into overlapping pairs of characters, so every substring of
two or more characters can be found exactly, and one character by what begins with it. `store/search*.py` keeps what
this room cuts; it never looks at the letters itself.
"""
