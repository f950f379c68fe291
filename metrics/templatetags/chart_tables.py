"""Template tag for the rows of tables of numbers, of which a page may have thousands of cells."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django import template
from django.template.loader import get_template
from django.utils.formats import localize
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from annotate.templatetags.moments import moment
from metrics.charts.charts import Figure
from metrics.services.analysis.item_columns import ItemCell

register = template.Library()
IN_A_LINE = 24  # characters of a cell that is never broken; a longer text has some width


@register.simple_tag
def table_heads(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> SafeString:
    """The heads of a table's columns: those of numbers, and of more words, have a class for it."""
    parts = []
    for position, title in enumerate(columns):
        cells = [row[position] for row in rows]
        is_number = any(isinstance(cell, Figure) and cell.exact for cell in cells)
        classes = ["number"] * is_number + ["words"] * (len(title) > IN_A_LINE)
        of_class = format_html(' class="{}"', " ".join(classes)) if classes else ""
        parts.append(format_html('<th scope="col"{}>{}</th>', of_class, title))
    return mark_safe("".join(parts))  # noqa: S308 - every title is escaped above


@register.simple_tag
def table_rows(rows: Iterable[Iterable[object]], number_class: str = "") -> SafeString:
    """The rows of a table's body, each with a head and cells; numbers carry all of their digits.

    A loop of the template would take ten times as long.

    number_class : the class of cells with numbers
    """
    of_class = format_html(' class="{}"', number_class) if number_class else ""
    brief = get_template("annotate/review/_item_brief.html")
    parts = []
    for row in rows:
        parts.append("<tr>")
        for number, cell in enumerate(row):
            if isinstance(cell, datetime):
                parts.append(
                    format_html(
                        '<td class="as-text" data-value="{}">{}</td>',
                        cell.isoformat(),
                        moment(cell),
                    )
                )
                continue
            if isinstance(cell, ItemCell):
                head = 'th scope="row"' if number == 0 else 'td class="as-text"'
                name = conditional_escape(cell.item.external_id)
                content = brief.render(cell._asdict())
                parts.append(f'<{head} data-value="{name}">{content}</{head[:2]}>')
                continue
            exact = conditional_escape(cell.exact) if isinstance(cell, Figure) else ""
            text = conditional_escape(str(cell if isinstance(cell, Figure) else localize(cell)))
            of_words = ' class="words"' if len(text) > IN_A_LINE else ""
            if number == 0:
                parts.append(f'<th scope="row"{of_words}>{text}</th>')
            elif exact:
                parts.append(f'<td{of_class} data-value="{exact}">{text}</td>')
            else:
                parts.append(f"<td{of_words}>{text}</td>")
        parts.append("</tr>")
    return mark_safe("".join(parts))  # noqa: S308 - every cell is escaped above
