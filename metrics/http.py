"""Requests for files of qrels, and addresses with label sources."""

import re
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

from django.http import QueryDict

from annotate.models import Direction, QuerySet
from metrics.core.labels.label_sources import LabelSource, RequestedSource, UnknownLabelSource

MAX_SOURCE = 100  # characters of a label source in a file's name


class QrelsRequest(NamedTuple):
    """The requested qrels: the grades of a label source in one direction.

    query_set : only labels of its queries (and targets of its gallery); None means all
    threshold : write 1 from this grade up and 0 below; None writes the grades
    rule : a key of metrics.core.labels.download_rules.RULES; "" takes people's grades as the
        collection's policy decided them
    """

    direction: Direction
    label_source: LabelSource
    query_set: QuerySet | None = None
    threshold: int | None = None
    rule: str = ""

    @property
    def file_name(self) -> str:
        """A file name that describes the content."""
        binary = "" if self.threshold is None else f"-from-{self.threshold}"
        rule = f"-{self.rule}" if self.rule else ""
        return f"{self.direction}-{source_in_name(self.label_source)}{rule}{binary}.qrels"


def source_in_name(label_source: LabelSource) -> str:
    """Return a label source as a part of a file's name."""
    source = quote(label_source.key.replace(":", "-"), safe=",%()")
    if len(source) > MAX_SOURCE:  # a long one is cut and marked with its hash
        mark = sha256(source.encode()).hexdigest()[:8]
        source = f"{re.sub('%.?$', '', source[: MAX_SOURCE - 9])}~{mark}"
    return source


def single_key_address(parameters: QueryDict) -> str:
    """Return the same query string with the label source as one key, if a form named its parts.

    Else "".
    Parts that make no source are left as they are, so that the page reports the error.
    """
    sets = tuple(parameters.getlist("sets"))
    if not sets:
        return ""
    address = parameters.copy()
    del address["sets"]
    try:
        address["labels"] = RequestedSource(parameters.get("labels", ""), sets).source().key
    except UnknownLabelSource:
        return ""
    return address.urlencode(safe=":,")
