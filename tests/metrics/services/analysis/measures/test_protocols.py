"""Systems by protocols, from the database: recounted query by query from rankings and pairs."""

import pytest

from annotate.models import Item, QuerySet, QuerySetItem, ReferenceLabel, ReferenceSet, Undrawn
from pooling.models import Ranking, Run
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import small_study
from tests.metrics.services.analysis.questions import answer_of, chosen, table_of
from tests.metrics.services.leaderboard.choices.protocol_study import (
    N_FOLDS,
    SYSTEMS,
    add_plausible,
    classes_of,
    protocol_study,
    sides_of,
)

pytestmark = pytest.mark.django_db
NAME = "protocols"


@pytest.fixture
def study():
    return protocol_study()


def hit(order: list[int], positives: set[int], k: int) -> float:
    return float(bool(positives & set(order[:k])))


def r_precision(order: list[int], positives: set[int]) -> float:
    n = len(positives)
    return len(positives & set(order[:n])) / n if n else 0.0


def average_precision_at_r(order: list[int], positives: set[int]) -> float:
    n, n_seen, total = len(positives), 0, 0.0
    for rank, target in enumerate(order[:n], 1):
        if target in positives:
            n_seen += 1
            total += n_seen / rank
    return total / n if n else 0.0


MEASURES = {
    "C@1": lambda order, positives: hit(order, positives, 1),
    "C@5": lambda order, positives: hit(order, positives, 5),
    "C@10": lambda order, positives: hit(order, positives, 10),
    "Rprec": r_precision,
    "mAP@R": average_precision_at_r,
}


def recount(run: str, set_name: str, query_set: str, measure: str, *, excluded=(), inside=None):
    """The mean over the items of a query set, those of `inside` alone being ranked."""
    direction = Run.objects.get(name=run).direction
    pairs = [
        (source, target) if direction == "forward" else (target, source)
        for source, target in ReferenceLabel.objects.filter(
            reference_set__name=set_name
        ).values_list("query", "document")
    ]
    rows = QuerySetItem.objects.filter(
        query_set__name=query_set, query_set__direction=direction
    ).values_list("item", flat=True)
    sources = [key for key in rows if key not in excluded]
    orders = dict(Ranking.objects.filter(run__name=run).values_list("source", "targets"))
    total = 0.0
    for source in sources:
        counted = [
            key
            for key in orders.get(source, [])
            if key not in excluded and (inside is None or key in inside)
        ]
        positives = {
            target
            for key, target in pairs
            if key == source and target not in excluded and (inside is None or target in inside)
        }
        total += MEASURES[measure](counted, positives)
    return total / len(sources)


def recount_folds(study, run: str, measure: str) -> float:
    sides = sides_of(study)
    is_forward = Run.objects.get(name=run).direction == "forward"
    targets = sides[1] if is_forward else sides[0]
    folds = [
        recount(
            run,
            "original",
            f"1k fold {fold + 1}",
            measure,
            inside={item.pk for item in targets[fold::N_FOLDS]},
        )
        for fold in range(N_FOLDS)
    ]
    return sum(folds) / N_FOLDS


WHOLE = {
    "coco-5k": ("original", "all", ("C@1", "C@5", "C@10")),
    "cxc": ("CxC", "all", ("C@1",)),
    "eccv-caption": ("ECCV", "eccv", ("mAP@R", "Rprec", "C@1")),
}


def check(study, *, direction="forward", excluded=()):
    rows = {row["system"]: row for row in table_of(study, NAME, direction=direction)}
    assert set(rows) == set(SYSTEMS)
    for system, (forward, reverse) in SYSTEMS.items():
        row = rows[system]
        for name, (set_name, query_set, measures) in WHOLE.items():
            for measure in measures:
                two = [
                    recount(run, set_name, query_set, measure, excluded=excluded)
                    for run in (forward, reverse)
                ]
                key = f"{name}_{measure}"
                assert [row[f"{key}_forward"], row[f"{key}_reverse"]] == pytest.approx(two), key
                assert row[f"{key}_mean"] == pytest.approx(sum(two) / 2)
    return rows


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_each_protocol_is_its_labels_queries_and_measures(study, direction):
    rows = check(study, direction=direction)
    for system, runs in SYSTEMS.items():
        total = 0.0
        for measure in ("C@1", "C@5", "C@10"):
            two = [recount_folds(study, run, measure) for run in runs]
            assert rows[system][f"coco-1k_{measure}_forward"] == pytest.approx(two[0])
            assert rows[system][f"coco-1k_{measure}_reverse"] == pytest.approx(two[1])
            total += 100 * sum(two)
        assert rows[system]["coco-1k_rsum"] == pytest.approx(total)


def recount_plausible(run: str, n_differing: tuple[int, ...], cap: int) -> float:
    """The mean R-precision over zetas from the classes themselves, no label being read."""
    classes = {item.pk: classes_of(item.external_id) for item in Item.objects.all()}
    total = 0.0
    for source, targets in Ranking.objects.filter(run__name=run).values_list("source", "targets"):
        for zeta in n_differing:
            hits = [int((classes[source] != classes[key]).sum()) <= zeta for key in targets]
            n = min(sum(hits), cap)
            total += sum(hits[:n]) / n / len(n_differing)
    return total / Ranking.objects.filter(run__name=run).count()


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_plausible_matches_are_those_of_nearly_the_same_classes(study, direction):
    add_plausible(study)
    rows = check(study, direction=direction)
    for system, runs in SYSTEMS.items():
        for measure, zetas, cap in (("PMRP", (0,), 50), ("PMRP_mean", (0, 1, 2), 1_000)):
            two = [recount_plausible(run, zetas, cap) for run in runs]
            key = f"pmrp_{measure}"
            numbers = [rows[system][f"{key}_{name}"] for name in ("forward", "reverse", "mean")]
            assert numbers == pytest.approx([*two, sum(two) / 2])
            assert 0 < sum(two) < 2
    assert len({row["pmrp_PMRP_mean"] for row in rows.values()}) == len(rows)
    assert rows["A"]["pmrp_PMRP_mean"] != rows["A"]["pmrp_PMRP_mean_mean"]


@pytest.mark.parametrize(
    ("zetas", "has"), [(1, "1 grade (1)"), (2, "2 grades (1, 2)"), (4, "4 grades (1, 2, 3, 4)")]
)
def test_plausible_matches_of_other_zetas_have_no_number_but_a_sentence(study, zetas, has):
    add_plausible(study, zetas=zetas)
    result = answer_of(study, NAME).result
    assert not any(column.key.startswith("pmrp") for column in result.columns)
    (note,) = [note for note in result.notes if note.startswith("Without")]
    assert note.startswith(
        f"Without Plausible matches: reference “plausible” has positive labels of {has}, and zeta"
    )


def test_items_that_a_lead_excluded_do_not_count(study):
    queries, documents = sides_of(study)
    excluded = [queries[2].pk, documents[1].pk]
    Item.objects.filter(pk__in=excluded).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    check(study, excluded=excluded)


def test_the_result_names_the_protocols_and_what_each_fixes(study):
    result = answer_of(study, NAME).result
    assert result.headline == "2 systems by COCO 1K, COCO 5K, CxC and ECCV Caption"
    assert result.extent == "2 systems by 4 protocols"
    assert any(
        note.startswith("Protocol CxC, of ECCV Caption (Chun et al. 2022)")
        and note.endswith("Over 20 queries and 10 documents.")
        for note in result.notes
    )
    assert [note for note in result.notes if note.startswith("Without")] == [
        "Without Plausible matches: no reference set has “plausible” or “pmrp” in its name."
    ]
    assert result.spec is None


def test_what_the_collection_lacks_is_in_the_notes_and_the_others_stand(study):
    ReferenceSet.objects.filter(name="ECCV").update(name="mine")
    QuerySet.objects.filter(name="1k fold 5").delete()
    result = answer_of(study, NAME).result
    assert [note for note in result.notes if note.startswith("Without")] == [
        "Without COCO 1K: no 5 query sets of both directions with “1k” or “fold” in their names "
        "differ in a number at the end.",
        "Without ECCV Caption: no reference set has “eccv” in its name.",
        "Without Plausible matches: no reference set has “plausible” or “pmrp” in its name.",
    ]
    assert result.extent == "2 systems by 2 protocols"


def test_a_protocol_whose_folds_share_queries_is_told_of(study):
    queries, _ = sides_of(study)
    fold = QuerySet.objects.get(name="1k fold 1", direction="forward")
    QuerySetItem.objects.create(query_set=fold, item=queries[1])
    notes = answer_of(study, NAME).result.notes
    assert "Without COCO 1K: The folds share 1 query; each belongs to one fold." in notes


def test_a_set_that_is_a_sample_is_told_of(study):
    """A measure that counts as irrelevant what the sample did not draw has no number."""
    queries, documents = sides_of(study)
    cxc = ReferenceSet.objects.get(name="CxC")
    labels = ReferenceLabel.objects.filter(reference_set=cxc)
    labels.update(stratum=1)
    has_label = set(labels.values_list("query", "document"))
    Undrawn.objects.bulk_create(
        Undrawn(reference_set=cxc, query=query, document=document, stratum=1)
        for query in queries
        for document in documents
        if (query.pk, document.pk) not in has_label
    )
    result = answer_of(study, NAME).result
    assert any("CxC" in note and "irrelevant" in note for note in result.notes)
    assert not any(column.key.startswith("cxc") for column in result.columns)


def test_nothing_is_said_without_partners_or_without_a_protocol(study):
    Run.objects.update(system="")
    assert answer_of(study, NAME).reason.startswith("It takes a run in each direction")
    plain = small_study()
    studies.run(plain, "delta", direction="reverse", seed=5)
    Run.objects.filter(collection=plain, name__in=["alpha", "delta"]).update(system="A")
    reason = answer_of(plain, NAME).reason
    assert reason.startswith("The collection lacks what each protocol takes. COCO 1K: neither")
    assert "CxC: no reference set has “cxc” in its name." in reason


def test_the_room_takes_a_protocol_for_its_choices(study):
    choices = chosen(study, protocol="coco-1k")
    assert (choices.errors, choices.measures) == ([], ["C@1", "C@5", "C@10"])
    assert choices.measure_text == "C@1 C@5 C@10"
    rows = {row["system"]: row for row in table_of(study, "folds", protocol="coco-1k")}
    for system, row in table_of_protocols(study).items():
        for measure in ("C@1", "C@5", "C@10"):
            assert rows[system][f"{measure}_mean"] == row[f"coco-1k_{measure}_mean"]
        assert rows[system]["rsum"] == row["coco-1k_rsum"]
    by_hand = chosen(study, labels="none:ECCV", queries="eccv", measure="mAP@R")
    assert by_hand.protocol.protocol.name == "eccv-caption"
    assert chosen(study, labels="none:ECCV", queries="eccv").protocol is None
    assert chosen(study, protocol="cxc", measure="AP").errors == [
        "The protocol CxC has the measures C@1; AP is not among them."
    ]
    assert chosen(study, protocol="cxc", labels="only").errors[0].startswith("The protocol CxC")
    assert chosen(study, protocol="nothing").errors[0].startswith('There is no protocol "nothing"')


def table_of_protocols(study) -> dict[str, dict[str, object]]:
    return {row["system"]: row for row in table_of(study, NAME)}
