"""The page of comments at FIRE's MSVD size: 660,000 judgments, of which few or most have reasons.

Labels are counted by a worker; a page looks its own lines up.

With BENCHMARK_SCALES=0.1 a tenth.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_comments_at_fire_size.py
"""

import os
import time
from statistics import median

import pytest
from django.db import connection
from django.utils.http import urlencode

from annotate.models import Role
from annotate.services.background import kept
from metrics.services.comments.kept_counts import inquiry_of
from tests import cast
from tests.benchmarks.numbers.fire_study import fill
from tests.metrics.services.comments.test_comments import filters_of

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(7200)]
SCALE, N_REQUESTS = float(os.environ.get("BENCHMARK_SCALES", "1")), 5
# the log of judgments only grows: its triggers rest meanwhile
REASONS = """
    SET session_replication_role = replica;
    UPDATE annotate_judgment judgment SET reasons = CASE judgment.id %% 3
        WHEN 0 THEN '["colour"]' WHEN 1 THEN '["does not match/action"]'
        ELSE '["colour", "too general"]' END::jsonb
    WHERE judgment.id %% 100 < %(per_cent)s;
    INSERT INTO annotate_judgmentcomment (judgment_id, text)
    SELECT judgment.id, 'Der Hund läuft, number ' || judgment.id FROM annotate_judgment judgment
    WHERE judgment.id %% 100 = 7 AND judgment.id %% 1000 < 10 * %(per_cent)s
    ON CONFLICT DO NOTHING;
    SET session_replication_role = origin;
    ANALYZE annotate_judgment; ANALYZE annotate_judgmentcomment;
"""
REQUESTS = {
    "everything": {},
    "words": {"q": "hund 77"},
    "words that nobody wrote": {"q": "zebra"},
    "a reason of a level": {"level": "1", "reason": "too general"},
    "one query": {"query": "q77"},
    "a run's first 10": {"run": "", "depth": "10"},
    "also those that do not count": {"state": "all"},
    "the middle": {"before": ""},
}


def test_comments_at_fire_size(client):
    study = fill("fire", scale=SCALE)
    client.force_login(cast.member(study, Role.LEAD))
    judgments = study.judgments.order_by("pk")
    values = {"run": study.runs.first().pk, "before": judgments[judgments.count() // 2].pk}
    for per_cent in (1, 60):
        with connection.cursor() as cursor:
            cursor.execute(REASONS, {"per_cent": per_cent})
        kept.delete_all(collection=study)  # the labels changed behind its back
        print(f"\n{judgments.count():,} judgments, {per_cent} % of them with reasons")
        for title, parameters in REQUESTS.items():
            address = {name: value or values[name] for name, value in parameters.items()}
            inquiry = inquiry_of(collection=study, filters=filters_of(study, urlencode(address)))
            start = time.perf_counter()
            kept.compute(inquiry=inquiry)
            seconds = time.perf_counter() - start
            times = []
            for _ in range(N_REQUESTS):
                start = time.perf_counter()
                page = client.get(f"/c/{study.slug}/results/comments/", address)
                times.append(1000 * (time.perf_counter() - start))
                assert page.status_code == 200
            # a benchmark says how long a page took, and fails where nobody would wait for it
            print(
                f"  {title:32} {median(times):7.0f} ms, median; counted in {seconds:.1f} s",
                flush=True,
            )
            assert median(times) < 1000
        start = time.perf_counter()
        answer = client.get(f"/c/{study.slug}/results/comments/table.csv")
        n_bytes = sum(map(len, answer.streaming_content))
        print(f"  the file, {n_bytes / 1e6:.0f} MB {time.perf_counter() - start:21.1f} s")
