"""Soft 404: an answer that says 200 and means "not found". In doubt it is a page.

Three signs are taken: a short page whose title or heading says so in as many words; a page nearly identical to what
the server shows for an address that cannot exist (the engine asks for one, see `error_page`); a redirect of a page
that was there to the home page. A soft 404 never proves a page gone: it only keeps the good copy from being replaced.
"""

import re
from urllib.parse import urlsplit

from recrawl.detect.content import text_blocks
from recrawl.detect.digest import fold
from recrawl.detect.simhash import distance, simhash
from recrawl.model.document import Document
from recrawl.model.late import late
from recrawl.model.values import dataclass

MOST_LETTERS = 1_200  # of an error page recognised by its words
MOST_MAIN_LETTERS = 400  # when only a heading says so, not the title
NEAR_BITS = 3
NEAR_SIZE = 0.1
FEWEST_WORDS = 8  # fewer say too little to recognise a page by
HEADINGS = 3  # blocks from the top that may be the heading

_CODE = r"(?:(?:error|http|status)?[ :#-]*404(?: error)?[ :.,!|–—-]+)?(?:(?:oops|sorry|whoops)[!,.… ]+)?"
_SUBJECT = (
    r"(?:the |this |that )?(?:requested )?(?:page|file|document|article|product|url|resource|item|content)"
    r"(?: you (?:requested|are looking for|were looking for|have requested))?"
)
_MISSING = (
    r"(?:was |is |has been |could |can |couldn'?t |can'?t |couldn’t |can’t )?(?:not found|(?:not )?be found|"
    r"cannot be found|no longer available|no longer exists|not available|not exist|does(?: not|n'?t|n’t) exist|"
    r"removed|deleted|unavailable|missing)"
)
_PHRASES = (
    r"(?:error|http|status)?[ :#-]*404(?: error)?",
    rf"{_CODE}{_SUBJECT},? {_MISSING}",
    rf"{_CODE}not found(?:[ :.,!|–—-]+404)?",
    rf"{_CODE}(?:we )?(?:can['’]?t|cannot|couldn['’]?t|could not) find (?:that|this|the) page(?: you.{{0,40}})?",
    r"nothing (?:was )?found(?: here)?",
    r"(?:die )?(?:gewünschte |angeforderte )?seite (?:wurde |konnte )?nicht gefunden(?: werden)?",
    r"(?:cette )?page (?:introuvable|non trouvée|n'existe pas|n’existe pas)",
    r"(?:la )?página no (?:encontrada|existe)|no se (?:ha encontrado|encontró) la página",
    r"(?:a )?página não (?:encontrada|existe)",
    r"pagina (?:non trovata|niet gevonden)|(?:la )?pagina (?:richiesta )?non (?:esiste|è stata trovata)",
    r"страница не (?:найдена|существует)",
    r"nie znaleziono strony|strona nie (?:istnieje|została znaleziona)",
    r"(?:요청하신 |찾으시는 )?페이지(?:를|가|을)? ?(?:찾을 수 없습니다|존재하지 않습니다|없습니다)\.?",
    r"(?:お探しの|ご指定の|指定された)?ページ(?:が|は)(?:見つかりません(?:でした)?|存在しません)。?",
    r"(?:您(?:访问|請求|请求)的)?(?:页面|頁面|网页|網頁)(?:不存在|未找到|找不到|没有找到|沒有找到)。?|找不到(?:页面|頁面|网页|網頁)。?",
)
_ERROR = late("|".join(f"(?:{phrase})" for phrase in _PHRASES), re.I)
# In each of them stands one of these, or a letter beyond ASCII: a look for words spares most titles the many.
_SIGNS = (
    "404", "found", "find", "available", "exist", "removed", "deleted", "missing",
    "gefunden", "introuvable", "trovata", "gevonden", "esiste", "znalez", "istnieje",
)  # fmt: skip
_SITE_NAME = late(r" [|–—·:»-] |: ")
_INDEX = late(r"(?:index|default|home|main|start)(?:\.\w{1,5})?", re.I)


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """How a server looks when asked for an address that cannot exist and it answers 200."""

    simhash: int
    text_bytes: int
    title: str = ""


def error_page(probe: Document, home: Document | None) -> ErrorPage | None:
    """The fingerprint of the answer to an impossible address; None if it would recognise real pages: too few words,
    or what the home page shows too (an application that answers everything with the same shell)."""
    made = _fingerprint(probe)
    if len(_text(probe).split()) < FEWEST_WORDS or (home is not None and _near(made, _fingerprint(home))):
        return None
    return made


def is_soft_404(document: Document, url: str, known: ErrorPage | None = None) -> bool:
    seems_so = _says_so(document) or (known is not None and _looks_like(document, known))
    return seems_so and not _is_home(url)


def leads_home(url: str, target: str) -> bool:
    """Whether a page below the home page was sent to the home page of its own server, or a sister name of it."""
    from_parts, to_parts = urlsplit(url), urlsplit(target)
    same = _bare(from_parts.hostname) == _bare(to_parts.hostname)
    return same and _is_home(target) and not _is_home(url)


def _looks_like(document: Document, known: ErrorPage) -> bool:
    """The title must be the same: a server that makes up a page for every address gives each its own."""
    if fold(document.title) != known.title or len(_text(document).split()) < FEWEST_WORDS:
        return False
    return _near(known, _fingerprint(document))


def most_letters(title: str) -> int:
    """A page of this title with more main text than so many letters does not say that it is none."""
    return MOST_LETTERS if _names_error(fold(title)) else MOST_MAIN_LETTERS


def _says_so(document: Document) -> bool:
    letters = 0
    for block in document.main:
        letters += len(block.text)
        if letters > MOST_LETTERS:
            return False
    title = fold(document.title)
    heads = [fold(block.text) for block in document.main[:HEADINGS]]
    return _names_error(title) or (letters <= MOST_MAIN_LETTERS and any(map(_is_error, heads)))


def _names_error(title: str) -> bool:
    """The title is the error phrase, alone or beside the name of the site."""
    if not _may_be(title):
        return False
    return any(_is_error(part) for part in (title, *_SITE_NAME.split(title)))


def _may_be(title: str) -> bool:
    return not title.isascii() or any(map(title.lower().__contains__, _SIGNS))


def _is_error(text: str) -> bool:
    plain = text.strip(" .!…:-–—")
    return len(plain) <= 120 and _ERROR.fullmatch(plain) is not None


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    return not parts.query and (not segments or (len(segments) == 1 and _INDEX.fullmatch(segments[0]) is not None))


def _bare(host: str | None) -> str:
    return (host or "").removeprefix("www.")


def _text(document: Document) -> str:
    return "\n".join(block.text for block in text_blocks(document))


def _fingerprint(document: Document) -> ErrorPage:
    text = _text(document)
    return ErrorPage(simhash(text), len(text.encode("utf-8", "surrogatepass")), fold(document.title))


def _near(one: ErrorPage, other: ErrorPage) -> bool:
    larger = max(one.text_bytes, other.text_bytes, 1)
    return (
        distance(one.simhash, other.simhash) <= NEAR_BITS
        and abs(one.text_bytes - other.text_bytes) <= NEAR_SIZE * larger + 64
    )
