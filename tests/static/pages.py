"""Addresses of pages that show the shared partials, for the tests of the scripts behind them."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.template import RequestContext, Template
from django.urls import path
from django.utils import timezone

from annotate.forms.review import SinceForm
from annotate.services.background.progress import JobStatus, Progress

PARTS = Template(
    """{% extends "base.html" %}
{% block title %}Parts{% endblock %}
{% block main %}<h1>Parts</h1>
{% with subtitle="Of two runs." id="scores" title="Scores" %}
{% include "parts/_chart.html" with spec=spec columns=columns rows=rows %}
{% endwith %}
{% include "parts/_job.html" with poll_url="/job/" title="Reading run bm25" job_status=waiting %}
{% endblock %}
{% block scripts %}{% include "parts/_chart_scripts.html" %}{% endblock %}"""
)
TIMES = Template(
    """{% extends "base.html" %}
{% block title %}Times{% endblock %}
{% block main %}<h1>Times</h1><p>{{ at|moment }}, {{ at|moment:"day" }}, {{ at|moment:"second" }},
{{ at|moment:"short" }}, {{ at|moment:"clock" }}, {{ at.date|moment }}</p>
<form>{% include "parts/_field.html" with field=form.since only %}</form>{% endblock %}"""
)
TERMS = Template(
    """{% extends "base.html" %}
{% block title %}Terms{% endblock %}
{% block main %}<h1>Terms</h1><div class="table-scroll"><p>Of a {% term "pool" %}.</p></div>
<p class="row">At <span class="push">{% term "depth" %}</span></p>{% endblock %}"""
)
DONE = Template('<div class="card" id="job"><h2>Run bm25 is ready</h2></div>')
RUNS = [("bm25", 0.41), ("=cmd()", 0.52), ("@tfidf", 0.38)]
polls: list[str | None] = []


def parts(request: HttpRequest) -> HttpResponse:
    """A page with one chart and one job card."""
    values = [{"run": name, "score": score} for name, score in RUNS]
    encoding = {
        "x": {"field": "score", "type": "quantitative"},
        "y": {"field": "run", "type": "nominal"},
    }
    context = {
        "spec": {
            "data": {"values": values},
            "mark": {"type": "bar", "color": "@teal"},
            "encoding": encoding,
        },
        "columns": ["Run", "Score"],
        "rows": [[name, f"{score:.2f}"] for name, score in RUNS],
        "waiting": JobStatus(None, is_cancelling=False, worker_missing=True),
    }
    return HttpResponse(PARTS.render(RequestContext(request, context)))


def job(request: HttpRequest) -> HttpResponse:
    """A job card: running, unchanged on the second poll, done from the third."""
    polls.append(request.headers.get("If-None-Match"))
    if len(polls) == 2:
        return HttpResponse(status=304)
    if len(polls) > 2:
        return HttpResponse(DONE.render(RequestContext(request, {})))
    again = Template(
        '{% include "parts/_job.html" with poll_url="/job/" title="Reading run bm25" '
        "job_status=job_status %}"
    )
    half = JobStatus(
        Progress(1, 2, "rows", None, timezone.now()), is_cancelling=False, worker_missing=False
    )
    return HttpResponse(
        again.render(RequestContext(request, {"job_status": half})), headers={"ETag": '"half"'}
    )


def times(request: HttpRequest) -> HttpResponse:
    """A moment in all of its forms, and in a field."""
    at = datetime(2026, 3, 5, 3, 8, 9, tzinfo=UTC)
    context = {"at": at, "form": SinceForm(initial={"since": at})}
    return HttpResponse(TIMES.render(RequestContext(request, context)))


def terms(request: HttpRequest) -> HttpResponse:
    """Two terms, one at the edge of the window."""
    return HttpResponse(TERMS.render(RequestContext(request, {})))


urlpatterns = [
    path("parts/", parts),
    path("job/", job),
    path("times/", times),
    path("terms/", terms),
]
