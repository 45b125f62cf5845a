"""S2's stored form: the newest HTML under a generated name, its XML record beside it, and both come back."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.archive.documents import DocumentFolder, StoredDocument, safe_name
from recrawl.formats import doc_record
from recrawl.formats.doc_record import DocRecord
from recrawl.model.failure import FormatError, NotFound

XML_TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\ufffe\uffff"), max_size=30).filter(
    lambda text: all(char >= " " or char in "\t\n\r" for char in text)
)


def document(**known: object) -> StoredDocument:
    made = StoredDocument(
        "https://www.web.com/detail.aspx?per_id=1&x=<y>", "web", "person", 1767225601.5, b"<p>\xff</p>"
    )
    return replace(made, **known)  # type: ignore[arg-type]


def test_the_record_has_the_shape_of_the_paper() -> None:
    record = DocRecord(
        "http://www.web.com/d?a=1&b=2", "0a.html", "web", "www.web.com", "person", "2026-01-01T00:00:01Z"
    )
    assert doc_record.render(record) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<doc type="struct">\n  <source>\n'
        "    <url>http://www.web.com/d?a=1&amp;b=2</url>\n    <file>0a.html</file>\n    <site>web</site>\n"
        "    <domain>www.web.com</domain>\n    <category>person</category>\n    <date>2026-01-01T00:00:01Z</date>\n"
        "  </source>\n</doc>\n"
    )


@given(st.builds(DocRecord, XML_TEXT.filter(bool), XML_TEXT.filter(bool), XML_TEXT, XML_TEXT, XML_TEXT, XML_TEXT))
def test_what_is_rendered_is_parsed_back(record: DocRecord) -> None:
    assert doc_record.parse(doc_record.render(record).encode()) == record


def test_what_xml_cannot_hold_is_marked_and_does_not_break_the_record() -> None:
    written = doc_record.render(DocRecord("u", "f", category="a\x00b\ud800c"))
    assert doc_record.parse(written.encode()).category == "a\ufffdb\ufffdc"


WRONG = [
    ("<doc type='struct'><source><url>u</url><file>f</file></source>", "not closed"),
    ("<!DOCTYPE doc [<!ENTITY a 'b'>]><doc type='struct'/>", "document type"),
    ("<document/>", "begins with <doc>"),
    ("<doc type='other'><source/></doc>", 'a <doc type="struct">'),
    ("<doc type='struct'/>", "holds one <source>"),
    ("<doc type='struct'><source><file>f</file></source></doc>", "has no <url>"),
    ("<doc type='struct'><source><url>u</url></source></doc>", "has no <file>"),
    ("<doc type='struct'><source><url>u</url><url>v</url></source></doc>", "stands here twice"),
    ("<doc type='struct'><source><uri>u</uri></source></doc>", "is not known here"),
    ("<doc type='struct'><source><url><b>u</b></url></source></doc>", "holds text alone"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_broken_record_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=r"r\.xml:1:") as caught:
        doc_record.parse(text.encode(), "r.xml")
    assert message in str(caught.value)


def test_a_document_comes_back_byte_for_byte_with_its_record(tmp_path: Path) -> None:
    folder = DocumentFolder(tmp_path)
    folder.put([document()])
    record, body = folder.read(document().url, "web")
    assert body == document().body
    assert record == DocRecord(document().url, record.file, "web", "www.web.com", "person", "2026-01-01T00:00:01.500Z")
    assert list(folder.walk()) == [(record, body)]


def test_only_the_newest_copy_is_kept(tmp_path: Path) -> None:
    folder = DocumentFolder(tmp_path)
    folder.put([document(body=b"old"), document(body=b"new", at=1767225700.0)])
    folder.put([document(body=b"newest", at=1767225800.0, category="other")])
    [(record, body)] = folder.walk()
    assert (record.category, record.date, body) == ("other", "2026-01-01T00:03:20.000Z", b"newest")
    assert len([file for file in tmp_path.rglob("*") if file.is_file()]) == 2


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://x.example/../../etc/passwd", "../../evil"),
        ("http://x.example/" + "a" * 3000, "b" * 300),
        ("http://x.example/a\\b:c*d?e|f", ".."),
        ("http://x.example/%00\x00", "a/b\x00c"),
        ("http://x.example/", ""),
    ],
)
def test_no_address_and_no_name_leads_out_of_the_folder(url: str, site: str, tmp_path: Path) -> None:
    inside = tmp_path / "documents"
    folder = DocumentFolder(inside)
    folder.put([document(url=url, site=site)])
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) == 2
    assert all(inside in file.parents and file.name.isascii() and len(file.name) < 30 for file in files)
    assert folder.read(url, site)[1] == next(folder.walk())[1] == document().body


def test_sites_with_nearly_the_same_name_have_folders_of_their_own() -> None:
    names = ["shop", "sh/op", "sh_op", "sh?op", "s" * 200, "s" * 201, "..", "."]
    assert len({safe_name(name) for name in names}) == len(names)
    assert safe_name("shop-1.example") == "shop-1.example"


def test_a_document_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no document of http://a\.example/"):
        DocumentFolder(tmp_path).read("http://a.example/", "web")


def test_a_thousand_documents_are_written_in_no_time(tmp_path: Path) -> None:
    started = time.process_time()
    DocumentFolder(tmp_path).put([document(url=f"http://a.example/{number}") for number in range(1000)])
    assert time.process_time() - started < 5.0
