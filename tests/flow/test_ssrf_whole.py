"""No way a stranger has leads inside: links, redirects, sitemaps, feeds, frames, robots.txt, names that lie, callbacks.

Everything runs in a network name space without a route; a guard that failed would reach a listener on loopback.
"""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from recrawl.model.server import UNASKED


def test_a_site_that_points_inside_in_every_spelling_touches_nothing(tmp_path: Path) -> None:
    alone = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    words = [*alone, sys.executable, "-m", "tests.flow.ssrf_ground", str(tmp_path / "D")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["listening"] >= 27  # each of them answers a client that guards nothing
    assert found["spellings"] >= 70
    assert found["touched"] == []
    assert found["unsent"] == found["callbacks"] >= 70
    assert found["public"] > 0  # what is public is asked, also under a name that has inner addresses too
    assert set(found["asked"]) >= {"/", "/robots.txt", "/sitemap.xml", "/feed.xml", "/r/0"}
    with sqlite3.connect(tmp_path / "D" / "recrawl.db") as store:
        [(unasked,)] = store.execute(f"SELECT count(*) FROM robots WHERE status = {UNASKED}").fetchall()
    assert unasked >= 40  # servers that the scope let through and the guard did not
