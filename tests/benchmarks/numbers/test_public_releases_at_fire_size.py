"""Public pages of a release at the size of FIRE's MSVD study: queries and time of each request.

A tenth; BENCHMARK_SCALES=1 is all of it: 27,763 queries, 670 documents, 3 runs of each direction.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_public_releases_at_fire_size.py

Each page is requested for the first time, again, and by who has it already.
"""

import os
import time
from statistics import median

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Collection
from metrics.services.numbers import refresh
from metrics.services.releases import publication
from tests.benchmarks.numbers.fire_study import add_pool_and_reverse, fill
from tests.metrics.services.releases.made_releases import request_release
from tests.works import perform_work

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(7200),
    pytest.mark.usefixtures("media_root"),
]
SCALES = [float(scale) for scale in os.environ.get("BENCHMARK_SCALES", "0.1").split(",")]
PATHS = (
    "",
    "card/",
    "scores/",
    "pairs/",
    "pairs/?page=20",
    "pairs/?find=q12",
    "pairs/1/1/",
    "pairs/2/7/",
    "files/",
    "files/README.md",
)
N_REQUESTS = 20
MOST_QUERIES, MOST_QUERIES_AGAIN = 3, 2
MOST_MILLISECONDS, MOST_MILLISECONDS_AGAIN = 1_500, 50


VISITOR = Client()


def request_page(url: str, **headers: str) -> tuple[float, int, dict[str, str]]:
    """The milliseconds and queries of a request, and the headers of its answer."""
    start = time.perf_counter()
    with CaptureQueriesContext(connection) as queries:
        answer = VISITOR.get(url, headers=headers)
        if answer.streaming:
            b"".join(answer.streaming_content)
    assert answer.status_code == (304 if headers else 200), url
    return 1000 * (time.perf_counter() - start), len(queries), dict(answer.headers)


@pytest.mark.parametrize("scale", SCALES)
def test_public_pages_at_fire_size(scale):
    study = fill(f"fire{scale:g}".replace(".", "-"), scale=scale)
    add_pool_and_reverse(study)
    study.reference_sets.exclude(name="original").delete()
    study.query_sets.exclude(name="all").delete()
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=True)
    refresh.refresh(collection=study)
    release = perform_work(request_release(study))
    publication.publish(release=release, by=None)
    cache.clear()
    VISITOR.get("/healthz")  # which loads the middleware
    print(f"\n{scale:g} x: {study.judgments.count():,} judgments, {release.n_bytes:,} bytes")
    print("  first ms  queries  again ms  304 ms  queries  page")
    for path in PATHS:
        url = f"/releases/{study.slug}/1.0/{path}"
        first_ms, n_queries, headers = request_page(url)
        again_ms = median(request_page(url)[0] for _ in range(N_REQUESTS))
        cached = [
            request_page(url, **{"If-None-Match": headers["ETag"]}) for _ in range(N_REQUESTS)
        ]
        cached_ms, n_queries_again = median(row[0] for row in cached), cached[0][1]
        print(
            f"{first_ms:10.1f} {n_queries:8} {again_ms:9.1f} {cached_ms:7.2f} {n_queries_again:8}"
            f"  {path or 'overview'}"
        )
        assert n_queries <= MOST_QUERIES and n_queries_again <= MOST_QUERIES_AGAIN
        if scale <= 1:
            assert first_ms < MOST_MILLISECONDS and cached_ms < MOST_MILLISECONDS_AGAIN
