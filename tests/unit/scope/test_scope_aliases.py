"""Several names, one server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.address import Address
from recrawl.scope.aliases import (
    REMEMBERED_PATHS,
    AliasEvidence,
    AliasTable,
    AliasVerdict,
    decide,
    main_of_pair,
    saw_copies,
    saw_redirect,
    twin,
)
from recrawl.scope.domains import Domains

DOMAINS = Domains()
PATHS = ("/a", "/b", "/c", "/d", "/e")


def redirects(alias: str, main: str, paths: tuple[str, ...] = PATHS[:3]) -> AliasEvidence:
    evidence = AliasEvidence(alias, main)
    for path in paths:
        evidence = saw_redirect(evidence, f"http://{alias}{path}", f"https://{main}{path}")
    return evidence


def copies(alias: str, main: str, equal: int, different: int = 0) -> AliasEvidence:
    evidence = AliasEvidence(alias, main)
    for number in range(equal):
        evidence = saw_copies(evidence, f"/same{number}", b"x", b"x")
    for number in range(different):
        evidence = saw_copies(evidence, f"/other{number}", b"x", b"y")
    return evidence


def verdict(evidence: AliasEvidence) -> AliasVerdict:
    return decide(evidence, DOMAINS).verdict


# evidence


def test_redirects_path_by_path_prove_an_alias_even_across_domains() -> None:
    decision = decide(redirects("old.example.org", "new.example.com"), DOMAINS)
    assert decision.verdict is AliasVerdict.FOUND
    assert (decision.alias, decision.main) == ("old.example.org", "new.example.com")
    assert "3 paths" in decision.sentence


def test_two_redirects_are_not_enough_nor_is_the_root() -> None:
    assert verdict(redirects("www.a.com", "a.com", ("/x", "/y"))) is AliasVerdict.NOT_YET
    assert verdict(redirects("www.a.com", "a.com", ("/", "/x", "/y"))) is AliasVerdict.NOT_YET


def test_the_same_redirect_seen_again_is_not_more_evidence() -> None:
    assert verdict(redirects("www.a.com", "a.com", ("/x", "/x", "/x", "/x"))) is AliasVerdict.NOT_YET


def test_redirecting_everything_to_the_front_page_proves_no_alias() -> None:
    evidence = AliasEvidence("www.a.com", "a.com")
    for path in PATHS:
        evidence = saw_redirect(evidence, f"http://www.a.com{path}", "http://a.com/")
    assert verdict(evidence) is AliasVerdict.CONTRADICTED


def test_a_move_within_the_alias_says_nothing_about_names() -> None:
    evidence = redirects("www.a.com", "a.com")
    assert saw_redirect(evidence, "http://www.a.com/z", "https://www.a.com/z") == evidence
    assert saw_redirect(evidence, "http://elsewhere.com/z", "http://a.com/z") == evidence


def test_the_query_is_part_of_the_path() -> None:
    evidence = saw_redirect(AliasEvidence("www.a.com", "a.com"), "http://www.a.com/x?q=1", "http://a.com/x")
    assert not evidence.redirected
    assert evidence.astray


@pytest.mark.parametrize(
    ("alias", "main", "expected"),
    [
        ("www.a.com", "a.com", AliasVerdict.FOUND),
        ("mirror.a.co.uk", "a.co.uk", AliasVerdict.FOUND),
        ("www.a.com:8080", "a.com:8080", AliasVerdict.FOUND),
        ("a.co.uk", "b.co.uk", AliasVerdict.NOT_YET),
        ("a.com", "b.com", AliasVerdict.NOT_YET),
        ("one.github.io", "two.github.io", AliasVerdict.NOT_YET),
        ("127.0.0.1", "127.0.0.2", AliasVerdict.NOT_YET),
    ],
)
def test_equal_pages_prove_an_alias_only_within_a_domain(alias: str, main: str, expected: AliasVerdict) -> None:
    assert verdict(copies(alias, main, equal=4)) is expected


def test_equal_pages_of_unrelated_domains_count_once_a_redirect_links_them() -> None:
    linked = saw_redirect(copies("a.com", "b.com", equal=4), "http://a.com/x", "http://b.com/x")
    assert verdict(linked) is AliasVerdict.FOUND


@pytest.mark.parametrize(
    ("equal", "different", "expected"),
    [
        (3, 0, AliasVerdict.NOT_YET),
        (4, 1, AliasVerdict.FOUND),
        (4, 2, AliasVerdict.NOT_YET),
        (8, 2, AliasVerdict.FOUND),
        (0, 3, AliasVerdict.CONTRADICTED),
        (8, 3, AliasVerdict.CONTRADICTED),
    ],
)
def test_a_page_that_differs_weighs_as_much_as_four_that_do_not(
    equal: int, different: int, expected: AliasVerdict
) -> None:
    assert verdict(copies("www.a.com", "a.com", equal, different)) is expected


def test_equal_front_pages_and_missing_answers_are_no_evidence() -> None:
    evidence = AliasEvidence("www.a.com", "a.com")
    assert saw_copies(evidence, "/x", b"", b"") == evidence
    for _ in range(9):
        evidence = saw_copies(evidence, "/", b"x", b"x")
    assert verdict(evidence) is AliasVerdict.NOT_YET


@given(st.lists(st.tuples(st.text("ab/", max_size=6), st.booleans()), max_size=60))
def test_evidence_does_not_grow_without_end(seen: list[tuple[str, bool]]) -> None:
    evidence = AliasEvidence("www.a.com", "a.com")
    for path, equal in seen:
        evidence = saw_copies(evidence, "/" + path, b"x", b"x" if equal else b"y")
        evidence = saw_redirect(evidence, f"http://www.a.com/{path}", f"http://{'a' if equal else 'b'}.com/{path}")
    kept = (evidence.redirected, evidence.astray, evidence.equal, evidence.different)
    assert all(len(paths) <= REMEMBERED_PATHS for paths in kept)


# the table


def test_an_address_is_rewritten_to_the_main_name_and_nothing_else_changes() -> None:
    table = AliasTable(learnt={"www.a.com": "a.com"})
    moved = table.apply(Address("https://www.a.com/x?y=http://www.a.com/", "www.a.com"))
    assert moved == Address("https://a.com/x?y=http://www.a.com/", "a.com")
    other = Address("https://b.com/", "b.com")
    assert table.apply(other) is other


def test_the_user_has_the_last_word() -> None:
    table = AliasTable(edited={"www.a.com": "www.a.com"}, learnt={"www.a.com": "a.com"})
    assert table.main("www.a.com") == "www.a.com"
    assert table.learn("www.a.com", "a.com") is table


def test_chains_lead_to_their_end_and_circles_to_one_name() -> None:
    assert AliasTable(edited={"a": "b"}, learnt={"b": "c"}).main("a") == "c"
    circle = AliasTable(edited={"x": "c", "c": "b", "b": "c"})
    assert {circle.main(name) for name in ("x", "b", "c")} == {"b"}


def test_learning_never_draws_a_circle() -> None:
    table = AliasTable().learn("www.a.com", "a.com")
    assert table.main("www.a.com") == "a.com"
    assert table.learn("a.com", "www.a.com") is table
    assert table.forget("www.a.com") == AliasTable()


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=12))
def test_a_main_name_is_its_own_main_name(pairs: list[tuple[str, str]]) -> None:
    table = AliasTable()
    for alias, main in pairs:
        table = table.learn(alias, main)
    assert all(table.main(table.main(name)) == table.main(name) for name in "abcde")


def test_twins_and_main_names() -> None:
    assert twin("a.com:81") == "www.a.com:81"
    assert twin("www.a.com") == "a.com"
    assert twin("127.0.0.1:80") == "127.0.0.1:80"
    assert main_of_pair("a.com", "www.a.com") == main_of_pair("www.a.com", "a.com") == ("www.a.com", "a.com")


def test_registrable_domains_follow_the_public_suffix_list() -> None:
    assert DOMAINS.registrable("a.b.example.co.uk") == "example.co.uk"
    assert DOMAINS.registrable("co.uk") == DOMAINS.registrable("[::1]") == DOMAINS.registrable("10.0.0.1") == ""
