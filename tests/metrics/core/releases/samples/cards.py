"""A data card as a reader of Markdown sees it: front matter, blocks, tables and code."""

import re

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

TEXTS = {"text", "text_special"}


def front_matter_of(card: str) -> dict:
    """The fields between the two lines of three dashes at the head of a card."""
    first, fields, body = re.split(r"^---$", card, maxsplit=2, flags=re.MULTILINE)
    assert first == ""
    assert body
    return yaml.safe_load(fields)


def body_of(card: str) -> str:
    """The Markdown after the front matter."""
    return re.split(r"^---$", card, maxsplit=2, flags=re.MULTILINE)[2]


def tokens_of(markdown: str) -> list[Token]:
    """Tokens of CommonMark with tables, strikethrough and HTML, as sites of data read it."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return parser.parse(markdown)


def shape_of(markdown: str) -> list[tuple[str, ...]]:
    """Blocks of a text in their order, each with the marks inside, whatever its words are."""
    return [
        (token.type, token.tag, *(child.type for child in token.children or ()))
        if token.type == "inline" and any(child.type not in TEXTS for child in token.children)
        else (token.type, token.tag)
        for token in tokens_of(markdown)
    ]


def shown_text(token: Token) -> str:
    """The words of a block, as they are shown."""
    return "".join(child.content for child in token.children or ())


def table_lines(markdown: str) -> list[list[str]]:
    """Lines of each table."""
    blocks = re.findall(r"(?:^\|.*\n?)+", markdown, flags=re.MULTILINE)
    return [block.rstrip("\n").split("\n") for block in blocks]


def code_of(markdown: str, language: str) -> list[str]:
    """Blocks of code in a language."""
    tokens = tokens_of(markdown)
    return [token.content for token in tokens if token.type == "fence" and token.info == language]


def paragraphs_under(card: str, title: str) -> list[str]:
    """Paragraphs, items of lists and cells under a heading, up to the next, as they are shown."""
    tokens = tokens_of(body_of(card))
    heads = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    starts = [head for head in heads if shown_text(tokens[head + 1]) == title]
    assert len(starts) == 1, title
    end = next((head for head in heads if head > starts[0]), len(tokens))
    return [shown_text(token) for token in tokens[starts[0] + 3 : end] if token.type == "inline"]
