"""Detect: compare what came back with what is kept, and say what the visit proved.

In comes a page, the reply to one request and the document read from it; out goes a `Verdict`: new, same, changed (how
much), moved, gone, or unknown. `verdict.py` is the way in: `at_once` for what needs no reading, `quick` for what
needs no earlier version, `thorough` with the earlier version, `judge_second_look` after asking again.

Always holds: a failed or broken answer is no evidence and never replaces a good copy; gone is said only after two
404 or 410 in a row; a document compared with itself is the same; what is known to be noise never decides; everything
here is pure, and its cost stays near linear in the size of the pages, whatever they contain.
"""
