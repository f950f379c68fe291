"""What is asked for and answered in files."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import quote

from django.http import QueryDict, StreamingHttpResponse

from annotate.models import Direction, QuerySet
from metrics.core.label_sources import LabelSource, UnknownLabelSource

MAX_SOURCE = 100  # characters of a label source in a file's name


class Wanted(NamedTuple):
    """Which qrels: the grades of a label source in one direction.

    query_set : only labels of its queries (and targets of its gallery); None means all
    threshold : write 1 from this grade up and 0 below; None writes the grades
    rule : a key of metrics.core.rules.RULES; "" takes people's grades as the collection's policy decided them
    """

    direction: Direction
    label_source: LabelSource
    query_set: QuerySet | None = None
    threshold: int | None = None
    rule: str = ""

    @property
    def file_name(self) -> str:
        """A name that tells what is inside."""
        source = quote(self.label_source.key.replace(":", "-"), safe=",")[:MAX_SOURCE]
        binary = "" if self.threshold is None else f"-from-{self.threshold}"
        rule = f"-{self.rule}" if self.rule else ""
        return f"{self.direction}-{source}{rule}{binary}.qrels"


def one_key(given: QueryDict) -> str:
    """The same address with the label source as one key, where a form named its parts; "" where none did."""
    sets = given.getlist("sets")
    if not sets:
        return ""
    address = given.copy()
    del address["sets"]
    with suppress(UnknownLabelSource):  # then the page says what is wrong with it
        address["labels"] = LabelSource.of(given.get("labels", ""), sets).key
    return address.urlencode(safe=":,")


def attachment(lines: Iterator[str], name: str, content_type: str) -> StreamingHttpResponse:
    """A file that is sent while it is made."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type=content_type, headers=headers)
