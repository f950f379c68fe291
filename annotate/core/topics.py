"""TREC topics: the tagged form, whose tags are seldom closed, its XML forms, and the form id<tab>text."""

import html
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from annotate.core import reading
from annotate.core.formats import FormatError, Problems, id_fault, shown

TOPIC_TAGS = ("top", "topic", "videotopic")
ID_TAGS = ("num", "number", "topicnum")
TEXT_TAGS = {  # the tags of a topic's texts; what each is called in print, which some files write after the tag
    "title": "Topic", "query": "Query", "question": "Question", "desc": "Description", "description": "Description",
    "narr": "Narrative", "narrative": "Narrative", "dom": "Domain", "textdescription": "Description",
}  # fmt: skip
HEADERS = ({"id", "qid", "query_id", "query-id", "topic"}, {"text", "query", "title", "topic"})
LONGEST = 100_000  # characters of one topic
_TAG = re.compile(r"<[ \t]{0,9}(/?)[ \t]{0,9}([A-Za-z][A-Za-z0-9_-]{0,30})([^<>]{0,300})>")
_NUMBER = re.compile(r"""(?:number|num|id)\s*=\s*["']?([^"'\s>]+)""")


class Topic(NamedTuple):
    """One topic: its id and its texts in the file's order; `line` is where it begins."""

    id: str
    texts: tuple[str, ...]
    line: int


def is_tagged(first: str) -> bool:
    """Whether the first line of a file is one of tagged topics."""
    begins = _TAG.match(first.strip())
    return bool(begins and begins[2].lower() in (*TOPIC_TAGS, "topics", "xml", "queries")) or (
        first.strip().startswith("<?xml") or bool(re.match(r"<\w*(track|topics)\w*[ >]", first.strip(), re.IGNORECASE))
    )


def is_listed(first: str) -> bool:
    """Whether the first line of a file is an id and a text with one tab between."""
    cells = first.split("\t")
    return len(cells) == 2 and "side" not in cells and not id_fault(cells[0].strip()) and bool(cells[1].strip())


def read_listed(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Topic]:
    """Topics of lines `id<tab>text`; a first line that names the two columns is left out."""
    for number, text in reading.lines(stream, name):
        cells = [cell.strip() for cell in text.split("\t")]
        if not text.strip() or (number == 1 and all(c.lower() in h for c, h in zip(cells, HEADERS, strict=False))):
            continue
        if len(cells) != 2:
            problems.note(
                FormatError(name, number, "", f"expected an id, a tab and a text; found {len(cells)} fields.")
            )
        else:
            yield from _checked(cells[0], [cells[1]], number, name, problems)


def read_tagged(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Topic]:
    """Topics from <top>, or <topic number="7">, to the next one; a tag inside ends where another begins."""
    reader = _Tagged(name, problems)
    number = 0
    for number, text in reading.lines(stream, name):
        yield from reader.feed(text, number)
    yield from reader.end(number)


class _Tagged:
    """The topic that is being read: which tag is open, and the texts of the tags so far."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name, self.problems = name, problems
        self._begins = 0  # the line of the topic's own tag, 0 outside of topics
        self._id = ""
        self._field = ""
        self._texts: list[list[str]] = []
        self._size = 0

    def feed(self, text: str, number: int) -> Iterator[Topic]:
        """Take in a line."""
        at = 0
        for tag in _TAG.finditer(text):
            self._take(text[at : tag.start()])
            at = tag.end()
            closes, called = bool(tag[1]), tag[2].lower()
            if called in TOPIC_TAGS:
                yield from self.end(number)
                if not closes:
                    self._open(tag[3], number)
            elif not closes and self._begins and called in (*ID_TAGS, *TEXT_TAGS):
                self._field = called
                if called in TEXT_TAGS:
                    self._texts.append([])
            elif called in (*ID_TAGS, *TEXT_TAGS):
                self._field = ""
        self._take(text[at:])
        self._take("\n")

    def _open(self, attributes: str, number: int) -> None:
        numbered = _NUMBER.search(attributes)
        self._begins, self._id = number, numbered[1] if numbered else ""

    def _take(self, text: str) -> None:
        if not self._begins or not text:
            return
        self._size += len(text)
        if self._size > LONGEST:
            message = f"the topic that begins in line {self._begins} does not end within {LONGEST:,} characters."
            raise FormatError(self.name, self._begins, "", message)
        if self._field in ID_TAGS:
            self._id += text
        elif self._field:
            self._texts[-1].append(text)

    def end(self, number: int) -> Iterator[Topic]:
        """The topic so far, where one is open."""
        begins, self._begins = self._begins, 0
        texts, self._texts, self._field, self._size = self._texts, [], "", 0
        if begins:
            called = re.sub(r"^\s*(Number|Topic)\s*:", "", self._id, flags=re.IGNORECASE).strip()
            yield from _checked(called, ["".join(text) for text in texts], begins, self.name, self.problems)


def _checked(called: str, texts: list[str], number: int, name: str, problems: Problems) -> Iterator[Topic]:
    cleaned = [text for raw in texts if (text := _clean(raw))]
    if fault := id_fault(called):
        problems.note(FormatError(name, number, "id", f"the topic's id {fault}."))
    elif not cleaned:
        problems.note(
            FormatError(name, number, "text", f"topic {shown(called)} has no title, description or narrative.")
        )
    else:
        yield Topic(called, tuple(cleaned), number)


def _clean(text: str) -> str:
    """The text in one line a paragraph, without the label that old files repeat: "Description: ..."."""
    paragraphs = [" ".join(html.unescape(each).split()) for each in re.split(r"\n\s*\n", text.strip())]
    whole = "\n".join(each for each in paragraphs if each)
    labels = "|".join(sorted(set(TEXT_TAGS.values())))
    return re.sub(rf"^(?:{labels})\s*:\s*", "", whole)
