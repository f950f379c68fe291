"""A study whose release has all there is: directions, galleries, a draw, runs with files."""

import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import Collection, Item, Pair, QuerySet, QuerySetItem
from annotate.services.review.exclusions import exclude_item, exclude_pair
from pooling.models import Pool, PoolPair, PoolSource, Run
from pooling.services.runs import runs
from tests import cast
from tests.metrics.matrix_runs import npz
from tests.metrics.services.releases.release_study import busy_study
from tests.works import perform_work

SIDES = {"forward": ("query", "document"), "reverse": ("document", "query")}
PUBLISHED = ("tied", "plain", "ranked back", "matrix")


def whole_study() -> Collection:
    """Labels of people over two references, five query sets and seven runs, four with files."""
    study = busy_study()
    lead = cast.user("reviewer")
    ids = {
        side: list(
            study.items.filter(side=side).order_by("pk").values_list("external_id", flat=True)
        )
        for side in ("query", "document")
    }
    _upload(study, "tied", "forward", _lines(ids, "forward", n_scores=4, missing=2))
    _upload(study, "plain", "forward", _lines(ids, "forward", n_scores=None, missing=0))
    _upload(study, "ranked back", "reverse", _lines(ids, "reverse", n_scores=3, missing=1))
    scores = np.random.default_rng(5).integers(0, 9, (len(ids["query"]), len(ids["document"])))
    _upload(
        study,
        "matrix",
        "forward",
        npz(scores.astype("float32"), ids["query"], ids["document"]),
        file_name="m.npz",
    )
    items = {item.external_id: item for item in study.items.all()}
    _query_set(study, "few", "forward", [items[f"q{n}"] for n in range(1, 6)])
    part = [items[f"d{n}"] for n in range(2, 8)]
    _query_set(study, "part", "forward", [items[f"q{n}"] for n in range(8)], part)
    _query_set(study, "part", "reverse", part, [items[f"q{n}"] for n in range(4)])
    _draw(study, _query_set(study, "drawn", "forward", [items[f"q{n}"] for n in range(2, 9)]))
    pool = Pool.objects.filter(collection=study, opened_at__isnull=False).earliest("pk")
    PoolPair.objects.bulk_create(
        PoolPair(pool=pool, pair=row.pair, best_rank=1 + number % 3)
        for number, row in enumerate(pool.own_round().round_pairs.order_by("pk"))
    )
    perform_work(exclude_item(item=items["d8"], by=lead, reason="It is broken."))
    exclude_pair(
        pair=Pair.objects.filter(collection=study, resolution__grade__gte=0)[0], by=lead, reason="x"
    )
    study.refresh_from_db()
    return study


def _lines(
    ids: dict[str, list[str]], direction: str, *, n_scores: int | None, missing: int
) -> bytes:
    """A TREC run, some sources left out, with an unknown target first of all."""
    sources, targets = (ids[side] for side in SIDES[direction])
    rng = np.random.default_rng(len(sources) + missing)
    lines = []
    for source in sources[missing:]:
        scores = (
            rng.random(len(targets))
            if n_scores is None
            else rng.integers(n_scores, size=len(targets))
        )
        lines += [f"{source} Q0 stranger 1 99 x\n"]
        lines += [
            f"{source} Q0 {target} 1 {score} x\n"
            for target, score in zip(targets, scores.tolist(), strict=True)
        ]
    return "".join(lines).encode()


def _upload(
    study: Collection, name: str, direction: str, content: bytes, *, file_name: str = "a.run"
) -> None:
    upload = SimpleUploadedFile(file_name, content)
    run = runs.receive_run(collection=study, name=name, direction=direction, upload=upload).run
    runs.read_here(run=run)
    Run.objects.filter(pk=run.pk).update(may_be_published=True, on_hold_since=None)


def _query_set(
    study: Collection, name: str, direction: str, sources: list[Item], gallery: list[Item] = ()
) -> QuerySet:
    query_set = QuerySet.objects.create(collection=study, name=name, direction=direction)
    QuerySetItem.objects.bulk_create(
        [QuerySetItem(query_set=query_set, item=item) for item in sources]
        + [QuerySetItem(query_set=query_set, item=item, part="gallery") for item in gallery]
    )
    return query_set


def _draw(study: Collection, query_set: QuerySet) -> None:
    """A pool that drew the queries of a set, with two chances."""
    pool = Pool.objects.create(collection=study, name="draw", strategy="depth-k")
    PoolSource.objects.bulk_create(
        PoolSource(
            pool=pool,
            item_id=member.item_id,
            stratum=number % 2,
            inclusion_probability=0.25 if number % 2 else 0.75,
        )
        for number, member in enumerate(query_set.members.order_by("item"))
    )
