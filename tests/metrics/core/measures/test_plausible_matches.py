"""Plausible matches and their R-precision, against eccv_caption's own on plain matches."""

import warnings

import numpy as np
import pytest

from metrics.core.measures import matrices
from metrics.core.measures.measures import evaluate, parse
from metrics.core.measures.plausible_matches import plausible_matches
from tests.metrics.core.measures import matrix_averages

with warnings.catch_warnings(action="ignore"):  # it misses ujson
    from eccv_caption._metrics import compute_rprecision


def study(n_images=260, n_captions=40):
    """Captions of some images, the classes of all, and similarities.

    Enough matches to sort rows.
    """
    rng = np.random.default_rng(8)
    of_image = rng.random((n_images, 6)) < 0.12
    own = rng.permutation(n_images)[:n_captions]
    scores = rng.normal(0, 1, (n_captions, n_images)) + 2 * (own[:, None] == np.arange(n_images))
    return of_image[own], of_image, scores.astype(np.float32)


def matched_cells(queries, targets, **options) -> matrices.Cells:
    """The cells of all rows."""
    blocks = list(plausible_matches(queries, targets, **options))
    return matrices.Cells(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def differing_classes(left, right):
    return sum(bool(a) != bool(b) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("cut", [None, 8])
def test_the_mean_over_zeta_equals_eccv_captions_r_precision_on_each(direction, cut):
    captions, images, scores = study()
    if cut:  # few targets, so that ranks are counted
        images, scores = images[:cut], scores[:, :cut]
    cells = matched_cells(captions, images)
    ranked = (
        matrix_averages.ranked_rows if direction == "forward" else matrix_averages.ranked_columns
    )(scores, cells)
    queries, targets, table = (
        (captions, images, scores) if direction == "forward" else (images, captions, scores.T)
    )
    lists = {q: np.argsort(-row).tolist() for q, row in enumerate(table)}
    expected = []
    for zeta in (0, 1, 2):
        matches = {
            q: {t for t, theirs in enumerate(targets) if differing_classes(mine, theirs) <= zeta}
            for q, mine in enumerate(queries)
        }
        matched = {q: query_matches for q, query_matches in matches.items() if query_matches}
        # a query without any: 0
        expected.append(compute_rprecision(lists, matched) * len(matched) / len(queries))
        (r_precision,) = evaluate(parse("Rprec"), ranked, threshold=3 - zeta).values()
        assert r_precision.mean() == pytest.approx(expected[-1], abs=1e-12)
    assert evaluate(parse("PMRP_mean"), ranked)["PMRP_mean"].mean() == pytest.approx(
        np.mean(expected), abs=1e-12
    )


def test_one_zeta_is_the_r_precision_of_equal_classes_and_the_cap_bounds_r():
    captions, images, scores = study()
    ranked = matrix_averages.ranked_rows(scores, matched_cells(captions, images))
    values = evaluate(
        parse("PMRP_mean(cap=10) PMRP(rel=1,cap=10) PMRP(rel=2,cap=10) PMRP(rel=3,cap=10)"), ranked
    )
    mean, *levels = values.values()
    assert mean.tolist() == pytest.approx(np.mean(levels, axis=0).tolist())
    equal_classes = matrix_averages.ranked_rows(scores, matched_cells(captions, images, zetas=1))
    alone = evaluate(parse("PMRP_mean(zetas=1) PMRP(cap=0) Rprec"), equal_classes)
    assert (
        alone["PMRP_mean(zetas=1)"].tolist()
        == alone["PMRP(cap=0)"].tolist()
        == alone["Rprec"].tolist()
    )


def test_a_querys_own_image_matches_at_every_zeta_and_grades_tell_the_difference():
    classes = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    cells = matched_cells(classes[:1], classes)
    assert dict(zip(cells.column.tolist(), cells.grade.tolist(), strict=True)) == {0: 3, 1: 2}
    assert list(plausible_matches(classes[:0], classes)) == []


def test_classes_other_than_0_and_1_are_refused():
    with pytest.raises(ValueError, match="0 and 1"):
        next(plausible_matches(np.array([[2]]), np.array([[1]])))
    with pytest.raises(ValueError, match="same classes"):
        next(plausible_matches(np.array([[1, 0]]), np.array([[1]])))


def test_blocks_of_rows_are_those_of_all_rows_at_once(monkeypatch):
    captions, images, _ = study()
    whole = matched_cells(captions, images)
    monkeypatch.setattr("metrics.core.measures.plausible_matches._CELLS_A_BLOCK", 3 * len(images))
    blocks = list(plausible_matches(captions, images))
    assert len(blocks) == -(-len(captions) // 3)
    parts = matched_cells(captions, images)
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))
