"""Cells of files that people open in a spreadsheet."""

from datetime import UTC, datetime

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: object) -> object:
    """The value as a cell that no spreadsheet takes for a formula.

    Numbers stay, None becomes empty.

    Text that begins like a formula gets an apostrophe in front; files for programs are written
    without.
    """
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value


def timestamp(moment: datetime | None) -> str | None:
    """A moment in UTC to the millisecond: 2024-05-31T14:00:00.000Z."""
    return (
        None
        if moment is None
        else f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
    )
