"""Questions put to a folder, beside a crawl that may be running.

What is kept, what is believed, what is due and why, what a budget would buy, what the words of a search find. Every
face (command line, dashboard, Python) asks here and only here, so that all give the same answer. Nothing is changed
by asking, but for the search index, which follows the crawl by a cursor of its own. `ask`, `look` and `sample` make
single polite requests outside a crawl.
"""
