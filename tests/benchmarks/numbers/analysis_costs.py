"""What the analyses of a collection cost, one by one, and the pages that show them."""

import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from django.db import connection

from annotate.models import Role
from annotate.services.background import kept
from metrics.services.analysis.computation import inquiry_of
from metrics.services.analysis.register import ANALYSES, CHAPTERS
from metrics.services.numbers import refresh
from tests import cast
from tests.benchmarks.numbers.fire_study import add_pool_and_reverse
from tests.metrics.services.analysis.questions import chosen

N_REQUESTS = 20
# of few texts none need be the same, and of too many no two are compared
MAY_HAVE_NO_NUMBER = ("duplicates", "hits-by-training-similarity", "training-similarity-and-length")
CHOICES = {"folds": {"queries": "fold 1"}}
TRAINING = """
    INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
    SELECT %(c)s, 'query', 't' || i, 'train', '', '' FROM generate_series(1, %(training)s) i
"""
TEXTS = """
    INSERT INTO annotate_part (item_id, position, kind, text, path)
    SELECT item.id, 0, 'text', (
        SELECT string_agg(
            (string_to_array(%(words)s, ' '))[
                1 + (item.id * 31 + k * k * 17 + item.id / k) %% 40], ' ')
        FROM generate_series(1, 2 + (item.id %% 17)::int) k), ''
    FROM annotate_item item WHERE item.collection_id = %(c)s AND item.side = 'query'
"""
EXCLUSIONS = """
    UPDATE annotate_item SET excluded_at = now(), excluded_reason = 'broken'
    WHERE collection_id = %(c)s AND side = 'query' AND id %% 1000 = 0
"""
WORDS = (
    "a the man woman child dog cat horse is are playing running eating cooking riding singing in "
    "on with near guitar ball park kitchen street river field car bicycle piano small large young "
    "old red blue two three outside inside slowly together"
)


class Costs(NamedTuple):
    """Seconds and MiB of each analysis by its name, and milliseconds of each chapter's page."""

    seconds: dict[str, float]
    mib: dict[str, float]
    page_ms: dict[str, float]


def complete(study, *, n_training):
    """Give a filled study texts, a pool, and runs of both directions, and score them.

    n_training : texts of a training split
    """
    with connection.cursor() as cursor:
        cursor.execute(TRAINING, {"c": study.pk, "training": n_training})
        cursor.execute(TEXTS, {"c": study.pk, "words": WORDS})
        cursor.execute(EXCLUSIONS, {"c": study.pk})
    add_pool_and_reverse(study)
    refresh.rebuild(collection=study)


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


def costs_of_analyses(study, client) -> Costs:
    """Compute every analysis of a completed study once, and load each page some times; printed."""
    costs = Costs({}, {}, {})
    for name, analysis in ANALYSES.items():
        choices = chosen(study, **CHOICES.get(name, {}))
        inquiry = inquiry_of(collection=study, spec=analysis.spec(choices))
        costs.seconds[name], costs.mib[name] = cost(
            lambda inquiry=inquiry: kept.compute(inquiry=inquiry)
        )
        reason = kept.find(inquiry=inquiry).value.get("reason", "")
        print(f"  {name:36} {costs.seconds[name]:7.2f} s {costs.mib[name]:6.0f} MiB {reason}")
        assert not reason or name in MAY_HAVE_NO_NUMBER
    for name in CHOICES:  # a page without choices has others
        kept.compute(inquiry=inquiry_of(collection=study, spec=ANALYSES[name].spec(chosen(study))))
    client.force_login(cast.member(study, Role.RESEARCHER))
    for chapter in CHAPTERS:
        page = f"/c/{study.slug}/results/analysis/{chapter}/"
        assert b"Computing" not in client.get(page).content
        times = [1000 * cost(lambda page=page: client.get(page))[0] for _ in range(N_REQUESTS)]
        costs.page_ms[chapter] = median(times)
        print(f"  page of the chapter {chapter:16} {costs.page_ms[chapter]:7.0f} ms, median")
    print(f"  median of the analyses {median(costs.seconds.values()):.2f} s")
    return costs
