"""Measures from similarity matrices, against eccv_caption's real positives and plain sorting."""

import time
import tracemalloc
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.measures import cross_modal_averages, matrices
from metrics.core.measures.matrices import Cells
from metrics.core.measures.measures import evaluate, parse
from tests.benchmarks.numbers import coco_matrix
from tests.metrics.core.measures import matrix_averages
from tests.sizes import cases

with warnings.catch_warnings(action="ignore"):  # it misses ujson
    from eccv_caption import Metrics


@cases(150)
@given(st.integers(1, 6), st.integers(1, 7), st.integers(0, 2**32))
def test_ranks_equal_sorting_by_score_and_then_the_later_column(n_rows, n_columns, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (n_rows, n_columns)).astype(np.float32)
    row, column = np.nonzero(rng.random(scores.shape) < 0.6)
    cells = Cells(row, column, np.ones(len(row), dtype=int))
    for ranks, table, own, other in (
        (matrices.row_ranks(scores, cells), scores, row, column),
        (matrix_averages.column_ranks(scores, cells), scores.T, column, row),
    ):
        sorted_ids = [
            sorted(range(len(line)), key=lambda i, line=line: (-line[i], -i)) for line in table
        ]
        assert ranks.tolist() == [
            sorted_ids[q].index(doc) + 1 for q, doc in zip(own, other, strict=True)
        ]


def test_a_row_with_hundreds_of_labels_is_ranked_in_the_same_order():
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 60, (2, 300)).astype(np.float32)
    precedence = rng.permutation(300)
    cells = Cells(
        np.repeat([0, 1], [300, 150]),
        np.append(np.arange(300), np.arange(150)),
        np.ones(450, dtype=int),
    )
    for options, tie in (({}, -np.arange(300)), ({"precedence": precedence}, precedence)):
        expected = [sorted(range(300), key=lambda i, row=row: (-row[i], tie[i])) for row in scores]
        ranks = matrices.row_ranks(scores, cells, **options)
        assert ranks[:300].tolist() == [expected[0].index(i) + 1 for i in range(300)]
        assert ranks[300:].tolist() == [expected[1].index(i) + 1 for i in range(150)]
    apart = rng.permutation(600).reshape(2, 300)
    expected = [sorted(range(300), key=lambda i, row=row: -row[i]) for row in apart]
    assert matrices.row_ranks(apart, cells)[300:].tolist() == [
        expected[1].index(i) + 1 for i in range(150)
    ]


def test_ties_go_by_the_precedence_given_and_scores_are_compared_as_float32():
    scores = np.array([[1.0, 1.00000001, 0.5]])
    cells = Cells(np.zeros(3, dtype=int), np.arange(3), np.ones(3, dtype=int))
    assert matrices.row_ranks(scores, cells, precedence=np.array([0, 1, 2])).tolist() == [1, 2, 3]
    assert matrices.row_ranks(scores, cells, precedence=np.array([2, 1, 0])).tolist() == [2, 1, 3]
    assert matrices.row_ranks(
        scores, cells, precedence=np.arange(3), score_type="float64"
    ).tolist() == [2, 1, 3]


@pytest.mark.parametrize("at", [0, 1])
def test_a_similarity_that_is_no_number_is_refused(at):
    scores = np.ones((1, 3))
    scores[0, at] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        matrices.row_ranks(scores, Cells(np.array([0]), np.array([0]), np.array([1])))


def test_some_queries_alone_give_their_own_values():
    rng = np.random.default_rng(0)
    scores = rng.random((9, 20))
    row, column = np.nonzero(rng.random(scores.shape) < 0.3)
    ranked = matrix_averages.ranked_rows(scores, Cells(row, column, rng.integers(0, 3, len(row))))
    some = np.array([7, 2, 5])
    measures = parse("AP nDCG@5 mAP@R R@3")
    whole, part = (
        evaluate(measures, ranked),
        evaluate(measures, matrix_averages.restrict_queries(ranked, some)),
    )
    for name, values in whole.items():
        assert part[name].tolist() == values[some].tolist()


class Coco:
    """A seeded similarity matrix over ECCV Caption's ids, of any size: images and captions."""

    def __init__(self, n_images: int, rng: np.random.Generator) -> None:
        self.oracle = Metrics()
        whole = self.oracle.coco_ids
        image_of = {caption: images[0] for caption, images in self.oracle.coco_gts["t2i"].items()}
        in_order = list(dict.fromkeys(image_of[caption] for caption in whole))
        # the same share of every fold, so that the folds of the smaller collection are as many
        self.images = np.array(in_order).reshape(5, -1)[:, : n_images // 5].ravel()
        image_ids = set(self.images.tolist())
        self.captions = np.array([caption for caption in whole if image_of[caption] in image_ids])
        self.oracle.coco_ids = self.captions
        self.image_at = {int(image): index for index, image in enumerate(self.images)}
        self.caption_at = {int(caption): index for index, caption in enumerate(self.captions)}
        for name in ("coco", "cxc", "eccv"):
            getattr(self.oracle, f"{name}_gts").update(
                self._cut(getattr(self.oracle, f"{name}_gts"))
            )
        own = np.array([self.image_at[image_of[caption]] for caption in self.captions])
        noise = rng.normal(0, 1, (len(self.captions), len(self.images)))
        self.scores = (noise + 2.5 * (own[:, None] == np.arange(len(self.images)))).astype(
            np.float32
        )
        self.caption_fold = np.repeat(np.arange(5), len(self.captions) // 5)
        self.image_fold = np.repeat(np.arange(5), len(self.images) // 5)

    def _cut(self, gts):
        t2i = {
            c: [i for i in images if i in self.image_at]
            for c, images in gts["t2i"].items()
            if c in self.caption_at
        }
        i2t = {
            i: [c for c in captions if c in self.caption_at]
            for i, captions in gts["i2t"].items()
            if i in self.image_at
        }
        return {
            "t2i": {c: v for c, v in t2i.items() if v},
            "i2t": {i: v for i, v in i2t.items() if v},
        }

    def cells(self, gts, direction: str) -> tuple[Cells, np.ndarray]:
        """The positives of one direction and the row indices of its queries."""
        query_at, target_at = (
            (self.caption_at, self.image_at)
            if direction == "t2i"
            else (self.image_at, self.caption_at)
        )
        pairs = [
            (query_at[q], target_at[t]) for q, targets in gts[direction].items() for t in targets
        ]
        query, target = np.array(pairs).T
        grades = np.ones(len(pairs), dtype=int)
        cells = Cells(query, target, grades) if direction == "t2i" else Cells(target, query, grades)
        return cells, np.array(sorted({q for q, _ in pairs}))

    def retrieved(self) -> dict[str, dict[int, list[int]]]:
        by_caption = np.argsort(-self.scores, axis=1)
        by_image = np.argsort(-self.scores, axis=0).T
        return {
            "t2i": {
                int(c): self.images[row].tolist()
                for c, row in zip(self.captions, by_caption, strict=True)
            },
            "i2t": {
                int(i): self.captions[row].tolist()
                for i, row in zip(self.images, by_image, strict=True)
            },
        }


@pytest.fixture(scope="module")
def coco() -> Coco:
    return Coco(200, np.random.default_rng(2))


@pytest.fixture(scope="module")
def retrieved(coco):
    return coco.retrieved()


@pytest.mark.parametrize("name", ["coco", "cxc", "eccv"])
@pytest.mark.parametrize("direction", ["t2i", "i2t"])
def test_every_5k_measure_equals_eccv_caption(coco, retrieved, name, direction):
    gts = getattr(coco.oracle, f"{name}_gts")
    cells, queries = coco.cells(gts, direction)
    ranked = (
        matrix_averages.ranked_rows if direction == "t2i" else matrix_averages.ranked_columns
    )(coco.scores, cells)
    values = evaluate(
        parse("C@1 C@5 C@10 mAP@R Rprec"), matrix_averages.restrict_queries(ranked, queries)
    )
    recalls = getattr(coco.oracle, {"coco": "coco_5k_recalls"}.get(name, f"{name}_recalls"))
    for k in (1, 5, 10):
        assert values[f"C@{k}"].mean() == pytest.approx(
            recalls(retrieved, direction, K=k)[direction], abs=1e-12
        )
    if name == "eccv":
        expected = coco.oracle.eccv_metrics(retrieved, direction)
        assert values["mAP@R"].mean() == pytest.approx(
            expected["eccv_map_at_r"][direction], abs=1e-12
        )
        assert values["Rprec"].mean() == pytest.approx(
            expected["eccv_rprecision"][direction], abs=1e-12
        )


def test_in_folds_a_grade_of_1_is_positive_unless_said_otherwise():
    cells = Cells(np.arange(4), np.arange(4), np.array([1, 1, 2, 2]))
    fold = np.array([0, 0, 1, 1])
    folds = {"row_fold": fold, "column_fold": fold}
    in_folds = partial(matrix_averages.in_folds, np.eye(4), cells, parse("C@1"), **folds)
    assert in_folds() == in_folds(threshold=1) == {"C@1": (1, 1)}
    assert in_folds(threshold=2) == {"C@1": (0.5, 0.5)}


def test_the_five_folds_and_rsum_equal_eccv_caption(coco, retrieved):
    cells, _ = coco.cells(coco.oracle.coco_gts, "t2i")
    recalls = matrix_averages.in_folds(
        coco.scores,
        cells,
        parse("C@1 C@5 C@10"),
        row_fold=coco.caption_fold,
        column_fold=coco.image_fold,
    )
    total = 0.0
    for k in (1, 5, 10):
        expected = coco.oracle.coco_1k_recalls(retrieved, "all", K=k)
        assert recalls[f"C@{k}"] == pytest.approx((expected["t2i"], expected["i2t"]), abs=1e-12)
        assert recalls[f"C@{k}"].mean == pytest.approx((expected["t2i"] + expected["i2t"]) / 2)
        total += 100 * sum(expected.values())
    assert cross_modal_averages.rsum_of(recalls) == pytest.approx(total)


@pytest.mark.heavy
@pytest.mark.timeout(3600)
def test_all_of_coco_equals_eccv_caption_in_little_memory(capsys):
    """25,000 captions x 5,000 images with all its positives.

    The largest pieces beside the matrix are counted.
    """
    work = coco_matrix.coco(Metrics())
    make, theirs = work.theirs()
    start = time.process_time()
    make()
    sorted_ = time.process_time()
    expected = theirs()
    middle = time.process_time()
    values = work.ours()
    ours = time.process_time() - middle
    tracemalloc.start()
    work.ours()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(expected) == 28
    assert {name: values[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert peak + work.scores.nbytes < 2 * work.scores.nbytes
    with capsys.disabled():
        print(
            f"\nours {ours:.2f} s, eccv_caption {middle - sorted_:.1f} s after "
            f"{sorted_ - start:.1f} s of sorting: ",
            end="",
        )
        print(
            f"{(middle - sorted_) / ours:.0f}x, {(middle - start) / ours:.0f}x; beside the matrix "
            f"{peak / 1e6:.0f} MB"
        )


def test_rsum_of_two_directions_is_at_most_600():
    scores = np.eye(4)
    cells = Cells(np.arange(4), np.arange(4), np.ones(4, dtype=int))
    recalls = matrix_averages.both_directions(scores, cells, parse("C@1,C@5,C@10"))
    assert recalls["C@1"] == (1.0, 1.0)
    assert cross_modal_averages.rsum_of(recalls) == 600


def test_the_positives_eccv_caption_carries_are_those_of_its_table_3():
    """1,332 captions, 6,305 pairs; CxC 1,895 / 8,906, ECCV 11,279 / 22,550 on ECCV's sets."""
    oracle = Metrics()
    captions, images = set(oracle.eccv_gts["t2i"]), set(oracle.eccv_gts["i2t"])
    assert (len(captions), len(images)) == (1332, 1261)
    expected = {"coco": (1332, 6305), "cxc": (1895, 8906), "eccv": (11279, 22550)}
    for name, (of_captions, of_images) in expected.items():
        gts = getattr(oracle, f"{name}_gts")
        assert (
            sum(len(targets) for c, targets in gts["t2i"].items() if c in captions) == of_captions
        )
        assert sum(len(targets) for i, targets in gts["i2t"].items() if i in images) == of_images
