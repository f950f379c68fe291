"""A study with labels of people, of a simulation and of a file, golds, reports and duplicates."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.utils import timezone

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Annotator, Collection, Gold, Item, Pair, Report, Seat
from annotate.services.judging import claiming, reports
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from pooling.models import Run
from pooling.services.runs import runs
from tests import cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments
from tests.metrics import studies
from tests.tables.fixture_cache import cached_rows

N_PEOPLE = 4


@contextmanager
def read_only() -> Iterator[None]:
    """A transaction in which the database refuses every write, as a release reads in."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        yield


@cached_rows
def busy_study() -> Collection:
    """Changes wait for a refresh; pairs are disputed, wait for labels, or wait for a lead."""
    study = studies.study(
        n_queries=10, n_documents=10, labels_per_pair=2, ceiling=3, gold_positives=2
    )
    Collection.objects.filter(pk=study.pk).update(hourly_pay="14.50", currency="USD")
    add_golds(study)
    program = Annotator.objects.create(collection=study, origin="simulated", pseudonym="S1")
    people = [cast.annotator(study) for _ in range(N_PEOPLE)]
    for seed, annotator in enumerate([*people, program]):
        studies.judge(annotator, seed=seed, n=14)
        free_held_seats(study)
    _report(people[0], "cannot_judge", "escalated")
    _report(people[1], "cannot_judge").update(state=Report.State.UNDONE)
    import_judgments(
        collection=study,
        stream=file("annotator,query,document,grade", "expert1,q0,d9,1", "expert2,q0,d9,2"),
        file_name="experts.csv",
        columns=JudgmentColumns(),
        name="experts",
    )
    studies.reference(study, {(f"q{i}", f"d{i}"): 1 for i in range(9)}, name="more")
    copy = cast.items(study, "query", 1)[0]
    original = Item.objects.get(collection=study, external_id="q0")
    mark_duplicates(collection=study, groups=[DuplicateGroup(original, [copy])], by=None)
    study.refresh_from_db()
    return study


def add_golds(study: Collection) -> None:
    """Two positive golds, of pairs that no pool has."""
    items = {item.external_id: item for item in study.items.all()}
    for query in ("q0", "q1"):
        pair = Pair.objects.create(collection=study, query=items[query], document=items["d6"])
        Gold.objects.create(
            collection=study, pair=pair, grade=1, is_positive=True, origin="curated"
        )


def published_run(study: Collection, name: str) -> Run:
    """A run with its file that ranks every document with ties, and may be published."""
    queries, documents = (
        list(study.items.filter(side=side).order_by("pk").values_list("external_id", flat=True))
        for side in ("query", "document")
    )
    lines = [
        f"{query} Q0 {document} 0 {(7 * i + 3 * j) % 13} {name}\n"
        for i, query in enumerate(queries)
        for j, document in enumerate(documents)
    ]
    upload = SimpleUploadedFile(f"{name}.run", "".join(lines).encode())
    run = runs.receive_run(collection=study, name=name, direction="forward", upload=upload).run
    runs.read_here(run=run)
    Run.objects.filter(pk=run.pk).update(may_be_published=True)
    return run


def free_held_seats(study: Collection) -> None:
    """What somebody holds is there for the next one, whose batch then holds all of it."""
    Seat.objects.filter(collection=study, state="held").update(
        leased_until=timezone.now() - timedelta(minutes=1)
    )


def _report(annotator: Annotator, *kinds: str):
    """Report a pair for each kind; returns the annotator's reports."""
    for kind in kinds:
        claiming.current_batch(annotator=annotator)
        left = claiming.open_hand_outs(annotator=annotator).filter(seat__purpose="label")
        reports.report_pair(
            annotator=annotator,
            token=left.earliest("pk").token,
            submission_id=uuid4(),
            kind=kind,
            note="dark",
        )
    return Report.objects.filter(annotator=annotator)
