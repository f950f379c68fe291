"""The address of a page with "Labels a day" over histories of several lengths, for its test."""

from django.http import HttpRequest, HttpResponse
from django.template import RequestContext, Template
from django.urls import path

from metrics.charts.charts import Chart
from metrics.charts.dashboard import DAY, labels_a_day

PAGE = Template(
    """{% extends "base.html" %}
{% block title %}Days{% endblock %}
{% block main %}<h1>Days</h1>
{% for chart in charts %}{% include "metrics/_chart.html" %}{% endfor %}{% endblock %}
{% block scripts %}{% include "parts/_chart_scripts.html" %}{% endblock %}"""
)
LENGTHS = (1, 2, 3, 5, 7, 8, 9, 21, 22, 30, 100, 365, 366, 400)  # days
SUMMER = 20_605 * DAY  # 1 June 2026


def history(n_days: int) -> Chart:
    """The chart of so many days in a row."""
    return labels_a_day([(SUMMER + number * DAY, 1 + number % 9) for number in range(n_days)])


def days(request: HttpRequest) -> HttpResponse:
    """A chart for each of the lengths."""
    charts = [history(n_days)._replace(id=f"days-{n_days}") for n_days in LENGTHS]
    return HttpResponse(PAGE.render(RequestContext(request, {"charts": charts})))


urlpatterns = [path("days/", days)]
