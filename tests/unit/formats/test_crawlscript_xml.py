"""S2's script: read exactly, written back the same, refused with a place when it is wrong."""

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from recrawl.formats import crawlscript, site_toml
from recrawl.model.failure import FormatError
from recrawl.model.site import Kind, Pattern, Site
from recrawl.model.site_name import need_name

PAPER = (
    '<crawlscript><site title="…"><identity value="www.web.com"/> <url type="list" class="person"> '
    '<originalAddr type="url">http://www.web.com/list.aspx?cate_id={0}&amp;page={1}</originalAddr> '
    "<targetAddr>http://www.web.com/list.aspx?cate_id={0}&amp;page={1}</targetAddr></url> "
    '<url type="detail" class="person"><originalAddr type="javascript">javascript:show_detail({0})</originalAddr> '
    "<targetAddr>http://www.web.com/detail.aspx?per_id={0}</targetAddr></url></site></crawlscript>"
)
LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    "<crawlscript><site title='&b;'/></crawlscript>"
)


def complaint(text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        crawlscript.parse(text, "script.xml")
    assert caught.value.line is not None and caught.value.column is not None
    return caught.value


def canonical(text: str) -> bytes:
    """C14N without the white space between elements."""
    parser = etree.XMLParser(remove_blank_text=True)
    return etree.tostring(etree.fromstring(text.encode(), parser), method="c14n")


def test_the_script_of_the_paper_is_read_as_it_is_meant() -> None:
    (site,) = crawlscript.parse(PAPER)
    assert (site.title, site.hosts, site.seeds) == ("…", ("www.web.com",), ())
    assert site.patterns == (
        Pattern(Kind.LIST, "http://www.web.com/list.aspx?cate_id={0}&page={1}", item_class="person"),
        Pattern(
            Kind.DETAIL,
            "javascript:show_detail({0})",
            target="http://www.web.com/detail.aspx?per_id={0}",
            item_class="person",
        ),
    )


def test_from_xml_to_toml_and_back_nothing_is_lost() -> None:
    sites = site_toml.parse_many(site_toml.render_many(crawlscript.parse(PAPER)))
    assert canonical(crawlscript.render(sites)) == canonical(PAPER)


def test_a_script_of_several_sites_goes_through_one_toml_file() -> None:
    second = PAPER.replace("www.web.com", "news.example:8080").replace("…", 'a "quoted" & <odd> title')
    second = second.replace('title="a "quoted" & <odd> title"', 'title="a &quot;quoted&quot; &amp; &lt;odd> title"')
    both = PAPER.replace("</crawlscript>", second.partition("<crawlscript>")[2])
    sites = site_toml.parse_many(site_toml.render_many(crawlscript.parse(both)))
    assert len(sites) == 2
    assert canonical(crawlscript.render(sites)) == canonical(both)


def test_four_wrong_scripts_get_four_different_errors() -> None:
    messages = [
        complaint(LAUGHS).message,
        complaint(PAPER.replace("</url>", "", 1)).message,
        complaint(PAPER.replace('"detail"', '"detial"')).message,
        complaint(PAPER.replace("per_id={0}", "per_id={7}")).message,
    ]
    assert "document type" in messages[0]
    assert "<url>" in messages[1] and "not closed" in messages[1]
    assert "'detial'" in messages[2] and "did you mean 'detail'" in messages[2]
    assert "{7}" in messages[3] and "not captured" in messages[3]


def test_an_error_points_at_its_line_and_column() -> None:
    text = '<crawlscript>\n <site>\n  <identity value="a.example"/>\n  <url\n    type="lst"/></site></crawlscript>'
    error = complaint(text)
    assert (error.line, error.column) == (5, 5)
    wrong = PAPER.replace("><", ">\n<").replace("per_id={0}", "per_id={7}")
    error = complaint(wrong)
    assert error.line is not None and error.column is not None
    assert wrong.splitlines()[error.line - 1][error.column - 1 :].startswith("{7}")


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "no xml at all",
        "<html/>",
        "<crawlscript/>",
        "<crawlscript><site/></crawlscript>",
        PAPER.replace('<identity value="www.web.com"/>', ""),
        PAPER.replace('value="www.web.com"', 'value="http://www.web.com/"'),
        PAPER.replace("<targetAddr>http://www.web.com/detail.aspx?per_id={0}</targetAddr>", ""),
        PAPER.replace('type="javascript"', 'type="url"'),
        PAPER.replace('class="person"', 'colour="red"', 1),
        PAPER.replace("<site ", "words <site "),
        PAPER.replace("{1}</originalAddr>", "{1:number}</originalAddr>"),
        PAPER.replace("{1}</originalAddr>", "{0}</originalAddr>"),
        PAPER.replace("{1}</originalAddr>", "{1</originalAddr>"),
        "<?xml version='1.0'?><?php evil() ?>" + PAPER,
        "<?xml version='1.0' encoding='klingon'?>" + PAPER,
    ],
)
def test_whatever_is_not_as_described_is_refused_with_a_place(wrong: str) -> None:
    assert complaint(wrong.encode()).message


def test_deep_and_huge_scripts_are_refused_quickly() -> None:
    assert "deep" in complaint("<a>" * 10_000).message
    with pytest.raises(FormatError, match="bytes"):
        crawlscript.parse(b" " * (crawlscript.MOST_BYTES + 1))


def test_external_entities_are_never_looked_at() -> None:
    error = complaint('<!DOCTYPE x SYSTEM "http://127.0.0.1:1/evil.dtd"><crawlscript/>')
    assert "document type" in error.message


def test_scripts_of_their_time_may_be_in_euc_kr() -> None:
    text = '<?xml version="1.0" encoding="euc-kr"?>' + PAPER.replace("…", "인물 검색")
    (site,) = crawlscript.parse(text.encode("euc-kr"))
    assert site.title == "인물 검색"


def test_what_a_script_cannot_say_is_named() -> None:
    (site,) = crawlscript.parse(PAPER)
    rich = site_toml.parse(site_toml.render(site) + '\n[[rewrites]]\nmatch = "/go?u={t:url}"\ntarget = "{t}"\n')
    with pytest.raises(FormatError, match="rewrites"):
        crawlscript.render([rich])
    assert canonical(crawlscript.render([rich], leave_out=True)) == canonical(PAPER)
    with pytest.raises(FormatError, match="seeds"):
        crawlscript.render([Site("x", ("http://x.example/",), hosts=("x.example",), patterns=site.patterns)])


def test_our_schema_accepts_what_we_write_and_refuses_what_we_refuse() -> None:
    text = resources.files("recrawl.formats").joinpath("crawlscript.rng").read_bytes()
    schema = etree.RelaxNG(etree.fromstring(text))
    assert schema.validate(etree.fromstring(PAPER.encode()))
    assert schema.validate(etree.fromstring(crawlscript.render(crawlscript.parse(PAPER)).encode()))
    for right, wrong in (("detail", "detial"), ("www.web.com", "www/web"), ("javascript:", "scrip:")):
        assert not schema.validate(
            etree.fromstring(PAPER.replace(f'"{right}', f'"{wrong}').replace(f">{right}", f">{wrong}"))
        )


plain = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="{}"), max_size=20)


@given(plain, plain, plain)
def test_any_words_survive_xml_and_toml(title: str, item_class: str, tail: str) -> None:
    match = "http://a.example/" + tail.strip() + "/{0}"
    patterns = (Pattern(Kind.LIST, match, target="http://a.example/x?id={0}", item_class=item_class),)
    site = Site("a.example", (), hosts=("a.example",), title=title, patterns=patterns)
    assert crawlscript.parse(crawlscript.render([site])) == (site,)
    assert site_toml.parse(site_toml.render(site)) == site


@pytest.mark.parametrize("host", ["www.한국.kr", "WWW.Bücher.example:8080", "_dmarc.example", "ﬀ.example"])
def test_a_site_is_named_so_that_it_can_be_added_whatever_letters_its_host_has(host: str) -> None:
    (site,) = crawlscript.parse(PAPER.replace("www.web.com", host))
    assert need_name(site.name) and site.hosts == (host,)
