"""What belongs to the user."""

import pytest

from recrawl.model.ownership import fault_of, owns, split_authority

OWN = ("127.0.0.1:8800", "intranet.example", "10.0.0.0/8", "*.lab.example", "[::1]:9000", "fd00::/8")


@pytest.mark.parametrize(
    ("host", "port", "ip", "owned"),
    [
        ("127.0.0.1", 8800, "127.0.0.1", True),
        ("127.0.0.1", 8801, "127.0.0.1", False),
        ("evil.example", 8800, "127.0.0.1", False),
        ("intranet.example", 80, "192.168.0.1", True),
        ("Intranet.Example.", 8443, None, True),
        ("sub.intranet.example", 80, "10.1.1.1", True),  # by its network
        ("sub.intranet.example", 80, "192.168.0.1", False),
        ("10.2.3.4", 80, None, True),
        ("10.2.3.4", 80, "11.0.0.1", False),  # what is connected to decides
        ("anything.example", 80, "::ffff:10.2.3.4", True),
        ("a.lab.example", 80, "192.168.0.1", True),
        ("lab.example", 80, "192.168.0.1", False),
        ("[::1]", 9000, "::1", True),
        ("0:0:0:0:0:0:0:1", 9000, "::1", True),
        ("::1", 80, "::1", False),
        ("x.example", 80, "fd12::1", True),
        ("x.example", 80, "8.8.8.8", False),
        ("x.example", None, None, False),
    ],
)
def test_an_entry_owns_a_name_a_name_and_port_or_a_network(
    host: str, port: int | None, ip: str | None, owned: bool
) -> None:
    assert owns(OWN, host, port, ip) is owned


def test_nothing_is_owned_by_default() -> None:
    assert not owns((), "127.0.0.1", 80, "127.0.0.1")


@pytest.mark.parametrize(
    ("entry", "parts"),
    [
        ("a.example", ("a.example", None)),
        ("A.example:81", ("a.example", 81)),
        ("[::1]:81", ("::1", 81)),
        ("::1", ("::1", None)),
        ("fe80::1:80", ("fe80::1:80", None)),
    ],
)
def test_an_authority_is_split_at_its_port(entry: str, parts: tuple[str, int | None]) -> None:
    assert split_authority(entry) == parts


@pytest.mark.parametrize("entry", OWN)
def test_a_good_entry_has_no_fault(entry: str) -> None:
    assert fault_of(entry) == ""


@pytest.mark.parametrize(
    "entry", ["", "*", "http://a.example/", "10.0.0.0/99", "a b", "a.example:99999", "a.example:0"]
)
def test_a_bad_entry_says_what_to_write(entry: str) -> None:
    assert fault_of(entry).startswith("is n")
