"""recrawl.toml: every mistake has its line and the nearest valid key."""

import json

import pytest

from recrawl.config import Settings, json_schema, parse, starting_text
from recrawl.model.failure import ConfigError, FormatError
from recrawl.model.site import Site


def test_an_empty_file_gives_the_defaults_and_the_first_file_is_valid() -> None:
    assert parse("") == Settings()
    assert parse(starting_text('me "and" you')).operator.contact == 'me "and" you'


def test_durations_and_sizes_may_be_written_as_people_write_them() -> None:
    settings = parse('[limits]\ntotal_s = "2m"\nbody_bytes = "5 MiB"\nconnect_s = 3\n')
    assert settings.limits.total_s == 120.0
    assert settings.limits.body_bytes == 5 * 1024 * 1024
    assert settings.limits.connect_s == 3.0


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[politeness]\ngap = 1.0\n", 2, "'gap_s'"),
        ("\n[polite]\n", 2, "'politeness'"),
        ("[politeness]\ngap_s = 0.1\n", 2, "at least 0.5 s"),
        ("[schedule]\nrequests_per_day = nan\n", 2, "not negative"),
        ("[schedule]\n\nbytes_per_day = -1000\n", 3, "not negative"),
        ("[schedule]\ntarget = 95.0\n", 2, "between 0 and 1"),
        ("[schedule]\nmax_delay_s = 0\n", 2, "more than 0"),
        ('[schedule]\nwindows = ["only 9-9"]\n', 2, "9-9"),
        ('[schedule]\nwindows = ["only 9-12", "not daily 8-13"]\n', 2, "no hour of the week open"),
        ('[schedule]\nwindows = ["not 0-24"]\n', 2, "no hour of the week open"),
        ('[limits]\nconnect_s = "soon"\n', 2, "duration"),
        ('[limits]\nheader_count = "many"\n', 2, "whole number"),
        ("[fetch]\nredirects = true\n", 2, "whole number"),
        ("[fetch]\nredirects = -1\n", 2, "negative"),
        ("[limits]\ntotal_s = inf\n", 2, "below 10^15"),
        ("[limits]\ntotal_s = -1\n", 2, "negative"),
        ("[limits]\ntotal_s = 0\n", 2, "more than 0"),
        ("[limits]\nbody_bytes = '-5kb'\n", 2, "negative"),
        (f"[limits]\nbody_bytes = 1{'0' * 400}\n", 2, "below 10^15"),
        (f"[limits]\ntotal_s = 1{'0' * 400}\n", 2, "below 10^15"),
        ("[fetch]\nconnections = 0\n", 2, "at least 1"),
        ("[state]\npartitions = 0\n", 2, "between 1 and 65536"),
        ("[state]\nbatch_visits = 0\n", 2, "at least 1"),
        ("[intervals]\nceiling_s = nan\n", 2, "below 10^15"),
        ("[intervals]\nrequests_per_page_day = 0\n", 2, "more than 0"),
        ("[archive]\ncompress_level = 4\n", 2, "between 0"),
        ("[intervals]\nfloor_s = 100\nceiling_s = 10\n", 3, "no less than floor_s, which is 100"),
        ('[intervals]\nfirst_to_s = "12h"\n', 2, "no less than first_from_s"),
        ("[intervals]\nfloor_s = 0\nceiling_s = 0\n", 3, "more than 0"),
        ("[intervals]\nclasses = 0\n", 2, "at least 1"),
        ('[webhooks]\n\nurls = ["https://you.example/", "ftp://x/"]\n', 3, "'ftp://x/' is no web address"),
        ('[webhooks]\nurls = ["https://[you/"]\n', 2, "no web address"),
        ('[webhooks]\nurls = ["https://me:secret@you.example/"]\n', 2, "use webhooks.secret"),
        ('[detect]\nignore = "p"\n', 2, "list"),
        ("[aliases]\nx = 1\n", 2, "string"),
    ],
)
def test_a_mistake_is_shown_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse(text, "recrawl.toml")
    assert str(caught.value).startswith(f"recrawl.toml:{line}")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "example.org/hook", "http://[::1/x", "http://a..b/", "http://a:99999/", "http://a:x/", "http://a:0/"]
)
def test_what_is_no_address_is_no_webhook(url: str) -> None:
    with pytest.raises(FormatError, match="no web address"):
        parse(f'[webhooks]\nurls = ["{url}"]\n', "recrawl.toml")


@pytest.mark.parametrize("url", ["https://me:geheim@you.example/", "ftp://me:geheim@x/", "http://me:geheim@[x/"])
def test_a_password_in_a_webhook_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(FormatError, match=r"webhooks\.secret") as refused:
        parse(f'[webhooks]\nurls = ["{url}"]\n', "recrawl.toml")
    assert "geheim" not in str(refused.value)


def test_a_webhook_may_have_any_letters() -> None:
    url = "https://b\u00fccher.example/h\u00f6k"
    assert parse(f'[webhooks]\nurls = ["{url}"]\n', "recrawl.toml").webhooks.urls == (url,)


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(FormatError, match="mend the line"):
        parse(f"[fetch]\nredirects = {'1' * 5000}\n")


def test_broken_toml_is_shown_with_its_place() -> None:
    with pytest.raises(FormatError, match="line 2"):
        parse("[fetch]\nredirects = \n")


def test_the_schema_knows_every_table_and_is_json() -> None:
    schema = json.loads(json.dumps(json_schema()))
    assert set(schema["properties"]) == set(Settings.__dataclass_fields__)


def test_a_site_that_the_windows_of_both_files_never_open_for_is_refused() -> None:
    settings = parse('[schedule]\nwindows = ["only 22-6"]\n[operator]\ncontact = "me@example.org"\n')
    settings.check_sites([Site("town", (), windows=("only 5-12",)), Site("harbour", ())])
    with pytest.raises(ConfigError, match=r"town could never be visited.*only 9-12.*only 22-6"):
        settings.check_sites([Site("town", (), windows=("only 9-12",))])
