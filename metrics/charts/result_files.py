"""Results as files and as text: tables of columns, and the chart."""

import csv
import io

from annotate.core.files.spreadsheet_cells import safe_cell
from metrics.charts.pictures import PictureError, svg_of
from metrics.charts.results import AnalysisResult


def as_csv(result: AnalysisResult) -> str:
    """The table with all digits; undefined numbers are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([column.key for column in result.columns])
    writer.writerows([safe_cell(cell) for cell in row] for row in result.rows)
    return stream.getvalue()


def as_text(result: AnalysisResult, caption: str) -> str:
    """The sentences, each after a #, and the table with tabs, as numbers are printed."""
    sentences = [result.headline, result.reading, caption, *result.notes]
    lines = [f"# {_line(sentence)}\n" for sentence in sentences]
    lines.append("\t".join(column.title for column in result.columns) + "\n")
    lines += ["\t".join(map(_line, row)) + "\n" for row in result.printed_rows()]
    return "".join(lines)


def as_svg(result: AnalysisResult, name: str, caption: str) -> str:
    """The chart as a picture; raises PictureError, also for a table without one."""
    if result.spec is None:
        raise PictureError("It is a table without a chart: take --csv or --json.")
    return svg_of(result.chart(id=name, caption=caption))


def _line(cell: object) -> str:
    """The text of a cell or a sentence in one line, without tabs."""
    return " ".join(str(cell).split())
