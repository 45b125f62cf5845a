"""Those who tell us, and those whom we tell.

In: pushes (IndexNow, WebSub, webhooks) and S4's mails, from the bytes of a stranger to claims in the store. Out:
webhooks, signed, in order, at least once. A receiver never asks a web server anything: what a message makes necessary
is an errand of the crawl.
"""
