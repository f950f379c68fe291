"""TREC topics: the tagged form, whose tags are seldom closed, its XML forms, and id<tab>text."""

import html
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from annotate.core.files import text_files
from annotate.core.files.formats import FormatError, Problems, id_fault, quoted

TOPIC_TAGS = ("top", "topic", "videotopic")
ID_TAGS = ("num", "number", "topicnum")
# the tags of a topic's texts, with their labels, which some files write after the tag
TEXT_TAGS = {
    "title": "Topic",
    "query": "Query",
    "question": "Question",
    "desc": "Description",
    "description": "Description",
    "narr": "Narrative",
    "narrative": "Narrative",
    "dom": "Domain",
    "textdescription": "Description",
}
HEADERS = ({"id", "qid", "query_id", "query-id", "topic"}, {"text", "query", "title", "topic"})
MAX_TOPIC_LENGTH = 100_000  # characters of one topic
_TAG = re.compile(r"<[ \t]{0,9}(/?)[ \t]{0,9}([A-Za-z][A-Za-z0-9_-]{0,30})([^<>]{0,300})>")
_NUMBER = re.compile(r"""(?:number|num|id)\s*=\s*["']?([^"'\s>]+)""")


class Topic(NamedTuple):
    """One topic: its id, its texts in the file's order, and its first line."""

    id: str
    texts: tuple[str, ...]
    line: int


def is_tagged(first_line: str) -> bool:
    """True if a file's first line is one of tagged topics."""
    tag = _TAG.match(first_line.strip())
    return bool(tag and tag[2].lower() in (*TOPIC_TAGS, "topics", "xml", "queries")) or (
        first_line.strip().startswith("<?xml")
        or bool(re.match(r"<\w*(track|topics)\w*[ >]", first_line.strip(), re.IGNORECASE))
    )


def is_id_and_text(first_line: str) -> bool:
    """True if a file's first line is an id and a text with one tab between."""
    cells = first_line.split("\t")
    return (
        len(cells) == 2
        and "side" not in cells
        and not id_fault(cells[0].strip())
        and bool(cells[1].strip())
    )


def read_listed(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Topic]:
    """Yield the topics of lines `id<tab>text`; a header line is left out."""
    for number, text in text_files.lines(stream, name):
        cells = [cell.strip() for cell in text.split("\t")]
        if not text.strip() or (
            number == 1
            and all(c.lower() in header for c, header in zip(cells, HEADERS, strict=False))
        ):
            continue
        if len(cells) != 2:
            problems.add_or_stop(
                FormatError(
                    name,
                    number,
                    "",
                    f"expected an id, a tab and a text; found {len(cells)} fields.",
                )
            )
        else:
            yield from _checked_topic(cells[0], [cells[1]], number, name, problems)


def read_tagged(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Topic]:
    """Yield topics, each from its <top> or <topic number="7">; inner tags end at the next."""
    reader = _TaggedTopicReader(name, problems)
    number = 0
    for number, text in text_files.lines(stream, name):
        yield from reader.feed(text, number)
    yield from reader.end(number)


class _TaggedTopicReader:
    """The topic being read: its open tag, and the texts of its tags so far."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name, self.problems = name, problems
        self._first_line_number = 0  # the line of the topic's own tag, 0 outside of topics
        self._id = ""
        self._field = ""
        self._texts: list[list[str]] = []
        self._size = 0

    def feed(self, text: str, number: int) -> Iterator[Topic]:
        """Read a line, and yield the topics that it completes."""
        position = 0
        for tag in _TAG.finditer(text):
            self._add_text(text[position : tag.start()])
            position = tag.end()
            is_closing, tag_name = bool(tag[1]), tag[2].lower()
            if tag_name in TOPIC_TAGS:
                yield from self.end(number)
                if not is_closing:
                    id_match = _NUMBER.search(tag[3])
                    self._first_line_number, self._id = number, id_match[1] if id_match else ""
            elif not is_closing and self._first_line_number and tag_name in (*ID_TAGS, *TEXT_TAGS):
                self._field = tag_name
                if tag_name in TEXT_TAGS:
                    self._texts.append([])
            elif tag_name in (*ID_TAGS, *TEXT_TAGS):
                self._field = ""
        self._add_text(text[position:])
        self._add_text("\n")

    def _add_text(self, text: str) -> None:
        if not self._first_line_number or not text:
            return
        self._size += len(text)
        if self._size > MAX_TOPIC_LENGTH:
            message = (
                f"the topic that begins in line {self._first_line_number} does not end within "
                f"{MAX_TOPIC_LENGTH:,} characters."
            )
            raise FormatError(self.name, self._first_line_number, "", message)
        if self._field in ID_TAGS:
            self._id += text
        elif self._field:
            self._texts[-1].append(text)

    def end(self, number: int) -> Iterator[Topic]:
        """Yield the topic so far, if one is open."""
        first_line_number, self._first_line_number = self._first_line_number, 0
        texts, self._texts, self._field, self._size = self._texts, [], "", 0
        if first_line_number:
            topic_id = re.sub(r"^\s*(Number|Topic)\s*:", "", self._id, flags=re.IGNORECASE).strip()
            yield from _checked_topic(
                topic_id,
                ["".join(text) for text in texts],
                first_line_number,
                self.name,
                self.problems,
            )


def _checked_topic(
    topic_id: str, texts: list[str], number: int, name: str, problems: Problems
) -> Iterator[Topic]:
    cleaned = [text for raw in texts if (text := _clean(raw))]
    if fault := id_fault(topic_id):
        problems.add_or_stop(FormatError(name, number, "id", f"the topic's id {fault}."))
    elif not cleaned:
        problems.add_or_stop(
            FormatError(
                name,
                number,
                "text",
                f"topic {quoted(topic_id)} has no title, description or narrative.",
            )
        )
    else:
        yield Topic(topic_id, tuple(cleaned), number)


def _clean(text: str) -> str:
    """The text with one line per paragraph, without the label of old files: "Description: ..."."""
    paragraphs = [
        " ".join(html.unescape(paragraph).split())
        for paragraph in re.split(r"\n\s*\n", text.strip())
    ]
    text_lines = "\n".join(paragraph for paragraph in paragraphs if paragraph)
    labels = "|".join(sorted(set(TEXT_TAGS.values())))
    return re.sub(rf"^(?:{labels})\s*:\s*", "", text_lines)
