"""The face in the browser: dashboard, search, differences, replay, JSON API, Atom feed, metrics.

Comes in: requests from a browser or a program, and a folder that a crawl may be writing to at the same time.
Goes out: HTML made on the server (it works without JavaScript), SVG charts, JSON described by OpenAPI, an Atom feed,
Prometheus metrics.

    sample, freshness, overview, week, figures, plan, difference   numbers: plain functions over stored values
    chart                                                          numbers → SVG
    desk                                                           the folder opened for questions
    guard                                                          who may ask what, and the security headers
    *_routes                                                       thin: ask the desk, render

Always holds: reading never disturbs the crawl; every text from a page is escaped; an archived page is shown only in a
sandbox without scripts; nothing is loaded from elsewhere; nothing is written without the token; the server binds to
loopback unless a token protects it.
"""
