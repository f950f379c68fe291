"""Columns of analyses with moments, which pages show in the time of the reader."""

from datetime import datetime

from metrics.charts.charts import Chart
from metrics.charts.results import AnalysisResult


def with_moments(result: AnalysisResult, chart: Chart) -> Chart:
    """The chart of a result with moments in place of their texts, which are those of files."""
    positions = [position for position, column in enumerate(result.columns) if column.is_moment]
    if not positions:
        return chart
    rows = []
    for row in chart.rows:
        cells = list(row)
        for position in positions:
            if cells[position]:
                cells[position] = datetime.fromisoformat(str(cells[position]))
        rows.append(cells)
    return chart._replace(rows=rows)
