"""The address of a page with charts of every kind of width, and those charts, for their tests."""

from django.http import HttpRequest, HttpResponse
from django.template import RequestContext, Template
from django.urls import path

from metrics.charts.axes import TWO_LINES, WRAPPED
from metrics.charts.charts import AlphaPoint, Chart, LevelCount, alpha_history, level_distribution
from metrics.charts.leaderboard import score_history

PAGE = Template(
    """{% extends "base.html" %}
{% block title %}Charts{% endblock %}
{% block main %}<h1>Charts</h1>
{% for chart in charts %}{% include "metrics/_chart.html" %}{% endfor %}{% endblock %}
{% block scripts %}{% include "parts/_chart_scripts.html" %}{% endblock %}"""
)
RUNS = ("@blue", "bm25 & more", "<script>", "Ὅμηρος", "Łódź", "r" * 60)
# names, and the beginning of each of their lines
LONG_NAMES = {
    "bm25 with defaults": ["bm25 with defaults"],
    f"people over the original and {'m' * 30}": ["people over the", "original and m"],
    "clip_large_patch14_finetuned": ["clip_large_patch14_", "finetuned"],
    "Ὅμηρος, ὁ τῆς Ἰλιάδος ποιητής": ["Ὅμηρος, ὁ τῆς", "Ἰλιάδος ποιητής"],
    "w" * 40: ["ww"],
}
RUN = {"field": "run", "type": "nominal", "title": None}
SHARE = {"field": "share", "type": "quantitative", "title": "Share"}


def margins() -> Chart:
    """A main plot, and at its right a margin plot of 90 pixels."""
    rows = [{"share": number / 10, "score": number * 1000} for number in range(6)]
    score = {"field": "score", "type": "quantitative", "title": "Score"}
    main = {
        "width": "@plot",
        "height": 160,
        "mark": {"type": "point", "color": "@teal"},
        "encoding": {"x": SHARE, "y": score},
    }
    margin = {
        "width": 90,
        "height": 160,
        "mark": {"type": "bar", "color": "@slate"},
        "encoding": {"x": SHARE, "y": {**score, "axis": None}},
    }
    spec = {"data": {"values": rows}, "hconcat": [main, margin]}
    return Chart("margins", "Margins", "", spec, ["Share"], [[row["share"]] for row in rows])


def shades() -> Chart:
    """A heat map, whose legend is a gradient, with clips."""
    rows = [{"run": run, "share": number / 10} for number, run in enumerate(RUNS)]
    spec = {
        "data": {"values": rows},
        "mark": {"type": "rect", "clip": True},
        "encoding": {"y": RUN, "color": {**SHARE, "scale": {"range": "ramp"}}},
    }
    return Chart("shades", "Shades", "", spec, ["Run"], [[run] for run in RUNS])


def long_names() -> Chart:
    """Bars whose names take two lines, or are cut."""
    rows = [{"run": name, "share": 0.5} for name in LONG_NAMES]
    spec = {
        "data": {"values": rows},
        "height": {"step": TWO_LINES},
        "mark": "bar",
        "encoding": {"y": {**RUN, "axis": WRAPPED}, "x": SHARE},
    }
    return Chart("long-names", "Long names", "", spec, ["Run"], [[name] for name in LONG_NAMES])


def charts() -> list[Chart]:
    """Charts of the product, and those that have what others have not."""
    points = [AlphaPoint(n, 0.4 + n / 1000, 0.3, 0.8, None) for n in (50, 100, 200)]
    levels = [LevelCount("Relevant", "green", 30, 20), LevelCount("Not", "slate", 70, 60)]
    history = score_history(
        [(n, run, n / 300) for n in (100, 200) for run in RUNS],
        runs=list(RUNS),
        measure="AP",
        direction="query to document",
        id="history",
        labels="people",
    )
    return [
        alpha_history(points, level="nominal"),
        level_distribution(levels),
        history,
        shades(),
        margins(),
        long_names(),
    ]


def page_of_charts(request: HttpRequest) -> HttpResponse:
    """All of the charts."""
    return HttpResponse(PAGE.render(RequestContext(request, {"charts": charts()})))


urlpatterns = [path("charts/", page_of_charts)]
