"""The index that makes the store's pages findable, kept beside it: it can be thrown away and made again.

In come documents and questions as `index` understands them; out go hits in the order of their rank. The same questions
bring the same hits in the same order from plain dicts (`memory`), SQLite (`sqlite`) and PostgreSQL (`postgres`); what
a question is in the words of each stands in `match` and `postgres_match`.
"""
