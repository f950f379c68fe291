"""Pace, hours and pay of a collection in words, line by line, for the dashboard."""

from decimal import Decimal
from typing import NamedTuple

from django.template.defaultfilters import floatformat

from annotate.core.phrases import counted
from annotate.services.pages.stuck_labels import StuckLabels
from metrics.services.dashboard.details_page import Forecast, ValueRange

NO_TIME = "not defined yet: no label carries a time"


class PayForecast(NamedTuple):
    """Cost of judging at the pay an hour; None where no pay is set or no label carries a time."""

    rate: Decimal | None
    currency: str
    spent: float | None = None
    cost_left: float | None = None
    low: float | None = None
    high: float | None = None


class ForecastLine(NamedTuple):
    """One number of the forecast in words; `note` says what it rests on, empty without one."""

    name: str
    text: str
    note: str = ""


class PromisedDays(NamedTuple):
    """Working days of the labels that present people can give, at the pace so far.

    days : None where none are promised, and `reason` says why; n_to_come : these labels
    """

    days: ValueRange | None
    n_to_come: int
    reason: str = ""


def promised_days(
    forecast: Forecast, stuck: StuckLabels | None, *, archived_text: str = ""
) -> PromisedDays:
    """Return the working days left, alike on the page and in the API; stuck : as on the page.

    archived_text : since when the collection is archived, so that none are; "" where it is not
    """
    n_left = forecast.n_left
    if archived_text:
        return PromisedDays(None, n_left, archived_text)
    if forecast.days_left is None or stuck is None:
        return PromisedDays(forecast.days_left, n_left, forecast.reason)
    n_to_come = n_left - stuck.n_labels
    if n_to_come < 0:
        # these numbers are older than the count of what nobody can give
        return PromisedDays(None, 0, "what is left has changed since these numbers")
    if not stuck.n_people or not n_to_come:
        return PromisedDays(None, 0, "nobody here can give the labels that are left")
    if stuck.is_more:
        reason = f"nobody here can give {stuck.count_text} labels"
        return PromisedDays(None, n_to_come, reason)
    share = n_to_come / n_left
    value, low, high = forecast.days_left
    days = ValueRange(
        share * value,
        None if low is None else share * low,
        None if high is None else share * high,
    )
    return PromisedDays(days, n_to_come)


def forecast_lines(
    forecast: Forecast,
    pay: PayForecast,
    stuck: StuckLabels | None = None,
    *,
    archived_text: str = "",
) -> list[ForecastLine]:
    """The lines of a forecast; stuck : labels that no day is promised for.

    archived_text : since when the collection is archived; "" where it is not
    """
    return [
        _pace(forecast),
        _days_left(forecast, stuck, archived_text),
        _hours_spent(forecast),
        _hours_left(forecast),
        _pay(pay),
    ]


def _pace(forecast: Forecast) -> ForecastLine:
    if forecast.pace is None:
        return ForecastLine("Labels a day", f"not defined yet: {forecast.reason}")
    note = f"({counted(forecast.n_days, 'whole day')} with labels)"
    return ForecastLine("Labels a day", _range_text(forecast.pace, "0g"), note)


def _days_left(forecast: Forecast, stuck: StuckLabels | None, archived_text: str) -> ForecastLine:
    name = "Working days left"
    days, n_to_come, reason = promised_days(forecast, stuck, archived_text=archived_text)
    if archived_text:
        n_left = counted(n_to_come, "label")
        return ForecastLine(name, f"none: {reason}", f"({n_left} left)")
    if forecast.days_left is None:
        n_left = counted(forecast.n_left, "label")
        return ForecastLine(name, f"not defined yet: {reason}", f"({n_left} left)")
    if days is None:
        return ForecastLine(name, f"not known: {reason}")
    note = f"for {counted(n_to_come, 'label')} at this pace; disagreements add labels"
    if stuck is not None:
        note += f"; {counted(stuck.n_labels, 'label')} nobody here can give not counted"
    return ForecastLine(name, _range_text(days, 1), note)


def _hours_spent(forecast: Forecast) -> ForecastLine:
    name = "Hours of people so far"
    if forecast.hours_spent is None:
        return ForecastLine(name, NO_TIME)
    untimed = f"; {forecast.n_untimed:,} more without a time" if forecast.n_untimed else ""
    judgments = counted(forecast.n_timed, "judgment")
    note = f"active time of {judgments}, checks and training included{untimed}"
    return ForecastLine(name, floatformat(forecast.hours_spent, "1g"), note)


def _hours_left(forecast: Forecast) -> ForecastLine:
    if forecast.hours_left is None:
        return ForecastLine("Hours left", NO_TIME)
    note = "at the mean active time of a label, without golds"
    return ForecastLine("Hours left", _range_text(forecast.hours_left, "1g"), note)


def _pay(pay: PayForecast) -> ForecastLine:
    if pay.rate is None:
        return ForecastLine("Pay", "no pay an hour is set")
    if pay.spent is None:
        return ForecastLine("Pay", NO_TIME)
    text = f"{floatformat(pay.spent, '0g')} {pay.currency} so far"
    if pay.cost_left is not None:
        text += f", {floatformat(pay.cost_left, '0g')} {pay.currency} left"
        low, high = floatformat(pay.low, "0g"), floatformat(pay.high, "0g")
        if low != high:
            text += f" (range {low} to {high})"
    return ForecastLine("Pay", text, f"at {pay.rate} {pay.currency} an hour")


def _range_text(value: ValueRange, digits: int | str) -> str:
    """The number with its range, if it has one that these digits show."""
    text, low = floatformat(value.value, digits), floatformat(value.low, digits)
    high = floatformat(value.high, digits)
    return text if low == high else f"{text}, range {low} to {high}"
