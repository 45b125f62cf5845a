"""Pages of a mirror: links lead to files, nothing leaves by itself, the rest stays as it is."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.exchange.export_links import HEAD, localised

BASE = "http://a.example/dir/page"


def locate(address: str) -> str:
    return {"http://a.example/dir/other": "other.html", "http://a.example/": "../index.html"}.get(address, address)


def body(text: str) -> str:
    return localised(text, BASE, locate).removeprefix(HEAD)


def test_links_lead_to_files_where_there_are_some_and_to_the_web_elsewhere() -> None:
    assert body('<a href="other#part">x</a>') == '<a href="other.html#part">x</a>'
    assert body("<a href='/'>x</a>") == '<a href="../index.html">x</a>'
    assert body("<a href=gone>x</a>") == '<a href="http://a.example/dir/gone">x</a>'
    assert (
        body('<img src="/logo.png" alt="&quot;x&quot;">') == '<img src="http://a.example/logo.png" alt="&quot;x&quot;">'
    )
    assert body('<img srcset="other 1x, /b 2x">') == '<img srcset="other.html 1x, http://a.example/b 2x">'


def test_what_needs_no_change_stays_byte_for_byte() -> None:
    for text in (
        '<A HREF="#here" Class=x >',
        "<a href='mailto:x@y'>",
        '<a href="javascript:go()">',
        "<!-- <a href='other'> --><p title='a<b'>1 &lt; 2 &amp &unknown;</p>",
        "<script>if (a<b) document.write('<a href=\"other\">')</script>",
        "<textarea><b></textarea>plain < text",
    ):
        assert body(text) == text


def test_nothing_leads_away_by_itself() -> None:
    text = (
        '<html><head><base href="http://b.example/"><meta http-equiv="Refresh" content="0;url=/x">'
        '<meta charset="euc-kr"><title>t</title></head><body>b</body></html>'
    )
    fresh = localised(text, BASE, locate)
    assert fresh == f"<html><head>{HEAD}<title>t</title></head><body>b</body></html>"
    assert "script-src 'none'" in fresh


@given(st.text(st.sampled_from("<>ah ref=\"'/!-&;scriptx\n\r"), max_size=60))
def test_no_text_breaks_it_and_text_without_links_is_kept(text: str) -> None:
    assert localised(text, BASE, lambda address: address).endswith(text[-1:] if "<" not in text else "")
