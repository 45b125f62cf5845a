"""File names of a mirror: one an address, safe everywhere."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.exchange.export_names import LONGEST_PATH, Names

HTML = "text/html; charset=utf-8"
SAFE = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")


@pytest.mark.parametrize(
    ("url", "content_type", "path"),
    [
        ("http://a.example/", HTML, "a.example/index.html"),
        ("http://a.example:8080/news/", HTML, "a.example_8080/news/index.html"),
        ("http://a.example/news/one.html", HTML, "a.example/news/one.html"),
        ("http://a.example/news/one.htm", HTML, "a.example/news/one.htm"),
        ("http://a.example/news/one", HTML, "a.example/news/one.html"),
        ("http://a.example/news/one.php", HTML, "a.example/news/one.php.html"),
        ("http://a.example/logo.png", "image/png", "a.example/logo.png"),
        ("http://a.example/data", "application/x-odd", "a.example/data.bin"),
    ],
)
def test_a_plain_address_keeps_its_shape(url: str, content_type: str, path: str) -> None:
    assert Names().path_of(url, content_type) == path


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/../../etc/passwd",
        "http://a.example/%2e%2e/%2e%2e/x",
        "http://a.example/..\\..\\x",
        "http://a.example/.htaccess",
        "http://a.example/con",
        "http://a.example/a/NUL.txt/b",
        "http://a.example/x?../../y=1",
        "http://a.example/a\x00b",
        "http://a.example/한국/어",
        "http://../x",
        "http://a.example/" + "x" * 300,
        "http://a.example/" + "d/" * 100,
        "http://a.example//double//slash",
        "http://index.html/",
    ],
)
def test_nothing_from_outside_becomes_a_name_as_it_is(url: str) -> None:
    path = Names().path_of(url, HTML)
    assert SAFE.fullmatch(path), path
    parts = path.split("/")
    assert not {"", ".", ".."} & set(parts)
    assert not any(part.startswith(".") or part.lower().partition(".")[0] in ("con", "nul") for part in parts)
    assert path.lower() != "index.html" and parts[0].lower() != "index.html"
    assert len(path) <= LONGEST_PATH
    assert path.endswith((".html", ".htm"))


ADDRESSES = st.lists(
    st.builds("http://{}/{}".format, st.sampled_from(["a.b", "A.b"]), st.text(st.sampled_from("aA./?%_-"), max_size=6)),
    unique=True,
    max_size=30,
)


@given(ADDRESSES)
def test_no_two_addresses_share_a_file_and_no_file_is_also_a_folder(urls: list[str]) -> None:
    names = Names()
    paths = [names.path_of(url, HTML).lower() for url in urls]
    assert len(set(paths)) == len(paths)
    folders = {path[:end] for path in paths for end in range(len(path)) if path[end] == "/"}
    assert not folders & set(paths)
