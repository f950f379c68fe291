"""Runs uploaded as similarity matrices: measured by all their cells, as by an independent tool."""

import io

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import Item, Pair, Role
from annotate.services.collection.query_sets import complete_query_sets
from metrics.core.measures.alignment import LabelledPairs
from metrics.core.measures.bounds import bounds
from metrics.core.measures.evaluation import evaluate_matrix, read_matrix
from metrics.core.measures.measures import evaluate, parse
from metrics.services.numbers import refresh
from metrics.services.scores import labels, measuring, ranks
from pooling.core.files.text.runs import read_qrels
from pooling.models import Matrix, Ranking
from pooling.services.pools import checks as pool_checks
from pooling.services.pools import pair_choice
from pooling.services.runs import descriptions as run_descriptions
from pooling.services.runs import matrix_storage, runs
from pooling.services.runs import rereading as run_rereading
from tests import campaigns, cast
from tests.metrics import uploads
from tests.metrics.matrix_runs import (
    MEASURES,
    N_DOCUMENTS,
    N_QUERIES,
    cells,
    falling,
    hdf5,
    measured,
    names,
    npz,
    page_values,
    plain_study,
    received,
    trec,
)
from tests.sizes import share_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


def study(rng):
    collection = cast.collection(grades=3, n_queries=N_QUERIES, n_documents=N_DOCUMENTS)
    collection.items.filter(external_id="d7").update(split="train")
    complete_query_sets(collection=collection)
    ends = zip(rng.integers(N_QUERIES, size=300), rng.integers(N_DOCUMENTS, size=300), strict=True)
    pairs = {(f"q{query}", f"d{document}"): int(rng.integers(0, 3)) for query, document in ends}
    cast.reference(collection, pairs | {("q0", "d0"): 2})
    return collection


def as_it_comes(rng, of, direction, dtype, order):
    """A matrix over most items of the collection and some that it lacks, in no order."""
    sides = (
        ("q", N_QUERIES, "d", N_DOCUMENTS)
        if direction == "forward"
        else ("d", N_DOCUMENTS, "q", N_QUERIES)
    )
    rows = [f"{sides[0]}{n}" for n in range(sides[1]) if n % 6] + ["elsewhere"]
    columns = [f"{sides[2]}{n}" for n in range(sides[3]) if n % 9 != 4] + [
        f"x{n}" for n in range(20)
    ]
    rows, columns = rng.permutation(rows).tolist(), rng.permutation(columns).tolist()
    return cells(rng, len(rows), len(columns), dtype, order=order), rows, columns


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("case", range(share_of(40)))
def test_stored_scores_of_a_matrix_are_those_of_ir_measures_on_all_its_cells(case, direction):
    rng = np.random.default_rng([case, len(direction)])
    of = study(rng)
    dtype, order = ("float16", "float32", "float64")[case % 3], "CF"[case % 2]
    scores, rows, columns = as_it_comes(rng, of, direction, dtype, order)
    run = received(of, npz(scores, rows, columns), direction=direction)
    uploads.leave_out(of, *(["d2", "q3"] if case % 4 == 3 else []))
    refresh.refresh(collection=of)
    query_set = of.query_sets.get(direction=direction, name="all")
    uploads.assert_scores(run, query_set, uploads.as_scored(run, query_set))
    uploads.assert_judged(run, query_set)
    if case % 4 != 3:
        whole = trec(scores, rows, columns).splitlines(keepends=True)
        uploads.assert_scores(
            run, query_set, "".join(line for line in whole if "d7" not in line.split())
        )


@pytest.mark.parametrize("score_type", ["float32", "float64"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_evaluate_and_the_page_agree_on_every_measure(dtype, score_type):
    rng = np.random.default_rng([len(dtype), len(score_type)])
    of = cast.collection(grades=3, n_queries=N_QUERIES, n_documents=N_DOCUMENTS)
    complete_query_sets(collection=of)
    pairs = {
        (f"q{q}", f"d{d}"): int(rng.integers(0, 3))
        for q in range(N_QUERIES)
        for d in rng.permutation(160)[:30]
    }
    cast.reference(of, pairs)
    rows = [f"q{n}" for n in range(N_QUERIES)]
    columns = [f"d{n}" for n in rng.permutation(N_DOCUMENTS)]
    data = npz(cells(rng, N_QUERIES, N_DOCUMENTS, dtype), rows, columns)
    run = received(of, data, score_type=score_type)
    qrels = read_qrels(
        io.BytesIO("".join(f"{q} 0 {d} {g}\n" for (q, d), g in pairs.items()).encode()), name="q"
    )
    theirs = evaluate_matrix(
        read_matrix(io.BytesIO(data), name="m"), qrels, name="m", score_type=score_type
    )
    expected = evaluate(parse(MEASURES), theirs.rankings, 1)
    ours = page_values(of, run)
    for number, name in enumerate(expected):
        assert ours.whole[number].tolist() == expected[name].tolist(), name


GRADED = "ERR ERR@5 gRBP gRBP(p=0.5) PMRP_mean ERR(max_grade=4.0)"


@pytest.mark.parametrize("chunk", [1, 2, 5_000])
def test_a_query_s_value_does_not_hang_on_which_queries_are_measured_at_a_time(chunk, monkeypatch):
    """The best grade is among the labels of one query alone.

    The list and the matrix are those of one run.
    """
    monkeypatch.setattr(measuring, "CHUNK", chunk)
    of = cast.collection(grades=4, n_queries=N_QUERIES, n_documents=N_DOCUMENTS)
    rng = np.random.default_rng(5)
    complete_query_sets(collection=of)
    pairs = {
        (f"q{q}", f"d{d}"): int(rng.integers(0, 3)) for q in range(N_QUERIES) for d in range(30)
    }
    pairs["q6", "d3"] = 3
    cast.reference(of, pairs)
    # as many as a list keeps
    rows, columns = [f"q{n}" for n in range(N_QUERIES)], [f"d{n}" for n in range(90)]
    scores = cells(rng, N_QUERIES, 90, "float32")
    data = npz(scores, rows, columns)
    qrels = "".join(f"{q} 0 {d} {g}\n" for (q, d), g in pairs.items())
    theirs = evaluate_matrix(
        read_matrix(io.BytesIO(data), name="m"),
        read_qrels(io.BytesIO(qrels.encode()), name="q"),
        name="m",
    )
    expected = evaluate(parse(GRADED), theirs.rankings, 1)
    listed = received(of, trec(scores, rows, columns).encode(), file_name="run.txt", name="listed")
    for run in (received(of, data), listed):
        ours = page_values(of, run, GRADED)
        for number, name in enumerate(expected):
            assert ours.whole[number].tolist() == pytest.approx(
                expected[name].tolist(), abs=1e-12
            ), name
            assert (ours.least[number] <= ours.whole[number]).all() and (
                ours.whole[number] <= ours.most[number]
            ).all()
        ends = bounds(parse(GRADED)[0], theirs.rankings, best_grade=3)
        assert ours.most[0].tolist() == pytest.approx(ends.most.tolist(), abs=1e-12)


def test_an_open_pair_of_a_pool_counts_once_whether_a_matrix_or_a_list_holds_it_or_not():
    """d150 is relevant and first; d0 is open as it is in all rows.

    D20 and d21 are in the pool, and not in all rows.
    """
    of = plain_study()
    pairs = [
        Pair(
            collection=of,
            query=of.items.get(external_id=f"q{q}"),
            document=of.items.get(external_id=f"d{d}"),
        )
        for q in range(4)
        for d in (20, 21, 150)
    ]
    campaigns.open_pool_round(of, Pair.objects.bulk_create(pairs))
    whole = np.tile(np.arange(4, 0, -1, dtype="float32"), (4, 1))
    holed = np.where(np.arange(4)[:, None] * [0, 0, 0, 1] > 0, -np.inf, whole).astype("float32")
    for name, scores in {
        "whole": whole,
        "holed": holed,
        "narrow": whole[:, :3],
        "short": holed[:3],
    }.items():
        shape = names("q", len(scores)), ["d150", "d0", "d20", "d21"][: scores.shape[1]]
        listed = received(
            of, trec(scores, *shape).encode(), file_name="run.txt", name=f"listed {name}"
        )
        for run in (received(of, npz(scores, *shape), name=name), listed):
            run_values = page_values(of, run, "R@1")
            is_in_run = np.arange(4) < len(scores)
            assert run_values.least[0].tolist() == pytest.approx(
                np.where(is_in_run, 1 / 4, 0).tolist()
            ), name


def test_the_rankings_keep_the_best_hundred_and_the_matrix_all(media_root):
    of = plain_study()
    run = received(of, npz(falling(), names("q", 4), names("d", N_DOCUMENTS)))
    assert {len(row.targets) for row in Ranking.objects.filter(run=run)} == {100}
    matrix = Matrix.objects.get(run=run)
    assert (len(matrix.rows), len(matrix.columns), matrix.n_bytes) == (4, 160, 4 * 160 * 4 + 128)
    stored = np.load(matrix.file.path)
    assert stored.flags.c_contiguous
    columns = [of.items.get(pk=pk).external_id for pk in matrix.columns[:3]]
    assert columns == ["d0", "d1", "d10"]  # in ascending order of their ids
    assert run.report["matrix"] == [4, 160]
    assert [path.name for path in (media_root / "matrices").iterdir()] == [
        matrix.file.name.split("/")[1]
    ]


def test_ranks_beyond_the_hundredth_are_known_of_a_matrix_and_not_of_a_list_that_was_cut():
    of = plain_study()
    scores, rows, columns = falling(), names("q", 4), names("d", N_DOCUMENTS)
    run = received(of, npz(scores, rows, columns))
    cut = uploads.ingested(
        of,
        "cut",
        "".join(
            line
            for line in trec(scores, rows, columns).splitlines(keepends=True)
            if float(line.split()[4]) > -100
        ),
    )
    assert measured(of, run, "MedR MeanR") == {
        "MedR": ((12 + 151) / 2, None),
        "MeanR": ((12 + 151) / 2, None),
    }
    assert measured(of, cut, "MedR MeanR") == {"MedR": (None, 101), "MeanR": (None, 101)}
    cast.reference(of, {("q3", "d1"): 1}, name="more")
    # over the one query that has a positive
    assert measured(of, cut, "MedR MeanR", reference="more") == {
        "MedR": (2, None),
        "MeanR": (2, None),
    }


def test_a_matrix_that_is_read_again_or_by_other_scores_leaves_one_file(media_root, monkeypatch):
    of = plain_study()
    run = received(of, npz(falling(), [*names("q", 3), "new"], names("d", N_DOCUMENTS)))
    Item.objects.create(collection=of, side="query", external_id="new")
    run_rereading.note_joined_items(collection_id=of.pk)
    perform_work(run)
    assert 0 not in Matrix.objects.get(run=run).rows
    run_descriptions.reread_run(run=run, score_type="float64", by=None)
    assert not Matrix.objects.exists()
    perform_work(run)
    assert run.state == "ready"
    # what others may still read stays for some hours
    assert (len(list((media_root / "matrices").iterdir())), matrix_storage.sweep_files()) == (3, 0)
    monkeypatch.setattr(matrix_storage, "FORGOTTEN_AFTER", -1)
    assert matrix_storage.sweep_files() == 2
    (left,) = (media_root / "matrices").iterdir()
    assert left.name == Matrix.objects.get().file.name.split("/")[1]


def test_the_best_hundred_are_of_the_items_that_are_judged():
    of = plain_study()
    of.items.filter(external_id__in=[f"d{n}" for n in range(120)]).update(split="train")
    run = received(of, npz(falling(), names("q", 4), names("d", N_DOCUMENTS)))
    assert {len(row.targets) for row in Ranking.objects.filter(run=run)} == {40}
    assert run.report["missing"]["n"] == 0
    assert measured(of, run, "MeanR") == {"MeanR": ((1 + 31) / 2, None)}


def test_what_is_not_retrieved_is_neither_measured_nor_unknown():
    of, scores = plain_study(), falling()
    scores = np.concatenate([scores, np.full((4, 100), -np.inf, dtype=np.float32)], axis=1)
    run = received(of, npz(scores, names("q", 4), [*names("d", N_DOCUMENTS), *names("x", 100)]))
    assert (run.report["n_rows"], run.report["n_kept"], run.report["n_unknown"]) == (640, 640, 0)


def test_two_matrices_that_are_read_at_once_do_not_take_more_than_there_is(settings):
    of = plain_study()
    settings.MATRICES_MAX_BYTES = 4_000
    file = SimpleUploadedFile("m.npz", npz(falling(), names("q", 4), names("d", N_DOCUMENTS)))
    first, second = (
        runs.receive_run(collection=of, name=name, direction="forward", upload=file).run
        for name in ("first", "second")
    )
    store = matrix_storage.store_matrix
    other_runs = iter([second])

    def meanwhile(**arguments):
        if other := next(other_runs, None):
            perform_work(other)
        store(**arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix_storage, "store_matrix", meanwhile)
        perform_work(first)
    assert (first.state, second.state) == ("rejected", "ready")
    assert "MATRICES_MAX_MB" in first.report["errors"][0]["message"]


def test_ids_that_are_bytes_are_ids_to_evaluate_too():
    data = npz(
        falling(), np.array(names("q", 4), dtype="S"), np.array(names("d", N_DOCUMENTS), dtype="S")
    )
    matrix = read_matrix(io.BytesIO(data), name="m")
    assert (matrix.rows[0], matrix.columns[-1]) == (b"q0", b"d159")


def test_a_collection_keeps_so_many_bytes_of_matrices_and_says_so(settings, media_root):
    of = plain_study()
    settings.MATRICES_MAX_BYTES = 4_000
    data = npz(falling(), names("q", 4), names("d", N_DOCUMENTS))
    received(of, data)
    file = SimpleUploadedFile("second.npz", data)
    second = runs.receive_run(collection=of, name="second", direction="forward", upload=file).run
    perform_work(second)
    assert second.state == "rejected"
    assert "MATRICES_MAX_MB" in second.report["errors"][0]["message"]
    assert len(list((media_root / "matrices").iterdir())) == 1


def test_a_fault_in_a_late_row_keeps_nothing_of_a_matrix(media_root):
    of, scores = plain_study(), falling()
    scores[3, 5] = np.nan
    file = SimpleUploadedFile("m.npz", npz(scores, names("q", 4), names("d", N_DOCUMENTS)))
    run = runs.receive_run(collection=of, name="m", direction="forward", upload=file).run
    perform_work(run)
    assert run.state == "rejected"
    assert not Matrix.objects.exists()
    assert list(media_root.glob("matrices/*")) == []


def test_hdf5_is_kept_whole_too():
    of = plain_study()
    run = received(of, hdf5(falling(), names("q", 4), names("d", N_DOCUMENTS)), file_name="m.h5")
    assert measured(of, run, "MeanR") == {"MeanR": ((12 + 151) / 2, None)}


def test_pools_see_the_best_hundred_and_say_so():
    of = plain_study()
    run = received(of, npz(falling(), names("q", 4), names("d", N_DOCUMENTS)))
    with pytest.raises(pool_checks.PoolError, match="pools see the 100 best of each row"):
        pair_choice.choose_pairs(
            collection=of, strategy="depth-k", parameters={"depth": 101}, runs=[run]
        )
    chosen = pair_choice.choose_pairs(
        collection=of, strategy="depth-k", parameters={"depth": 100}, runs=[run]
    )
    assert len(chosen.query) == 400


def test_the_explorer_tells_ranks_beyond_the_hundredth(client):
    of = plain_study()
    run = received(of, npz(falling(), names("q", 4), names("d", N_DOCUMENTS)))
    refresh.refresh(collection=of)
    client.force_login(cast.member(of, Role.RESEARCHER))
    page = client.get(f"/c/{of.slug}/results/explorer/", {"q": "q3"})
    (missed,) = page.context["page"].query.missed_positives
    assert missed.ranks == [151]
    assert run.report["matrix"]


def test_only_the_rows_of_queries_that_carry_labels_are_read(monkeypatch):
    of = plain_study()
    run = received(of, npz(falling(), names("q", 4), names("d", N_DOCUMENTS)))
    read_rows, original = [], ranks.row_blocks

    def counting(path, rows):
        read_rows.extend(rows.tolist())
        return original(path, rows)

    monkeypatch.setattr(ranks, "row_blocks", counting)
    scope = labels.scope_of(query_set=of.query_sets.get(direction="forward", name="all"))
    table = LabelledPairs(
        np.array([2]), np.array([of.items.get(external_id="d150").pk]), np.array([1])
    )
    matrix = ranks.matrix_of(run)
    (grades,) = ranks.ranked_grades(
        run=run, matrix=matrix, scope=scope, sources=scope.sources, tables=[table]
    )
    assert (grades.rank.tolist(), grades.depth.tolist(), read_rows) == ([151], [160] * 4, [2])
