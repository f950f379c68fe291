"""What is asked for and answered in files."""

from collections.abc import Iterator
from typing import NamedTuple

from django.http import StreamingHttpResponse

from annotate.models import Direction, QuerySet, ReferenceSet
from metrics.models import LabelSource


class Wanted(NamedTuple):
    """Which qrels: the grades of a label source in one direction.

    query_set : only labels of its queries (and targets of its gallery); None means all
    threshold : write 1 from this grade up and 0 below; None writes the grades
    rule : a key of metrics.core.rules.RULES; "" takes people's grades as the collection's policy decided them
    """

    direction: Direction
    label_source: LabelSource
    reference_set: ReferenceSet | None
    query_set: QuerySet | None = None
    threshold: int | None = None
    rule: str = ""

    @property
    def file_name(self) -> str:
        """A name that tells what is inside."""
        reference = f"-{self.reference_set.pk}" if self.reference_set else ""
        binary = "" if self.threshold is None else f"-from-{self.threshold}"
        rule = f"-{self.rule}" if self.rule else ""
        return f"{self.direction}-{self.label_source}{reference}{rule}{binary}.qrels"


def attachment(lines: Iterator[str], name: str, content_type: str) -> StreamingHttpResponse:
    """A file that is sent while it is made."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type=content_type, headers=headers)
