"""What the inputs of each reader are made of, for the search for its worst case."""

_TAGS = """
a b i u font nobr p div span table tr td th tbody caption colgroup select option form input button ul li dl dt dd h1
svg math g title desc foreignObject mi mtext template frameset frame iframe noscript script style textarea xmp body html
head base link meta img object marquee pre br ruby rt summary details main nav article
"""
_HTML = (
    *(f"<{tag}>" for tag in _TAGS.split()), *(f"</{tag}>" for tag in _TAGS.split()),
    "<a href=x>", "<p class=nav>", "<div id=x style='display:none'>", "<meta http-equiv=refresh content='0;url=x'>",
    "<link rel=x href=y>", "<b a=1>", "<![CDATA[", "]]>", "<!--", "-->", "<!", "<?", "</", "<", "&", "&#", "&amp;",
    "&notin", "x", "\0", "\n", " ", "é", "\u0301", "'", '"', "=", "/", "x ", "1.", "<a ", "<p a", "<img srcset='",
    "/i.png 1x,", "<script type=application/ld+json>", '{"@graph":[', "itemscope ", "<div itemscope itemprop=a>",
    "<div itemref='a b c' id=a itemscope>", "<span itemprop=b>", "<a href='../", "%2e/", "http://", "\u202e", "0;url=",
)  # fmt: skip
_XML = (
    "<a>", "</a>", "<urlset>", "<url>", "<loc>", "</loc>", "</url>", "<sitemapindex>", "<sitemap>", "<rss>",
    "<channel>", "<item>", "<link>", "</link>", "</item>", "<feed>", "<entry>", "<?xml version='1'?>", "<!DOCTYPE a [",
    "]>", '<!ENTITY a "b">', "&a;", "&amp;", "<![CDATA[", "]]>", "<!--", "-->", "http://a/", " ", "\n", "x", "<a b='",
    "'", ">", " a='1'", "xmlns='", "<", "é", "\0", "<lastmod>2026-01-01</lastmod>", "<guid>x</guid>",
)  # fmt: skip
_TEXT = (
    "a", " ", "\n", "\r", "\t", ",", ";", ":", "=", "&", "%", "%2e", "/", "../", "./", "//", "?", "#", "@", "[", "]",
    "{", "}", "(", ")", "<", ">", '"', "'", "\\", "*", "$", "^", "|", "~", "+", "-", "_", ".", "1", "é", "\u0301", "\0",
    "http://", "a.", "xn--", "\\u0061", "a=1&", '"a":', "--a\n", "From ", "=?utf-8?q?a?= ", "\r\n", "😀",
)  # fmt: skip
_ROBOTS = (*_TEXT, "User-agent: *\n", "Disallow: /", "Allow: /a*b$\n", "Sitemap: http://a/\n", "Crawl-delay: 1\n", "*a")
_HEAD = (*_TEXT, "HTTP/1.1 200 OK\r\n", "Link: <a>; rel=hub\r\n", "Cache-Control: a=", "Retry-After: ", "ETag: ",
         "\r\n ", "Content-Encoding: gzip,", "Date: Mon, 01 Jan 2026\r\n", "max-age=1,", "<a>;")  # fmt: skip
_TOML = (*_TEXT, "[a]\n", "[[a]]\n", 'a = "b"\n', "a.b = 1\n", "a = [", "'''", '"""', "seeds = [", "[pages.x]\n", "{a=")
_LETTER = (*_TEXT, "Subject: x\n", "From: a@b\n", "Content-Type: multipart/mixed; boundary=a\n\n", "<a@b>,(",
           "DKIM-Signature: ", "Received: x\n", "\n\n", "=20", "Content-Transfer-Encoding: base64\n")  # fmt: skip
_WARC = (*_TEXT, "WARC/1.0\r\n", "Content-Length: 0\r\n", "\r\n\r\n", "WARC-Type: response\r\n", "\x1f\x8b", "a: b\r\n")

PIECES: dict[str, tuple[str, ...]] = {
    "any": _TEXT,
    "html": _HTML,
    "sights": _HTML,
    "readings": _HTML,
    "any_document": ("text/html\n", "text/xml\n", "text/plain\n", *_HTML, *_XML),
    "a whole visit": _HTML,
    "charsets": ("\n", "<meta charset=x>", "<meta charset=utf-16>", *_HTML),
    "sitemaps": _XML,
    "feeds": (*_XML, '{"version":"https://jsonfeed.org/version/1","items":[', '{"url":"a"},', "["),
    "crawl_script": _XML,
    "lists": (*_XML, *_TEXT, "<outline xmlUrl='a'>", "a,b\n"),
    "robots": _ROBOTS,
    "http": _HEAD,
    "site_file": _TOML,
    "letter": _LETTER,
    "mailboxes": _LETTER,
    "warcs": _WARC,
    "cdx_lines": (
        *_TEXT,
        "org,a)/ 20260101000000 {",
        '"url": "a", "mime": "b"',
        '"status": "200"',
        '"length": "1"',
        '"offset": "2"',
        '"filename": "c"',
        '"digest": "d"',
        '", "',
        "}",
        "\n",
    ),
    "history": (*_TEXT, "/a 20260101120000 1 N\n"),
    "pushes": (*_TEXT, "t=1,", "v1=a,", '{"urlList":["http://a/",'),
}
