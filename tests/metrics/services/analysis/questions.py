"""Choices of the analysis room from parameters, and answers computed at once."""

from django.http import QueryDict

from annotate.models import Collection
from annotate.services.background import kept
from metrics.services.analysis.choices import SharedChoices, read_shared_choices
from metrics.services.analysis.computation import AnalysisAnswer, compute_now, inquiry_of
from metrics.services.analysis.register import ANALYSES


def chosen(collection: Collection, *, viewer=None, **parameters: object) -> SharedChoices:
    """The choices of an address with these parameters; lists are repeated."""
    address = QueryDict(mutable=True)
    for name, value in parameters.items():
        address.setlist(name, [str(v) for v in (value if isinstance(value, list) else [value])])
    return read_shared_choices(collection=collection, viewer=viewer, parameters=address)


def answer_of(collection: Collection, name: str, **parameters: object) -> AnalysisAnswer:
    """The answer of an analysis, computed in this process."""
    spec = ANALYSES[name].spec(chosen(collection, **parameters))
    return compute_now(
        collection=collection, spec=spec, report_progress=lambda done, total, unit: None
    )


def table_of(collection: Collection, name: str, **parameters: object) -> list[dict[str, object]]:
    """The rows of an analysis that is defined, each by the keys of its columns."""
    result = answer_of(collection, name, **parameters).result
    assert result is not None
    keys = [column.key for column in result.columns]
    return [dict(zip(keys, row, strict=True)) for row in result.rows]


def compute_kept(collection: Collection, name: str, **parameters: object) -> bool:
    """Compute and store the answer as a worker does; False if it was fresh."""
    spec = ANALYSES[name].spec(chosen(collection, **parameters))
    return kept.compute(inquiry=inquiry_of(collection=collection, spec=spec))
