"""What is asked for and answered in files."""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

from django.http import QueryDict, StreamingHttpResponse

from annotate.models import Direction, QuerySet
from metrics.core.label_sources import AskedSource, LabelSource, UnknownLabelSource

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
        source = _shortened(quote(self.label_source.key.replace(":", "-"), safe=",%()"))
        binary = "" if self.threshold is None else f"-from-{self.threshold}"
        rule = f"-{self.rule}" if self.rule else ""
        return f"{self.direction}-{source}{rule}{binary}.qrels"


def one_key(given: QueryDict) -> str:
    """The same address with the label source as one key, where a form named its parts; "" where none did.

    Parts that make no source are left for the page to say what is wrong with them.
    """
    sets = tuple(given.getlist("sets"))
    if not sets:
        return ""
    address = given.copy()
    del address["sets"]
    try:
        address["labels"] = AskedSource(given.get("labels", ""), sets).source().key
    except UnknownLabelSource:
        return ""
    return address.urlencode(safe=":,")


def _shortened(source: str) -> str:
    """A label source for a file's name; a long one is cut, with a mark that another one does not have."""
    if len(source) <= MAX_SOURCE:
        return source
    mark = sha256(source.encode()).hexdigest()[:8]
    return f"{re.sub('%.?$', '', source[:MAX_SOURCE - 9])}~{mark}"


def attachment(lines: Iterator[str], name: str, content_type: str) -> StreamingHttpResponse:
    """A file that is sent while it is made."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type=content_type, headers=headers)
