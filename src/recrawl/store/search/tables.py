"""The tables of the search index, in a file of its own: whoever indexes never holds up whoever crawls, and the file can
be thrown away. It has no migrations: another SCHEMA, or words cut by another knife, and it is made anew.

`word` is the inverted file alone (FTS5 without content); `body` keeps the texts packed, for snippets and because FTS5
must be told what it forgets; `doc` is what a document is. Their numbers are the same.
"""

from recrawl.model.search import Part

SCHEMA = 1
PARTS = tuple(Part)
COLUMNS = ("page", "at", "until_at", "url", "site", "kind", "category", "language", "changed_at", "title")

CREATE = (
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS doc (
        number INTEGER PRIMARY KEY, page INTEGER NOT NULL, at REAL NOT NULL, until_at REAL, url TEXT NOT NULL,
        site TEXT NOT NULL, kind TEXT NOT NULL, category TEXT NOT NULL, language TEXT NOT NULL,
        changed_at REAL NOT NULL, title TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX IF NOT EXISTS doc_page ON doc (page, at)",
    "CREATE INDEX IF NOT EXISTS doc_changed ON doc (changed_at, number)",
    "CREATE INDEX IF NOT EXISTS doc_shelf ON doc (site, category)",
    "CREATE TABLE IF NOT EXISTS body (number INTEGER PRIMARY KEY, texts BLOB NOT NULL)",
    f"CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5 ({', '.join(PARTS)}, content='', tokenize='ascii')",
)

_PLACES = ", ".join("?" for _ in PARTS)
_NAMES = ", ".join(PARTS)

META = "SELECT number FROM meta WHERE name = ?"
PUT_META = "INSERT INTO meta (name, number) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET number = excluded.number"
NUMBERS_OF_PAGE = "SELECT number FROM doc WHERE page = ?"
NUMBERS_OF_VERSION = "SELECT number FROM doc WHERE page = ? AND at = ?"
BODY = "SELECT texts FROM body WHERE number = ?"
ADD_DOC = f"INSERT INTO doc ({', '.join(COLUMNS)}) VALUES ({', '.join('?' for _ in COLUMNS)}) RETURNING number"
ADD_BODY = "INSERT INTO body (number, texts) VALUES (?, ?)"
ADD_WORDS = f"INSERT INTO word (rowid, {_NAMES}) VALUES (?, {_PLACES})"
FORGET_WORDS = f"INSERT INTO word (word, rowid, {_NAMES}) VALUES ('delete', ?, {_PLACES})"
FORGET_DOC = "DELETE FROM doc WHERE number = ?"
FORGET_BODY = "DELETE FROM body WHERE number = ?"
CLOSE = "UPDATE doc SET until_at = ? WHERE page = ? AND at < ? AND (until_at IS NULL OR until_at > ?)"
NEXT_AT = "SELECT min(at) FROM doc WHERE page = ? AND at > ?"
SHELVES = "SELECT site, category, count(*) FROM doc GROUP BY site, category ORDER BY site, category"
COUNT = "SELECT count(*) FROM doc"

_DOC = ", ".join(f"doc.{name}" for name in COLUMNS)
# Of what is found by words: the numbers are chosen in the inverted file alone, and `doc` is asked about these few; only
# conditions on documents need it for all.
_CHOSEN = """SELECT {doc}, doc.number, score FROM (
        SELECT word.rowid AS found, -bm25(word, {{weights}}) AS score FROM word{{join}}
        WHERE word MATCH ?{{conditions}} ORDER BY {order} LIMIT ? OFFSET ?
    ) JOIN doc ON doc.number = found ORDER BY {outer}"""
RANKED = _CHOSEN.format(doc=_DOC, order="score DESC, word.rowid DESC", outer="score DESC, found DESC")
NEWEST = _CHOSEN.format(doc=_DOC, order="word.rowid DESC", outer="found DESC")
COUNTED = "SELECT count(*) FROM word{join} WHERE word MATCH ?{conditions}"
JOIN = " JOIN doc ON doc.number = word.rowid"
# Of what is found by what it is.
LISTED = f"""SELECT {_DOC}, doc.number, 0.0 FROM doc WHERE 1{{conditions}}
    ORDER BY doc.changed_at DESC, doc.number DESC LIMIT ? OFFSET ?"""
LISTED_COUNT = "SELECT count(*) FROM doc WHERE 1{conditions}"
WITHOUT = "doc.number NOT IN (SELECT rowid FROM word WHERE word MATCH ?)"
