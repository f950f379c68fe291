"""Every analysis, and the pages that show them, at the size of FIRE's MSVD study and multiples.

27,763 queries of 2 to 18 words, 670 documents, 3 runs, some 660,000 judgments, and 48,774 training
texts; a tenth, all, and with BENCHMARK_SCALES=1,3,10 three and ten times that.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_analyses_at_fire_size.py

MiB are those that the computation holds at most beside what its process held before.
"""

import os
import time
from pathlib import Path
from statistics import median

import pytest
from django.db import connection

from annotate.models import Role
from annotate.services.background import kept
from metrics.services.analysis.computation import inquiry_of
from metrics.services.analysis.register import ANALYSES, CHAPTERS
from metrics.services.numbers import refresh
from tests import cast
from tests.benchmarks.numbers.fire_study import fill
from tests.metrics.services.analysis.questions import chosen

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(7200)]
SCALES = [float(scale) for scale in os.environ.get("BENCHMARK_SCALES", "0.1,1").split(",")]
N_TRAINING, N_REQUESTS = 48_774, 20
NEEDS_MORE = {  # than this study has: pools, and runs of both directions in folds
    "both-directions",
    "folds",
    "unique-positives",
    "pool-bias-by-size",
    "saturated-queries",
    "people-as-systems",
}
LONGEST = {  # seconds
    "training-similarity-and-length": 90,
    "hits-by-training-similarity": 90,
    "duplicates": 30,  # of a vocabulary of 40 words; 40,000 captions of people take 3 s
}
_TRAINING = """
    INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
    SELECT %(c)s, 'query', 't' || i, 'train', '', '' FROM generate_series(1, %(training)s) i
"""
_TEXTS = """
    INSERT INTO annotate_part (item_id, position, kind, text, path)
    SELECT item.id, 0, 'text', (
        SELECT string_agg(
            (string_to_array(%(words)s, ' '))[
                1 + (item.id * 31 + k * k * 17 + item.id / k) %% 40], ' ')
        FROM generate_series(1, 2 + (item.id %% 17)::int) k), ''
    FROM annotate_item item WHERE item.collection_id = %(c)s AND item.side = 'query'
"""
_EXCLUSIONS = """
    UPDATE annotate_item SET excluded_at = now(), excluded_reason = 'broken'
    WHERE collection_id = %(c)s AND side = 'query' AND id %% 1000 = 0
"""
WORDS = (
    "a the man woman child dog cat horse is are playing running eating cooking riding singing in "
    "on with near guitar ball park kitchen street river field car bicycle piano small large young "
    "old red blue two three outside inside slowly together"
)


def add_texts(study, scale):
    with connection.cursor() as cursor:
        cursor.execute(_TRAINING, {"c": study.pk, "training": round(scale * N_TRAINING)})
        cursor.execute(_TEXTS, {"c": study.pk, "words": WORDS})
        cursor.execute(_EXCLUSIONS, {"c": study.pk})
        cursor.execute("ANALYZE")


def peak_mib() -> float:
    """The most memory that this process held since the last reset."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in x)
    return int(line.split()[1]) / 1024


def held_mib() -> float:
    """The memory of this process, from which the peak counts anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_mib()


def cost(call):
    """Seconds of a call, and the MiB that it held beside what was held before."""
    before, start = held_mib(), time.perf_counter()
    call()
    return time.perf_counter() - start, peak_mib() - before


@pytest.mark.parametrize("scale", SCALES)
def test_analyses_at_fire_size(client, scale):
    study = fill(f"fire{scale:g}".replace(".", "-"), scale=scale)
    add_texts(study, scale)
    refresh.rebuild(collection=study)
    print(f"\n{scale:g} x: {study.items.filter(side='query').count():,} texts")
    choices = chosen(study)
    for name, analysis in ANALYSES.items():
        inquiry = inquiry_of(collection=study, spec=analysis.spec(choices))
        seconds, mib = cost(lambda inquiry=inquiry: kept.compute(inquiry=inquiry))
        assert name in NEEDS_MORE or "reason" not in kept.find(inquiry=inquiry).value
        print(f"  {name:36} {seconds:7.2f} s {mib:6.0f} MiB")
        assert scale > 1 or (seconds < LONGEST.get(name, 10) and mib < 500)
    client.force_login(cast.member(study, Role.RESEARCHER))
    for chapter in CHAPTERS:
        page = f"/c/{study.slug}/results/analysis/{chapter}/"
        assert b"Computing" not in client.get(page).content
        times = [1000 * cost(lambda page=page: client.get(page))[0] for _ in range(N_REQUESTS)]
        print(f"  page of the chapter {chapter:16} {median(times):7.0f} ms, median")
        assert scale > 1 or median(times) < 300
