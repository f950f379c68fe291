"""Safe HTML of texts by people: guidelines in Markdown, and pages of HTML."""

import re
from collections.abc import Sequence
from html import unescape
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

import nh3
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

ANCHOR = "g-"  # before the anchors of headings, so that none is taken for another part of a page
MAX_ANCHOR = 100

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
# Words and their order: nothing that loads, runs, sends, or looks otherwise than the screen it
# stands in.
_PAGE_TAGS = {
    "a",
    "abbr",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "ul",
    "var",
    "wbr",
}
_PAGE_ATTRIBUTES = {
    "*": {"dir", "lang"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
_BLOCKS = re.compile(
    r"</?(?:article|blockquote|br|caption|d[dlt]|div|figcaption|h[1-6]|hr|li|[ou]l|p|pre|section|table|t[dh])\b"
)
# the first level is the title of the page around the text
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_TAGS = {
    "a",
    "blockquote",
    "br",
    "code",
    "em",
    *_HEADINGS,
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}


class Heading(NamedTuple):
    """A heading of a text, its anchor, and its level: 1 for the largest."""

    anchor: str
    title: str
    level: int


def to_html(markdown: str) -> str:
    """Return CommonMark with tables as HTML of text, lists, tables and links; nothing in it runs.

    Each heading has its anchor, after ANCHOR, as its id; links within the text lead there: [the
    top](#top).
    """
    tokens = _MARKDOWN.parse(markdown)
    anchors = _headings_of(tokens)
    opening_tokens = [token for token in tokens if token.type == "heading_open"]
    for token, heading in zip(opening_tokens, anchors, strict=True):
        token.attrSet("id", ANCHOR + heading.anchor)
    _link_to_headings(tokens, {heading.anchor for heading in anchors})
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"  # one level down
    return nh3.clean(
        _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}),
        tags=_TAGS,
        attributes={"a": {"href"}} | {tag: {"id"} for tag in _HEADINGS},
    )


def _link_to_headings(tokens: Sequence[Token], anchors: set[str]) -> None:
    """Point links within the text to its headings; a link to no heading becomes plain words."""
    for link in (
        child for token in tokens for child in token.children or [] if child.type == "link_open"
    ):
        href = str(link.attrGet("href") or "")
        if href.startswith("#"):
            anchor = unquote(href[1:])
            link.attrs = {"href": f"#{ANCHOR}{anchor}"} if anchor in anchors else {}


def headings(markdown: str) -> list[Heading]:
    """The headings of a text in their order; no two have one anchor."""
    return _headings_of(_MARKDOWN.parse(markdown))


def _headings_of(tokens: Sequence[Token]) -> list[Heading]:
    headings_: list[Heading] = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            title = "".join(
                child.content
                for child in inline.children or []
                if child.type in ("text", "code_inline")
            )
            anchor = slugify(title, allow_unicode=True)[:MAX_ANCHOR] or "part"
            n_same = sum(heading.anchor.partition("--")[0] == anchor for heading in headings_)
            anchor = f"{anchor}--{n_same + 1}" if n_same else anchor
            headings_.append(Heading(anchor, title, int(token.tag[1])))
    return headings_


def clean_page(html: str) -> str:
    """A page as its words with headings, lists and tables.

    No links, media, forms, styles or scripts.
    """
    return nh3.clean(html, tags=_PAGE_TAGS, attributes=_PAGE_ATTRIBUTES, link_rel=None)


def page_text(html: str) -> str:
    """The words of a page alone, their white space made plain."""
    spaced_html = _BLOCKS.sub(r" \g<0>", clean_page(html))  # blocks are separate words
    return " ".join(unescape(nh3.clean(spaced_html, tags=set())).split())
