"""A researcher's work in Firefox and WebKit: a run, the cost of its pool, charts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Role
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics import studies
from tests.servers.stack import Stack

pytestmark = pytest.mark.heavy


@pytest.fixture
def server(live_stack: Stack) -> str:
    """The whole product: a run is read by its worker."""
    return live_stack.url


@pytest.fixture
def collection(
    live_stack: Stack, django_db_blocker: DjangoDbBlocker, request: pytest.FixtureRequest
) -> Iterator[str]:
    """The short name of a study that people have judged; one for each browser."""
    slug = f"study-{request.node.callspec.params['driver']}"
    with live_stack.orm(django_db_blocker):
        study: Collection = studies.study(slug)
        studies.judge(cast.annotator(study))
        refresh.refresh(collection=study)
        cast.member(study, Role.RESEARCHER, cast.user(f"rita-{slug}"))
    yield slug


def test_a_run_is_uploaded_its_pool_priced_a_chart_saved_and_analyses_drawn(
    window, collection, tmp_path
):
    window.sign_in(f"rita-{collection}")
    upload(window, collection, tmp_path / "delta.run")
    window.open(f"/c/{collection}/judging/pools/new/")
    window.fill("name", "what delta adds")
    window.press("button", "Preview")
    window.find("#preview", "People-hours")
    window.open(f"/c/{collection}/results/leaderboard/")
    window.wait_for(lambda: "delta" in window.text() or window.driver.refresh(), "the run's scores")
    window.find(".chart-view svg")
    window.press("[data-download=svg]")
    window.wait_for(
        lambda: [file for file in window.driver.home.rglob("*.svg") if is_whole(file)], "the chart"
    )
    window.open(f"/c/{collection}/results/analysis/collection/")
    # computed by the worker, and drawn without a reload; one figure is of several plots
    for name in ("positives-per-query", "positives-by-length", "hits-by-length"):
        window.find(f"#analysis-{name} .chart-view svg")


def is_whole(chart: Path) -> bool:
    return chart.read_text().rstrip().endswith("</svg>")


def upload(window, slug: str, file: Path) -> None:
    """Upload a run that ranks every document by its number."""
    lines = [
        f"q{query} Q0 d{rank} {rank + 1} {1 / (rank + 1)} delta"
        for query in range(6)
        for rank in range(9)
    ]
    file.write_text("\n".join(lines) + "\n")
    window.open(f"/c/{slug}/results/runs/new/")
    window.fill("name", "delta")
    window.driver.find_element("css selector", "input[type=file]").send_keys(str(file))
    window.press("main form button[type=submit], main form button:not([type])")
    window.find("main", "Ready")
