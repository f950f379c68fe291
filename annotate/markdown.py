"""Guidelines as people write them, made safe to show."""

import nh3
from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}


def to_html(markdown: str) -> str:
    """CommonMark with tables as HTML that holds text, lists, tables and links, and nothing that runs."""
    return nh3.clean(_MARKDOWN.render(markdown), tags=_TAGS, attributes={"a": {"href"}})
