"""The timed workloads, at the sizes of real studies, for us and for each peer in its own form."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from metrics.core.agreement import agreement, counts
from metrics.core.comparisons import range_tests
from metrics.core.measures import measures
from metrics.core.measures.alignment import LabelledPairs, Rankings, align
from metrics.core.statistics.resampling import resampled_means
from metrics.core.statistics.without_replacement import subset_errors
from pooling.core.files.text.runs import read_run
from tests.benchmarks.numbers.coco_matrix import coco
from tests.benchmarks.numbers.contests import Contest, Work, optional

FORMS = ("its lists", "the matrix, sorting included")


def ranking(small: bool) -> Iterator[Contest]:
    """AP, nDCG@10, RR, R@{10, 100, 1000} of 6,980 queries x 1,000 targets, like MS MARCO."""
    rng, n_queries, depth = np.random.default_rng(0), 698 if small else 6980, 1000
    docs = np.stack(
        [np.unique(rng.integers(0, 8_841_823, depth + 50))[:depth] for _ in range(n_queries)]
    )
    docs = rng.permuted(docs, axis=1)
    query = np.append(np.arange(n_queries), rng.integers(0, n_queries, n_queries // 15))
    pairs = np.unique(np.stack([query, docs[query, rng.integers(0, depth, len(query))]]), axis=1)
    labels = LabelledPairs(pairs[0], pairs[1], np.ones(pairs.shape[1], dtype=np.int64))
    rankings = Rankings(np.arange(n_queries + 1) * depth, docs.ravel())
    chosen_measures = measures.parse("AP nDCG@10 RR R@10 R@100 R@1000")
    run = {
        str(q): dict(zip(map(str, row.tolist()), range(depth, 0, -1), strict=True))
        for q, row in enumerate(docs)
    }
    qrels: dict[str, dict[str, int]] = {}
    for q, doc in pairs.T.tolist():
        qrels.setdefault(str(q), {})[str(doc)] = 1
    yield Contest(
        f"{n_queries} queries x {depth}, six measures",
        ">= 10x pytrec-eval; not slower than ranx",
        lambda: measures.evaluate(chosen_measures, align(rankings, labels)),
        {"pytrec-eval-terrier": _pytrec_eval(run, qrels), "ranx, compiled": _ranx(run, qrels)},
        memory=True,
    )


def _pytrec_eval(run: dict, qrels: dict) -> Work:
    import pytrec_eval

    measure_names = {"map", "ndcg_cut.10", "recip_rank", "recall.10,100,1000"}
    return lambda: pytrec_eval.RelevanceEvaluator(qrels, measure_names).evaluate(run)


def _ranx(run: dict, qrels: dict) -> Work | None:
    ranx = optional("ranx")
    if ranx is None:
        return None
    theirs = ranx.Qrels(qrels), ranx.Run(run)
    names = ["map", "ndcg@10", "mrr", "recall@10", "recall@100", "recall@1000"]
    return lambda: ranx.evaluate(*theirs, names)


def matrix(small: bool) -> Iterator[Contest]:
    """COCO 5K, both directions, with the positives of ECCV Caption, CxC and COCO; five folds."""
    eccv_caption = optional("eccv_caption")
    if eccv_caption is None:
        return
    work, part = coco(eccv_caption.Metrics()), 20
    from_lists, from_matrix = (
        f"eccv_caption from {form} (1/{part} of the queries, scaled)" for form in FORMS
    )
    their_lists, their_work = work.theirs(part)
    their_lists()
    yield Contest(
        "COCO 5K, 25,000 x 5,000, both ways, COCO 1K/5K + CxC + ECCV",
        ">= 30x, peak < 2x the matrix",
        work.ours,
        {from_lists: their_work, from_matrix: lambda: (their_lists(), their_work())},
        scale={from_lists: part, from_matrix: part},
        memory=True,
    )


def write_run_file(path: Path, *, small: bool) -> None:
    """Write a run file of 6.98 million lines, or a tenth; scores have six decimals."""
    rng = np.random.default_rng(3)
    with path.open("w") as file:
        for q in range(698 if small else 6980):
            docs = np.unique(rng.integers(0, 8_841_823, 1050))[:1000]
            rows = zip(rng.permutation(docs), np.sort(rng.gamma(4, 4, 1000))[::-1], strict=True)
            file.write(
                "".join(
                    f"{1000 + q * 151} Q0 {d} {i} {s:.6f} bm25\n"
                    for i, (d, s) in enumerate(rows, 1)
                )
            )


def parse(small: bool) -> Iterator[Contest]:
    """A run file of 6.98 million lines: query, document, rank and score; six decimals."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "run"
    write_run_file(path, small=small)
    pandas, arrow = optional("pandas"), optional("pyarrow.csv")
    names = ["query", "q0", "doc", "rank", "score", "tag"]
    types = {"query": str, "doc": str, "rank": np.int32, "score": np.float64}

    def ours() -> Any:
        with path.open("rb") as file:
            return read_run(file, name="run")

    def by_arrow() -> Any:
        import pyarrow as pa

        return arrow.read_csv(
            path,
            read_options=arrow.ReadOptions(column_names=names),
            parse_options=arrow.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=arrow.ConvertOptions(
                include_columns=list(types),
                column_types={
                    "query": pa.string(),
                    "doc": pa.string(),
                    "rank": pa.int32(),
                    "score": pa.float64(),
                },
            ),
        )

    def by_pandas() -> Any:
        return pandas.read_csv(
            path, sep=" ", names=names, usecols=list(types), dtype=types, quoting=3
        )

    yield Contest(
        f"parse a run of {path.stat().st_size / 1e6:.0f} MB",
        "<= 1.5x the faster peer's time; memory < 6x the arrays (144 MB at full size)",
        ours,
        {
            "pyarrow.csv": by_arrow if arrow else None,
            "pandas.read_csv": by_pandas if pandas else None,
        },
        memory=True,
    )
    folder.cleanup()


def alpha(small: bool) -> Iterator[Contest]:
    """FIRE's size: 659,126 labels on 555,391 pairs; and the interval beside one alpha of ours."""
    rng = np.random.default_rng(4)
    n_units, n_second = (55_539, 10_374) if small else (555_391, 103_735)
    unit = np.append(np.arange(n_units), rng.choice(n_units, n_second, replace=False))
    annotator = np.append(rng.integers(0, 50, n_units), rng.integers(50, 100, n_second))
    truth = rng.integers(0, 4, n_units)
    value = np.where(rng.random(len(unit)) < 0.1, rng.integers(0, 4, len(unit)), truth[unit])
    table = np.zeros((n_units, 4), dtype=np.int64)
    np.add.at(table, (unit, value), 1)
    krippendorff = optional("krippendorff")
    values = np.arange(4)
    for level in agreement.MeasurementLevel:
        peer = None
        if krippendorff:
            peer = lambda level=level: krippendorff.alpha(  # noqa: E731
                value_counts=table, value_domain=values, level_of_measurement=str(level)
            )
        yield Contest(
            f"alpha, {level}, from the table of counts",
            ">= 5x",
            lambda level=level: agreement.alpha_of_counts(counts.group(table, values), level=level),
            {"krippendorff": peer},
        )
    yield Contest(
        "alpha, ordinal, from labels in long form",
        "",
        lambda: agreement.alpha(unit, annotator, value, level="ordinal"),
        {},
    )
    labels = counts.annotations(unit, annotator, value)
    yield Contest(
        "interval of 1,000 samples, ordinal, coded labels (peer: one alpha of ours)",
        "<= 100x one alpha: ratio >= 0.01",
        lambda: agreement.alpha_of_counts(
            counts.count_units(labels),
            level="ordinal",
            n_replicates=1000,
            rng=np.random.default_rng(0),
        ),
        {
            "one alpha": lambda: agreement.alpha_of_counts(
                counts.count_units(labels), level="ordinal"
            )
        },
    )


def planner(small: bool) -> Iterator[Contest]:
    """10,000 samples of 500, 1,000 and 3,000 of 27,763 and 6,980 queries; AP and C@1."""
    n_samples = 1000 if small else 10_000
    one_a_time = "numpy's choice(replace=False), a sample a time"
    for n in (27_763, 6_980):
        scores = np.random.default_rng(5).beta(0.7, 0.9, n)
        for name, values in (("AP", scores), ("C@1", (scores > 0.6).astype(float))):
            work = f"{n_samples} samples x (500, 1000, 3000) of {n}, {name}"
            contest = PlannerContest(values, n_samples)
            yield Contest(
                f"planner, {work}",
                ">= 3x, bounded memory",
                contest.with_replacement,
                {"numpy, straightforward": contest.numpy_with_replacement},
                memory=True,
            )
            yield Contest(
                f"planner without replacement, {work}",
                ">= 3x, bounded memory",
                contest.without_replacement,
                {one_a_time: contest.numpy_without_replacement},
                memory=True,
            )


@dataclass
class PlannerContest:
    """The 95th percentile of the error of a mean for each size, by us and in plain numpy."""

    values: np.ndarray
    n_samples: int
    sizes: tuple[int, ...] = (500, 1000, 3000)

    def with_replacement(self) -> Any:
        """With replacement."""
        sample_means = resampled_means(
            self.values, self.sizes, rng=np.random.default_rng(0), n_samples=self.n_samples
        )
        return np.quantile(np.abs(sample_means - self.values.mean()), 0.95, axis=1)

    def without_replacement(self) -> Any:
        """Without replacement."""
        errors = subset_errors(
            self.values, self.sizes, rng=np.random.default_rng(0), n_samples=self.n_samples
        )
        return np.quantile(np.abs(errors), 0.95, axis=1)

    def numpy_with_replacement(self) -> list[float]:
        """With replacement, all samples of a size at once."""
        rng, n = np.random.default_rng(0), len(self.values)
        means = (
            self.values[rng.integers(0, n, (self.n_samples, size))].mean(axis=1)
            for size in self.sizes
        )
        return [
            float(np.quantile(np.abs(size_means - self.values.mean()), 0.95))
            for size_means in means
        ]

    def numpy_without_replacement(self) -> list[float]:
        """Without replacement, a sample at a time: numpy has no call for many but permuting all."""
        rng, n, quantiles = np.random.default_rng(0), len(self.values), []
        for size in self.sizes:
            means = [
                self.values[rng.choice(n, size, replace=False)].mean()
                for _ in range(self.n_samples)
            ]
            quantiles.append(float(np.quantile(np.abs(np.array(means) - self.values.mean()), 0.95)))
        return quantiles


def newman_keuls(small: bool) -> Iterator[Contest]:
    """129 runs x 50 topics, quantiles never seen before."""
    rng = np.random.default_rng(6)
    n_runs = 30 if small else 129
    scores = (
        rng.normal(0, 0.1, (50, n_runs)) + rng.normal(0, 0.2, (50, 1)) + np.linspace(0, 0.3, n_runs)
    )
    df = 49 * (n_runs - 1)
    spans = np.arange(2, n_runs + 1, 8)

    def ours() -> Any:
        range_tests.studentized_range_quantiles.cache_clear()
        return range_tests.compare_systems(scores, method="newman-keuls")

    name = f"scipy, a quantile a span (1/{(n_runs - 1) / len(spans):.1f} of the spans, scaled)"
    yield Contest(
        f"Newman-Keuls, {n_runs} runs x 50 topics",
        ">= 20x",
        ours,
        {name: lambda: [stats.studentized_range.ppf(0.95, int(r), df) for r in spans]},
        scale={name: (n_runs - 1) / len(spans)},
    )
