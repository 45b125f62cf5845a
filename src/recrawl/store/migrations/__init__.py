"""How older stores become new ones: Alembic's environment and one revision for each change of `tables.py`.

A new store never comes this way, it is made as `tables.py` says; a test holds both ways to the same schema.
A new revision goes into `versions/` and to the end of `tables.REVISIONS`.
"""
