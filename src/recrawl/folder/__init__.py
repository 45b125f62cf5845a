"""The folder that holds everything a crawl knows: settings, site files, state, archive, log.

What comes in is a path; what goes out is what lies there, opened: settings read once, the store behind them (a file,
or the database they name), the lock between two runs. Nothing here crawls. `moving` and `backup` take a whole folder
elsewhere.
"""
