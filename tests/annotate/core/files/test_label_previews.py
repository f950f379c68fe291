"""Previews of labels: cells that are empty, times, and lines at fault."""

from datetime import UTC, datetime

from annotate.core.files.formats import FormatError
from annotate.core.files.judgments.judgment_formats import JudgmentRow
from annotate.core.files.label_previews import LabelPreview

AT = datetime(2026, 3, 5, 7, 8, tzinfo=UTC)


def test_a_time_that_a_file_lacks_is_an_empty_cell():
    labels = [JudgmentRow("ann", "q1", "d1", 1, at, 2) for at in (AT, None)]
    preview = LabelPreview("labels.csv", labels=labels)
    assert preview.columns[-1] == "Time"
    assert [row[-1] for row in preview.rows] == ["5 Mar 2026 07:08 UTC", ""]


def test_lines_at_fault_are_counted_beside_the_labels():
    labels = [JudgmentRow("ann", "q1", "d1", 1, None, 2)]
    preview = LabelPreview("labels.csv", labels=labels)
    assert preview.counts == "The whole file was read: 1 label."
    preview.problems.add(FormatError("labels.csv", 3, "grade", "“x” is no number."))
    assert preview.counts == "The whole file was read: 1 label, 1 line at fault."
