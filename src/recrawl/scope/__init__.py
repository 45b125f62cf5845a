"""What is wanted, and by what name.

In comes a link as it stands in a document; out goes the canonical address of a wanted page, or a refusal
with a short key that can be counted and one sentence that can be shown.

    canonical   any link → one spelling of its address (WHATWG parsing, then a table of rules the user can change)
    aliases     several names of one server → its main name, learnt from redirects and equal content
    rules       hosts, depth, include and exclude patterns, guards against endless address spaces
    patterns    S2: addresses with captures → page kind and category; thousands of them in one look a link
    rewrite     `javascript:` calls, `onclick` code and redirects → the addresses they stand for
    order       which page first; `lists`: where turning pages ends; `check`: what becomes of every link of a page
    learn       a sample of pages → the patterns and rewritings of an unknown site, with what it is unsure of
    robots      robots.txt by RFC 9309: may this address be asked for, and which line says so

What always holds: everything here is pure (no clock, no network); a canonical address is its own canonical
form; matching takes time proportional to the input, whatever a hostile server writes.
"""
