"""Findings as files: the table as CSV, and everything as one JSON object."""

import csv
import io
from typing import Any

from annotate.core.files.spreadsheet_cells import safe_cell, timestamp
from metrics.charts.findings import Finding
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.choices import SharedChoices
from metrics.services.analysis.computation import Answer
from metrics.services.analysis.page import caption_of


def as_csv(finding: Finding) -> str:
    """The table with all digits; undefined numbers are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([column.key for column in finding.columns])
    writer.writerows([safe_cell(cell) for cell in row] for row in finding.rows)
    return stream.getvalue()


def as_row(analysis: Analysis) -> dict[str, Any]:
    """A row of the register as JSON."""
    return {
        "name": analysis.name,
        "chapter": analysis.chapter.slug,
        "question": analysis.question,
        "paper": analysis.paper,
        "definition": analysis.definition,
        "choices": sorted(analysis.choices),
    }


def as_json(*, analysis: Analysis, choices: SharedChoices, answer: Answer) -> dict[str, Any]:
    """The finding with its choices, or the reason why there is none, as one JSON object."""
    spec = analysis.spec(choices)
    names = {run.pk: run.name for run in choices.runs}
    return {
        **as_row(analysis),
        "direction": spec.direction,
        "query_set": spec.scores.query_set,
        "label_source": spec.scores.label_source,
        "threshold": spec.scores.threshold,
        "measure": next(iter(spec.scores.measures), None),
        "runs": [names[pk] for pk in spec.scores.runs],
        "computed_at": timestamp(answer.computed_at),
        "is_stale": answer.is_stale,
        "not_defined": answer.reason or None,
        **_finding_fields(analysis, choices, answer),
    }


def _finding_fields(analysis: Analysis, choices: SharedChoices, answer: Answer) -> dict[str, Any]:
    finding = answer.finding
    if finding is None:
        return dict.fromkeys(("headline", "caption", "notes", "columns", "rows", "spec"))
    return {
        "headline": finding.headline,
        "caption": f"{finding.reading} {caption_of(analysis, choices, answer)}",
        "notes": finding.notes,
        "columns": [column._asdict() for column in finding.columns],
        "rows": finding.rows,
        "spec": finding.spec,
    }
