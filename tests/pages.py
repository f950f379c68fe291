"""The text of pages, wherever their templates break lines, and words in it that are codes."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from django.http import HttpResponse

SPOKEN = ("alt", "aria-label", "label", "placeholder", "title")  # attributes that people read
UNREAD = ("code", "kbd", "pre", "samp", "script", "style", "template", "textarea")
WORDS_OF_CHARTS = ("title", "subtitle", "text")  # of axes, legends, tooltips and marks
SPEC = re.compile(r'<script id="[^"]*-spec" type="application/json">(.*?)</script>', re.DOTALL)
CODE = re.compile(r"(?<![\w./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w./-])")
# names that others gave: of programs, of a measure's parameter, of arrays in files of runs
CHANGED_SINCE = "It has been changed since; nothing was changed."  # of an Undo that came too late
NAMES = (
    *("ir_datasets", "ir_measures", "pytrec_eval", "trec_eval"),
    *("judged_only", "sim_mat", "row_ids", "column_ids"),
)


def text_of(answer: HttpResponse) -> str:
    """The answer's page with its white space as browsers see it."""
    return " ".join(answer.content.decode().split())


def notice_form(page: str) -> tuple[str, dict[str, str]]:
    """The address of the button that takes back what the page tells, and the fields it sends."""
    _, form = page.split('<form class="undo"')
    form, _ = form.split("</form>", 1)
    (action,) = re.findall('action="([^"]+)"', form)
    fields = re.findall(r'name="(\w+)"\s+value="([^"]+)"', form)
    return action, dict(fields)


def codes_in(text: str) -> list[str]:
    """Words of a text that are written like the codes of a program, such as `not_enough`."""
    return [code for code in CODE.findall(text) if code not in NAMES]


def chart_texts(html: str) -> list[str]:
    """The words of all charts of a page, beside the names that are in their data."""
    return [text for spec in SPEC.findall(html) for text in _spec_texts(json.loads(spec))]


def _spec_texts(part: object) -> Iterator[str]:
    for name, value in part.items() if isinstance(part, dict) else ():
        lines = value if isinstance(value, list) else [value]
        if name in WORDS_OF_CHARTS:
            yield from (line for line in lines if isinstance(line, str))
        if name == "tooltip":  # a row without a title shows the name of its field
            rows = [row for row in lines if isinstance(row, dict)]
            yield from (row["field"] for row in rows if "field" in row and "title" not in row)
        if name != "data":
            for line in lines:
                yield from _spec_texts(line)


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
