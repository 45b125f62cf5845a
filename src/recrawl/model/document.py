"""A document as read: what `extract` found in the bytes of an answer."""

from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

from recrawl.model.page import Link
from recrawl.model.swift import swift
from recrawl.model.values import dataclass


class Media(StrEnum):
    HTML = "html"
    XML = "xml"  # sitemaps, feeds, XHTML that is not HTML
    TEXT = "text"
    OTHER = "other"


@swift
@dataclass(frozen=True, slots=True)
class Block:
    """A run of visible text between block-level tags. `place` names where it stands in the template
    (a hash of tag path, ids and classes), so that the same place can be recognised on the next visit.
    `level`: 0 running text, 1..6 a heading, 8 emphasised throughout."""

    place: int
    text: str
    level: int = 0


@swift
@dataclass(frozen=True, slots=True)
class Document:
    media: Media
    charset: str = "utf-8"
    base: str = ""
    title: str = ""
    language: str = ""
    blocks: tuple[Block, ...] = ()  # all visible text, in order, white space folded
    main: tuple[Block, ...] = ()  # the main content alone; equals `blocks` where no main part stands out
    links: tuple[Link, ...] = ()
    canonical: str = ""
    refresh: str = ""  # target of <meta http-equiv=refresh>
    directives: frozenset[str] = field(default_factory=frozenset)  # noindex, nofollow, noarchive, …
    cut: str = ""  # which limit let a part of it go unread
    offers: bool = False  # data made for machines to read: JSON-LD, microdata, OpenGraph
    template: int = 0  # hash of the page's skeleton: pages made from one template share it

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.main)


class Row(NamedTuple):
    """What stands at one place of two versions: behind `head` texts that stay `gone` became `come`, and others follow
    that stay. `now`: all of the newer one."""

    place: int
    head: int
    gone: Sequence[str]
    come: Sequence[str]
    now: Sequence[str]


@swift
@dataclass(frozen=True, slots=True)
class Sides:
    """Two versions of a page with the same title, directives and links, and the same of these in their main text; every
    text of it is folded. Behind `head` texts that stay `gone` became `come`, and `tail` others that stay follow; `rows`
    are the places of these. `document`: the newer one, its text left out; that has so many letters and bytes."""

    document: Document
    gone: Sequence[str]
    come: Sequence[str]
    rows: Sequence[Row]
    head: int
    tail: int
    letters: int
    text_bytes: int
