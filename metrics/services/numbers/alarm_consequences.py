"""The consequences of ending an alarm."""

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from metrics.services.numbers.alarms import AlarmRow, AlarmsPage


def rows_with_endings(*, page: AlarmsPage) -> list[tuple[AlarmRow, Consequences]]:
    """Return the alarms of a page, each with the consequences of ending it; no query."""
    raised_keys = [row.alarm.pk for row in page.active]
    return [
        (row, end_consequences(description=row.description, n_up=raised_keys.count(row.alarm.pk)))
        for row in page.alarms
    ]


def end_consequences(*, description: str, n_up: int) -> Consequences:
    """Return the consequences of watching a number no more.

    description : the alarm in words; n_up : of how many numbers it is up now, such as of people
    """
    notices = counted(n_up, "notice")
    return Consequences(
        act="end",
        title="End",
        subject=description,
        button=f"End it, with {notices}" if n_up else "End it",
        sentences=(
            "Its number is looked at no more, and webhooks are told of it no more.",
            f"It is up: {notices} would leave the dashboard and the bar."
            if n_up
            else "It is not up.",
            "What it said before stays in the log.",
        ),
        way_back="The same alarm can be set again here.",
        is_danger=False,
    )
