"""The site file: read, written back the same, and refused with a line and a hint."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.formats import site_toml
from recrawl.formats.site_keys import SITE, TABLES
from recrawl.formats.site_schema import json_schema
from recrawl.lab.shop import site_file
from recrawl.model.failure import FormatError
from recrawl.model.site import Example, Field, FieldType, Kind, Pattern, Rewrite, Site

WHOLE = Site(
    name="shop",
    title="The shop",
    seeds=("https://shop.example/",),
    own=("10.0.0.0/8",),
    hosts=("*.shop.example",),
    include=("/a/",),
    exclude=("*.pdf", r"re:/\d{4}/"),
    depth=4,
    gap_s=2.5,
    parallel=3,
    importance=2.0,
    ignore=(".clock",),
    render=("/app/",),
    drop_parameters=("visit", "!sid"),
    sort_query=True,
    requests_per_day=500,
    bytes_per_day=1e6,
    windows=("only 22-6",),
    paused=True,
    archive="folder",
    patterns=(
        Pattern(Kind.LIST, "/c/{category}?page={page:int}", "shelf", importance=0.5),
        Pattern(Kind.DETAIL, "javascript:open({id:int}, '{slug}')", "item", "/item/{id}/{slug}", "goods", "{slug}"),
        Pattern(Kind.DETAIL, r"re:/x/(?P<id>\d+)$", category="css:.crumbs a"),
    ),
    rewrites=(Rewrite("/go?u={target:url}&*", "{target}"),),
    fields=(
        Field("price", css=".price", type=FieldType.PRICE, locale="de", currency="EUR", required=True, pattern="item"),
        Field("links", xpath="//a", attribute="href", type=FieldType.LIST, of=FieldType.URL, regex=r"\d+"),
        Field(
            "reviews",
            css=".review",
            type=FieldType.LIST,
            fields=(Field("stars", css=".stars", type=FieldType.NUMBER), Field("text", css="q")),
        ),
    ),
    examples=(
        Example("javascript:open(7, 'x')", "detail", "https://shop.example/item/7/x", "x", "item"),
        Example("/about", "dropped"),
    ),
)


def complaint(text: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        site_toml.parse(text, "name", "site.toml")
    return caught.value


def test_every_key_survives_writing_and_reading() -> None:
    assert site_toml.parse(site_toml.render(WHOLE)) == WHOLE
    assert all(getattr(WHOLE, key) != getattr(Site("", ()), key) for key in SITE)


def test_several_sites_share_a_file_and_a_crawl_refuses_it() -> None:
    other = Site("other", ("https://other.example/",), patterns=WHOLE.patterns, fields=WHOLE.fields)
    text = site_toml.render_many([WHOLE, other])
    assert site_toml.parse_many(text) == (WHOLE, other)
    assert "scope convert" in complaint(text).message


def test_the_short_file_of_a_plain_site_is_all_it_takes() -> None:
    assert site_toml.parse('seeds = ["https://a.example/"]', "a") == Site("a", ("https://a.example/",))


def test_notes_stand_as_comments_before_what_they_speak_of() -> None:
    text = site_toml.render(WHOLE, {("", 0): ["top"], ("patterns", 1): ["second", ""]})
    assert text.startswith("# top\n")
    assert '# second\n#\n[[patterns]]\nname = "item"' in text
    assert site_toml.parse(text) == WHOLE


S, P = 'seeds = ["x"]\n', '[[patterns]]\nkind = "list"\n'


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("seed = []", 1, "did you mean 'seeds'"),
        ("seeds = [1]", 1, "list of strings"),
        ('seeds = ["x"]\ndepth = "deep"', 2, "depth"),
        ('seeds = ["x"]\ngap_s = -1', 2, "gap_s"),
        ('seeds = ["x"]\nparallel = 0', 2, "from 1 to 1000"),
        ('seeds = ["x"]\nparallel = true', 2, "from 1 to 1000"),
        (f'seeds = ["x"]\ndepth = {"1" * 5000}', 2, ""),
        ('seeds = ["x"]\nown = ["http://a.example/"]', 2, "without scheme or path"),
        ('seeds = ["x"]\narchive = "tape"', 2, "warc, folder"),
        ('seeds = ["x"]\n\n[[patterns]]\nkind = "lists"\nmatch = "/"', 4, "did you mean 'list'"),
        ('seeds = ["x"]\n[[patterns]]\nkind = "list"', 2, "needs match"),
        (f'{S}{P}match = "/{{a}}"\n{P}match = "/{{a:nit}}"', 7, "did you mean 'int'"),
        ('seeds = ["x"]\n[[patterns]]\nkind = "list"\nmatch = "/{a}"\ntarget = "/{b}"', 5, "{b}"),
        ('seeds = ["x"]\n[[rewrites]]\nmatch = "/{a}"\ntarget = ""', 2, "needs target"),
        ('seeds = ["x"]\n[patterns]\nkind = "list"', 2, "[[patterns]]"),
        ('seeds = ["x"]\n[[fields]]\nname = "a"\ncss = "b"\nxpath = "c"', 5, "one of them"),
        ('seeds = ["x"]\n[[fields]]\nname = "a"\ntype = "nubmer"', 4, "did you mean 'number'"),
        ('seeds = ["x"]\n[[fields]]\nname = "a"\npattern = "item"', 4, "no pattern called 'item'"),
        (f'{S}{P}match = "/a"\nname = "n"\n{P}match = "/b"\nname = "n"', 9, "two patterns"),
        ("paused = true", None, "needs seeds"),
        ('seeds = ["x"', 1, "Unclosed"),
        ("seeds = [\"x\"]\nname = 'a' b", 2, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_where_it_stands(text: str, line: int | None, hint: str) -> None:
    error = complaint(text)
    assert error.line == line
    assert hint in str(error)


def test_the_schema_knows_every_key_and_the_shop_fits_it() -> None:
    schema = json_schema()
    assert set(schema["properties"]) == set(SITE)
    for name, table in TABLES.items():
        assert set(schema["$defs"][name]["properties"]) == set(table)
        assert schema["properties"][name]["items"] == {"$ref": f"#/$defs/{name}"}
    written = tomllib.loads(site_file("http://127.0.0.1:8000/"))
    assert set(written) <= set(schema["properties"])
    assert json.loads(json.dumps(schema)) == schema


words = st.text(st.characters(codec="utf-8", exclude_characters="{}"), min_size=1, max_size=12)


@given(st.lists(words, max_size=3), words, st.booleans(), st.floats(0.1, 1e6))
def test_any_text_survives(seeds: list[str], title: str, paused: bool, gap_s: float) -> None:
    site = Site("n", (*seeds, "https://a.example/"), title=title, paused=paused, gap_s=gap_s, ignore=(title,))
    assert site_toml.parse(site_toml.render(site)) == site
