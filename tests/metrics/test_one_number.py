"""Page, API, downloads, `evaluate` and an independent tool give one number for any upload."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotate.core.levels.scheme_rules import LevelSpec
from annotate.models import ApiToken, Change, Collection, User
from annotate.models.items import ItemQuerySet
from annotate.services.collection.collections import create_collection
from annotate.services.people import tokens
from annotate.services.review.exclusions import exclude_item
from config.celery import app
from metrics.core.labels import label_sources
from metrics.core.labels.label_sources import LabelSource, People, larger_grades
from metrics.core.measures.alignment import Rankings
from metrics.services.leaderboard import choice_values
from metrics.services.scores import measuring, ranks
from metrics.services.scores.ranks import read_rankings
from pooling.models import Run
from tests import cast
from tests.metrics import uploads, worlds
from tests.metrics.product_answers import ProductAnswers
from tests.metrics.run_forms import FORMS
from tests.metrics.surfaces import (
    File,
    Inside,
    Outside,
    Product,
    Refused,
    bring,
    bring_run,
    settle,
)
from tests.metrics.worlds import World
from tests.sizes import share_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
LEVELS = [LevelSpec(grade, f"Level {grade}") for grade in range(3)]
SCOPES = [ApiToken.Scope.FILES_WRITE, ApiToken.Scope.RUNS_WRITE, ApiToken.Scope.QRELS_READ]
READ_BY_EVALUATE = ("TREC", "TREC, gzipped", "npz float16", "npz float32", "npz float64")
REPEATABLE = (
    "TREC",
    "TREC, gzipped",
    "JSON lines",
    "CSV",
    "TSV",
    "CSV without a header",
    "Parquet",
    "JSON of ids",
)
N_CASES = max(40, share_of(100))  # 2,000 with --heavy
BOARD = ("table", "page")
SCORES = (*BOARD, "usual table", "scores")
LABELS = ("labels by API", "labels by page")
COMMAND = ("evaluate", "evaluate by key")


@pytest.fixture
def inside() -> Iterator[Inside]:
    """The product in this process, which does at once what a worker would."""
    person = cast.user(is_superuser=True)
    app.conf.task_always_eager = True
    yield Inside(person, secret_of(person))
    app.conf.task_always_eager = False


def secret_of(person: User) -> str:
    """A key for a program that may do all that this takes."""
    return tokens.create_token(user=person, name="script", scopes=SCOPES, days=1).secret


def world_of(number: int) -> World:
    """Forms, directions and numbers of reference sets turn up in all combinations."""
    form = list(FORMS)[number % len(FORMS)]
    direction = ("forward", "reverse")[number // len(FORMS) % 2]
    n_sets = 1 + (number + number // (2 * len(FORMS))) % 3
    return worlds.random_world(
        np.random.default_rng([number, 12]), direction=direction, form=form, n_sets=n_sets
    )


@pytest.mark.parametrize("number", range(N_CASES))
def test_one_number(number, inside, tmp_path):
    assert wrong_answers(product_answers(inside, number, tmp_path)) == {}


@pytest.mark.heavy
@pytest.mark.parametrize("number", range(N_CASES, N_CASES + 50))
def test_one_number_of_the_running_product(number, live_stack, django_db_blocker, tmp_path):
    with live_stack.orm(django_db_blocker):
        person = cast.user(f"founder{number}", is_superuser=True)
        secret = secret_of(person)
    product = Outside(live_stack, django_db_blocker, person, secret)
    assert wrong_answers(product_answers(product, number, tmp_path)) == {}


def close_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let unknown documents drop out, so that those below them move up."""

    def closed(**arguments: Any) -> Rankings:
        rankings = read_rankings(**arguments)
        starts = np.append(0, np.cumsum(rankings.docs > 0))[rankings.indptr]
        return Rankings(starts, rankings.docs[rankings.docs > 0])

    monkeypatch.setattr(ranks, "read_rankings", closed)


def cut_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read of a matrix what is kept for pools, the 100 best of each row."""
    for module in (measuring, choice_values):
        monkeypatch.setattr(module, "matrix_of", lambda run: None)


def ignore_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count one alone of several reference sets."""
    monkeypatch.setattr(label_sources, "larger_grades", lambda tables: larger_grades(tables[:1]))


def count_other_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count labels on documents of another split than test, which no run can find."""
    monkeypatch.setattr(
        ItemQuerySet, "left_out", lambda items: items.filter(excluded_at__isnull=False)
    )


@pytest.mark.parametrize(
    ("plant", "number", "where"),
    [
        (close_ranks, 0, SCORES),
        (cut_matrices, 14, SCORES),
        (ignore_a_set, 2, {*BOARD, *LABELS, *COMMAND}),
        (count_other_splits, 3, {*SCORES, *LABELS, *COMMAND}),
    ],
)
def test_a_fault_is_seen_wherever_it_shows(plant, number, where, inside, tmp_path, monkeypatch):
    plant(monkeypatch)
    wrong = wrong_answers(product_answers(inside, number, tmp_path))
    assert {output_name.partition(",")[0] for output_name in wrong} == {*where}


def product_answers(product: Product, number: int, folder: Path) -> ProductAnswers:
    """Bring a whole world to the product, to read its numbers there."""
    world, rng = world_of(number), np.random.default_rng([number, 13])
    collection = brought(product, world, f"world{number}", is_repeated=rng.random() < 0.3)
    sets = [name for name in world.references if rng.random() < 0.7] or list(world.references)[-1:]
    return ProductAnswers(
        product, collection, world, LabelSource.of(rng.choice(list(People)), sets), folder
    )


def wrong_answers(outputs: ProductAnswers) -> dict[str, tuple[object, object]]:
    """Pairs of outputs of the product and the independent tool that differ, by their name."""
    return {where: (answer, right) for where, answer, right in answers(outputs) if answer != right}


def answers(outputs: ProductAnswers) -> Iterator[tuple[str, object, object]]:
    """Yield the name of each output of the product, its value, and the right value."""
    world, source = outputs.world, outputs.source
    labels = sorted(world.labels(source.people, list(source.sets)))
    right = worlds.means(world, labels)
    yield "table", outputs.table(outputs.board), near(right)
    printed = {
        name: value if name in worlds.RANKS else 100 * value for name, value in right.items()
    }
    yield "page", outputs.page(), pytest.approx(printed, abs=0.05 + 1e-6, nan_ok=True)
    usual = outputs.table({"queries": outputs.queries})
    of_usual = worlds.means(world, world.labels("over", ["original"]))
    assert len(usual) > 2
    yield (
        "usual table",
        {name: usual[name] for name in usual if name in of_usual},
        near({name: of_usual[name] for name in usual if name in of_usual}),
    )
    yield "labels by API", outputs.labels_by_api(), labels
    yield "labels by page", outputs.labels_by_page(), labels
    scored = worlds.canonical([tuple(row) for row in world.scored()])
    yield "run as it was scored", outputs.ranked_run(), [row[:2] for row in scored]
    if {row[0] for row in scored}.isdisjoint(label.query_id for label in labels):
        for where, evaluated in (
            ("evaluate", outputs.evaluated_file),
            ("evaluate by key", outputs.evaluated_by_key),
        ):
            with pytest.raises(Refused, match=r"share no query|file is empty"):
                evaluated()
            yield where, "refused", "refused"
    else:
        yield "evaluate", outputs.evaluated_file(), near(right)
        yield "evaluate by key", outputs.evaluated_by_key(), near(right)
        if not world.closes_ranks and world.form in READ_BY_EVALUATE:
            yield "evaluate the upload", outputs.evaluated_upload(), near(right)
    stored = outputs.scores_file()
    assert len(stored) == 2 * len(world.references)
    for key, by_measure in stored.items():
        stored_source = LabelSource.parse(key)
        of_each = worlds.per_query(
            world, world.labels(stored_source.people, list(stored_source.sets))
        )
        assert len(by_measure) > 3
        yield f"scores, {key}", by_measure, {name: near(of_each[name]) for name in by_measure}


def near(expected: dict[str, float]) -> object:
    """Equal but for the last digits."""
    return pytest.approx(expected, abs=1e-9, nan_ok=True)


def brought(product: Product, world: World, slug: str, *, is_repeated: bool) -> Collection:
    """A collection to which all of a world was brought, in an order in which it may come."""
    with product.database():
        collection = create_collection(name=slug, slug=slug, levels=LEVELS, positive_from=1)
    bring(
        product,
        slug,
        "items",
        items_of(world, set(world.documents) - world.late | set(world.queries)),
    )
    rows = "".join(
        f"{query},{document},ann,{grade}\n" for (query, document), grade in world.people.items()
    )
    columns = {name: name for name in ("query", "document", "annotator", "grade")}
    judgments = File("j.csv", f"query,document,annotator,grade\n{rows}".encode())
    bring(product, slug, "judgments", judgments, name="Ann's", layout="long", **columns)
    upload(product, world, slug, is_repeated=is_repeated)
    if world.late:
        bring(product, slug, "items", items_of(world, world.late))
    for name, labels in world.references.items():
        lines = [f"{query} 0 {document} {grade}\n" for (query, document), grade in labels.items()]
        bring(
            product,
            slug,
            "reference",
            File("a.qrels", "".join(lines + lines[::2]).encode()),
            name=name,
        )
    with product.database():
        if world.gallery:
            uploads.with_gallery(collection, world.direction, world.gallery)
            Change.objects.create(collection=collection)  # or no refresh would come to score it
        for item in collection.items.filter(external_id__in=world.left_out):
            exclude_item(item=item, by=product.person, reason="It is broken.")
    settle(product, collection)
    return collection


def items_of(world: World, some: set[str]) -> File:
    """Some items as they are loaded, with where they are split to."""
    rows = [
        json.dumps(
            {
                "side": side,
                "id": item,
                "text": item,
                "split": "train" if item in world.train else "test",
            }
        )
        for side, item in world.items
        if item in some
    ]
    return File("items.jsonl", "\n".join(rows).encode())


def upload(product: Product, world: World, slug: str, *, is_repeated: bool) -> None:
    """Upload the run.

    Perhaps, before, with a document twice in one ranking, which is refused and changes nothing.
    """
    file_name, write, settings = FORMS[world.form]
    fields = {"direction": world.direction, "score_type": "float32", **settings}
    if is_repeated and world.form in REPEATABLE:
        file = File(file_name, write([*world.rows, world.rows[0]]))
        run = bring_run(product, slug, file, name="system", **fields)
        assert run.state == Run.State.REJECTED and "stands already" in str(run.report["errors"]), (
            run.report
        )
        assert product.api("DELETE", f"collections/{slug}/runs/{run.pk}/").status == 204
    run = bring_run(product, slug, File(file_name, write(world.rows)), name="system", **fields)
    assert run.state == Run.State.READY, run.report
    if run.on_hold_since:
        answer = product.api("PATCH", f"collections/{slug}/runs/{run.pk}/", {"is_on_hold": False})
        assert answer.status == 200, answer.body
