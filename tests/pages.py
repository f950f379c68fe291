"""The text of pages, wherever their templates break lines, and words in it that are codes."""

import re
from html.parser import HTMLParser

from django.http import HttpResponse

SPOKEN = ("alt", "aria-label", "label", "placeholder", "title")  # attributes that people read
UNREAD = ("code", "kbd", "pre", "samp", "script", "style", "template", "textarea")
CODE = re.compile(r"(?<![\w./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w./-])")
# names that others gave: of programs, of a measure's parameter, of arrays in files of runs
NAMES = (
    *("ir_datasets", "ir_measures", "pytrec_eval", "trec_eval"),
    *("judged_only", "sim_mat", "row_ids", "column_ids"),
)


def text_of(answer: HttpResponse) -> str:
    """The answer's page with its white space as browsers see it."""
    return " ".join(answer.content.decode().split())


def codes_in(text: str) -> list[str]:
    """Words of a text that are written like the codes of a program, such as `not_enough`."""
    return [code for code in CODE.findall(text) if code not in NAMES]


class VisibleTexts(HTMLParser):
    """The texts of a page that are read or spoken, without samples of code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.unread_tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNREAD:
            self.unread_tags.append(tag)
        self.texts += [text or "" for name, text in attrs if name in SPOKEN]

    def handle_endtag(self, tag: str) -> None:
        if self.unread_tags and tag == self.unread_tags[-1]:
            self.unread_tags.pop()

    def handle_data(self, data: str) -> None:
        if not self.unread_tags:
            self.texts.append(data)
