"""What others say of pages: evidence with a learnt trust, never a command.

Comes in: S4's mails (`mailbox`, `mail`), webhooks, IndexNow and WebSub (`webhook`, `indexnow`, `websub`), sitemaps and
feeds read again (`signals`). Goes out: `Claim`s that were checked to come from whoever may make them, then a decision
(`apply`) what to save and which pages to visit, and after the visit what each notice proved to be (`outcome`, `trust`).

    registrations   which servers were asked to tell us (S4)      client   asking them

Always holds: a claim speaks only of the server that made it; it can make a page of a wanted site due, and nothing else;
a deletion is only checked sooner, the server itself must say it; who lies is soon not listened to.
"""
