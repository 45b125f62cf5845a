"""S4's state machine: all events of a document since a robot's last notice, reduced to one or none.

    state 0  nothing yet            1  new                2  new, then updated     3  new, then deleted
          4  updated                5  updated, deleted   6  deleted               7  deleted, there again

Erratum: the paper's table gives nothing for a document deleted, created again and updated (state 7 by "DU"); then the
robot would keep its old copy for ever. It is an update. Strings that no tree can produce (two A in a row, after a
crash of the monitor) are read as what they say of now: after A or U the document is there, after D it is not.
"""

from collections.abc import Iterable

from recrawl.formats.his import Entry
from recrawl.model.notice import NoticeKind

A, U, D = NoticeKind.ADDED, NoticeKind.UPDATED, NoticeKind.DELETED

S4_STEPS = {
    (0, A): 1, (0, U): 4, (0, D): 6,
    (1, U): 2, (1, D): 3,
    (2, U): 2, (2, D): 3,
    (3, A): 1,
    (4, U): 4, (4, D): 5,
    (5, A): 4,
    (6, A): 7,
    (7, U): 7, (7, D): 6,
}  # fmt: skip
FORGIVEN = {
    (1, A): 2, (2, A): 2, (3, U): 1, (3, D): 3, (4, A): 4, (5, U): 4, (5, D): 5, (6, U): 7, (6, D): 6, (7, A): 7,
}  # fmt: skip
STEPS = {**S4_STEPS, **FORGIVEN}
RESULTS: dict[int, NoticeKind | None] = {0: None, 1: A, 2: A, 3: None, 4: U, 5: D, 6: D, 7: U}


def reduce_events(events: Iterable[NoticeKind]) -> NoticeKind | None:
    """None: the robot need not hear of it."""
    state = 0
    for event in events:
        state = STEPS[state, event]
    return RESULTS[state]


def summarise(entries: Iterable[Entry]) -> list[Entry]:
    """One entry a document, with its last size and date; in the order in which they were first spoken of."""
    states: dict[str, int] = {}
    newest: dict[str, Entry] = {}
    for entry in entries:
        states[entry.path] = STEPS[states.get(entry.path, 0), entry.kind]
        newest[entry.path] = entry
    told = []
    for path, state in states.items():
        kind = RESULTS[state]
        if kind is not None:
            last = newest[path]
            told.append(Entry(kind, path, last.size_bytes, last.modified_at))
    return told
