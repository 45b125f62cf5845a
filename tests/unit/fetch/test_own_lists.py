"""Reading `own`: authorities, hosts and networks."""

import pytest

from recrawl.model.ownership import owns, split_authority

COVERED = [
    ("127.0.0.1:8800", "127.0.0.1", 8800, "127.0.0.1"),
    ("127.0.0.1:8800", "127.0.0.1", 8800, ""),
    ("intranet.example", "intranet.example", 80, "10.0.0.1"),
    ("intranet.example", "INTRANET.example", 8443, "10.0.0.1"),
    ("intranet.example", "intranet.example.", 80, "10.0.0.1"),
    ("Intranet.Example.:443", "intranet.example", 443, "10.0.0.1"),
    ("10.0.0.0/8", "some.example", 80, "10.9.9.9"),
    ("10.0.0.0/8", "10.9.9.9", 80, ""),
    ("10.1.2.3/8", "some.example", 80, "10.9.9.9"),
    ("10.0.0.0/8", "some.example", 80, "::ffff:10.0.0.1"),
    ("fd00::/8", "some.example", 80, "fd12::1"),
    ("[::1]:8800", "::1", 8800, "::1"),
    ("[::1]:8800", "[::1]", 8800, "::1"),
    ("::1", "[0:0:0:0:0:0:0:1]", 80, "::1"),
    ("[::1]", "::1", 80, "::1"),
    (" 127.0.0.1 ", "127.0.0.1", 1, "127.0.0.1"),
]

NOT_COVERED = [
    ("127.0.0.1:8800", "127.0.0.1", 8801, "127.0.0.1"),
    ("127.0.0.1:8800", "127.0.0.2", 8800, "127.0.0.2"),
    ("127.0.0.1:8800", "rebind.example", 8800, "127.0.0.1"),
    ("127.0.0.1", "rebind.example", 80, "127.0.0.1"),
    ("intranet.example", "www.intranet.example", 80, "10.0.0.1"),
    ("intranet.example", "notintranet.example", 80, "10.0.0.1"),
    ("intranet.example:443", "intranet.example", 80, "10.0.0.1"),
    ("10.0.0.0/8", "some.example", 80, "11.0.0.1"),
    ("10.0.0.0/8", "10.0.0.1", 80, "11.0.0.1"),
    ("10.0.0.0/8", "some.example", 80, ""),
    ("10.0.0.0/99", "some.example", 80, "10.0.0.1"),
    ("", "some.example", 80, "10.0.0.1"),
    ("*", "some.example", 80, "10.0.0.1"),
    ("http://some.example", "some.example", 80, "10.0.0.1"),
    ("some.example:http", "some.example", 80, "10.0.0.1"),
]


@pytest.mark.parametrize(("entry", "host", "port", "ip"), COVERED)
def test_an_entry_covers_what_it_names(entry: str, host: str, port: int, ip: str) -> None:
    assert owns([entry], host, port, ip)


@pytest.mark.parametrize(("entry", "host", "port", "ip"), NOT_COVERED)
def test_an_entry_covers_nothing_else(entry: str, host: str, port: int, ip: str) -> None:
    assert not owns([entry], host, port, ip)


def test_one_entry_of_many_is_enough() -> None:
    assert owns(["a.example", "10.0.0.0/8", "127.0.0.1:1"], "x.example", 80, "10.0.0.1")
    assert not owns([], "127.0.0.1", 80, "127.0.0.1")


def test_an_authority_is_split_into_host_and_port() -> None:
    assert split_authority("host.example:81") == ("host.example", 81)
    assert split_authority("[::1]:81") == ("::1", 81)
    assert split_authority("host.example") == ("host.example", None)
