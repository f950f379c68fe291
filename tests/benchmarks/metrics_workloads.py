"""The timed workloads, at the sizes of real studies, for us and for each peer in its own form."""

import importlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy import stats

from metrics.core import agreement, counts, measures, multiple
from metrics.core.alignment import LabelledPairs, Rankings, align
from metrics.core.matrices import Cells, from_ranks, part_of, restrict_queries, row_ranks
from metrics.core.resampling import resampled_means
from metrics.core.without_replacement import subset_errors
from pooling.core.runs import read_run

Work = Callable[[], Any]
FORMS = ("its lists", "the matrix, sorting included")
COCO_SETS = ("coco", "cxc", "eccv")
ECCV_NAMES = {"eccv_map_at_r": "mAP@R", "eccv_rprecision": "Rprec", "eccv_r1": "C@1"}


@dataclass
class Contest:
    """One piece of work: ours, and each peer's (None where it is not installed).

    scale : factor of a peer's time, where it gets a part of the work
    """

    work: str
    goal: str
    ours: Work
    peers: dict[str, Work | None]
    scale: dict[str, float] = field(default_factory=dict)
    memory: bool = False


def optional(name: str) -> ModuleType | None:
    """A module if it is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def ranking(small: bool) -> Iterator[Contest]:
    """AP, nDCG@10, RR, R@{10, 100, 1000} of 6,980 queries x 1,000 targets, like MS MARCO."""
    rng, n_queries, depth = np.random.default_rng(0), 698 if small else 6980, 1000
    docs = np.stack([np.unique(rng.integers(0, 8_841_823, depth + 50))[:depth] for _ in range(n_queries)])
    docs = rng.permuted(docs, axis=1)
    query = np.append(np.arange(n_queries), rng.integers(0, n_queries, n_queries // 15))
    pairs = np.unique(np.stack([query, docs[query, rng.integers(0, depth, len(query))]]), axis=1)
    labels = LabelledPairs(pairs[0], pairs[1], np.ones(pairs.shape[1], dtype=np.int64))
    rankings = Rankings(np.arange(n_queries + 1) * depth, docs.ravel())
    chosen_measures = measures.parse("AP nDCG@10 RR R@10 R@100 R@1000")
    run = {str(q): dict(zip(map(str, row.tolist()), range(depth, 0, -1), strict=True)) for q, row in enumerate(docs)}
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
    from_lists, from_matrix = (f"eccv_caption from {form} (1/{part} of the queries, scaled)" for form in FORMS)
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


def coco(oracle: Any) -> "Coco":
    """25,000 captions x 5,000 images: noise, plus 3 sigma for a caption's own image."""
    captions = oracle.coco_ids
    image_of = {caption: images[0] for caption, images in oracle.coco_gts["t2i"].items()}
    images = np.array(list(dict.fromkeys(image_of[caption] for caption in captions)))
    own = np.argsort(images)[np.searchsorted(np.sort(images), [image_of[caption] for caption in captions])]
    scores = np.random.default_rng(1).standard_normal((len(captions), len(images)), dtype=np.float32)
    scores[np.arange(len(captions)), own] += 3
    return Coco(oracle, captions, images, own, scores)


class Coco:
    """The positives of the three sets as cells, and eccv_caption's lists."""

    def __init__(self, oracle: Any, captions: Any, images: Any, own: Any, scores: Any) -> None:
        self.oracle, self.captions, self.images, self.own, self.scores = oracle, captions, images, own, scores
        self.caption_at = {int(c): i for i, c in enumerate(captions)}
        self.image_at = {int(image): i for i, image in enumerate(images)}
        self.sets = {(name, direction): self._pairs(name, direction) for name in COCO_SETS for direction in ("t2i", "i2t")}
        self.measures = measures.parse("C@1 C@5 C@10 mAP@R Rprec")
        self.caption_fold = np.repeat(np.arange(5), len(captions) // 5)
        self.image_fold = self.caption_fold[np.searchsorted(own, np.arange(len(images)))]

    def _pairs(self, name: str, direction: str) -> np.ndarray:
        """(2, P) query and target of each positive; -1 for ECCV's two captions not in COCO 5K."""
        query, target = (self.caption_at, self.image_at) if direction == "t2i" else (self.image_at, self.caption_at)
        gts = getattr(self.oracle, f"{name}_gts")[direction]
        return np.array([(query[q], target.get(t, -1)) for q, targets in gts.items() for t in targets]).T

    def ours(self) -> dict[str, float]:
        """Values of all measures; pairs that several sets share are ranked once."""
        values_by_name = {}
        for direction, scores in (("t2i", self.scores), ("i2t", self.scores.T)):
            pairs = [self.sets[name, direction] for name in COCO_SETS]
            query, target = np.concatenate(pairs, axis=1)
            inside = target >= 0
            unique, back = np.unique((query * scores.shape[1] + target)[inside], return_inverse=True)
            cells = Cells(*np.divmod(unique, scores.shape[1]), np.ones(len(unique), dtype=np.int64))
            ranks = np.zeros(len(query), dtype=np.int64)
            ranks[inside] = row_ranks(scores, cells)[back]
            parts = np.split(ranks, np.cumsum([pair.shape[1] for pair in pairs])[:-1])
            for name, (query, _), rank in zip(COCO_SETS, pairs, parts, strict=True):
                ranked = from_ranks(query, rank, np.ones(len(rank), dtype=np.int64), shape=scores.shape)
                for measure, values in measures.evaluate(self.measures, restrict_queries(ranked, np.unique(query))).items():
                    values_by_name[f"{name} {direction} {measure}"] = values.mean()
        return values_by_name | self._folds()

    def _folds(self) -> dict[str, float]:
        fold_values: dict[str, list[float]] = {}
        for fold in range(5):
            rows, columns = np.flatnonzero(self.caption_fold == fold), np.flatnonzero(self.image_fold == fold)
            part = part_of(self.scores, rows, columns)
            own = np.searchsorted(columns, self.own[rows])
            positives = np.ones(len(rows), dtype=np.int64)
            captions = np.arange(len(rows))
            for direction, scores, query, target in (("t2i", part, captions, own), ("i2t", part.T, own, captions)):
                ranked = from_ranks(query, row_ranks(scores, Cells(query, target, positives)), positives, shape=scores.shape)
                for measure, values in measures.evaluate(self.measures[:3], ranked).items():
                    fold_values.setdefault(f"coco 1k {direction} {measure}", []).append(values.mean())
        return {name: float(np.mean(values)) for name, values in fold_values.items()}

    def theirs(self, part: int = 1) -> tuple[Work, Work]:
        """Functions that make eccv_caption's lists and run its code, on every `part`-th query."""
        if part > 1:
            for name in COCO_SETS:
                for gts in getattr(self.oracle, f"{name}_gts").values():
                    sampled_queries = sorted(gts)[::part]
                    for query in gts.keys() - set(sampled_queries):
                        del gts[query]
        lists: dict[str, dict[int, list[int]]] = {}

        def make() -> None:
            lists.update({direction: self._lists(direction) for direction in ("t2i", "i2t")})

        def work() -> dict[str, float]:
            values_by_name = {}
            for k in (1, 5, 10):
                for name, recalls in zip(COCO_SETS, ("coco_5k_recalls", "cxc_recalls", "eccv_recalls"), strict=True):
                    for direction, value in getattr(self.oracle, recalls)(lists, "all", K=k).items():
                        values_by_name[f"{name} {direction} C@{k}"] = value
                if part > 1:
                    self._their_folds(lists, k)
                else:
                    for direction, value in self.oracle.coco_1k_recalls(lists, "all", K=k).items():
                        values_by_name[f"coco 1k {direction} C@{k}"] = value
            for name, values in self.oracle.eccv_metrics(lists, "all").items():
                for direction, value in values.items():
                    values_by_name[f"eccv {direction} {ECCV_NAMES[name]}"] = value
            return values_by_name

        return make, work

    def _lists(self, direction: str) -> dict[int, list[int]]:
        queries = {q for name in COCO_SETS for q in getattr(self.oracle, f"{name}_gts")[direction]}
        ids = (self.images if direction == "t2i" else self.captions).astype(object)  # each id once, not once a list
        at = self.caption_at if direction == "t2i" else self.image_at
        scores = self.scores if direction == "t2i" else self.scores.T
        return {q: ids[np.argsort(-scores[at[q]])].tolist() for q in queries}

    def _their_folds(self, lists: dict[str, dict[int, list[int]]], k: int) -> None:
        """eccv_caption's COCO 1K recall over sampled queries: coco_1k_recalls needs all."""
        from eccv_caption._metrics import compute_coco1k_r_at_k

        for fold in range(5):
            ids = {
                "t2i": {int(i) for i in self.images[self.image_fold == fold]},
                "i2t": {int(c) for c in self.captions[self.caption_fold == fold]},
            }
            for direction, other in (("t2i", "i2t"), ("i2t", "t2i")):
                gts = {q: v for q, v in self.oracle.coco_gts[direction].items() if q in ids[other]}
                compute_coco1k_r_at_k(lists[direction], gts, ids[direction], k, False)


def parse(small: bool) -> Iterator[Contest]:
    """A run file of 6.98 million lines: query, document, rank and score; six decimals."""
    rng = np.random.default_rng(3)
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "run"
    with path.open("w") as file:
        for q in range(698 if small else 6980):
            docs = np.unique(rng.integers(0, 8_841_823, 1050))[:1000]
            rows = zip(rng.permutation(docs), np.sort(rng.gamma(4, 4, 1000))[::-1], strict=True)
            file.write("".join(f"{1000 + q * 151} Q0 {d} {i} {s:.6f} bm25\n" for i, (d, s) in enumerate(rows, 1)))
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
                column_types={"query": pa.string(), "doc": pa.string(), "rank": pa.int32(), "score": pa.float64()},
            ),
        )

    def by_pandas() -> Any:
        return pandas.read_csv(path, sep=" ", names=names, usecols=list(types), dtype=types, quoting=3)

    yield Contest(
        f"parse a run of {path.stat().st_size / 1e6:.0f} MB",
        "<= 1.5x the faster peer's time; memory < 6x the arrays (144 MB at full size)",
        ours,
        {"pyarrow.csv": by_arrow if arrow else None, "pandas.read_csv": by_pandas if pandas else None},
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
            counts.count_units(labels), level="ordinal", n_replicates=1000, rng=np.random.default_rng(0)
        ),
        {"one alpha": lambda: agreement.alpha_of_counts(counts.count_units(labels), level="ordinal")},
    )


def planner(small: bool) -> Iterator[Contest]:
    """10,000 samples of 500, 1,000 and 3,000 of 27,763 and 6,980 queries; AP and C@1."""
    n_samples = 1000 if small else 10_000
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
                {"numpy's choice(replace=False), a sample a time": contest.numpy_without_replacement},
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
        sample_means = resampled_means(self.values, self.sizes, rng=np.random.default_rng(0), n_samples=self.n_samples)
        return np.quantile(np.abs(sample_means - self.values.mean()), 0.95, axis=1)

    def without_replacement(self) -> Any:
        """Without replacement."""
        errors = subset_errors(self.values, self.sizes, rng=np.random.default_rng(0), n_samples=self.n_samples)
        return np.quantile(np.abs(errors), 0.95, axis=1)

    def numpy_with_replacement(self) -> list[float]:
        """With replacement, all samples of a size at once."""
        rng, n = np.random.default_rng(0), len(self.values)
        means = (self.values[rng.integers(0, n, (self.n_samples, size))].mean(axis=1) for size in self.sizes)
        return [float(np.quantile(np.abs(size_means - self.values.mean()), 0.95)) for size_means in means]

    def numpy_without_replacement(self) -> list[float]:
        """Without replacement, a sample at a time: numpy has no call for many but permuting all."""
        rng, n, quantiles = np.random.default_rng(0), len(self.values), []
        for size in self.sizes:
            means = [self.values[rng.choice(n, size, replace=False)].mean() for _ in range(self.n_samples)]
            quantiles.append(float(np.quantile(np.abs(np.array(means) - self.values.mean()), 0.95)))
        return quantiles


def newman_keuls(small: bool) -> Iterator[Contest]:
    """129 runs x 50 topics, quantiles never seen before."""
    rng = np.random.default_rng(6)
    n_runs = 30 if small else 129
    scores = rng.normal(0, 0.1, (50, n_runs)) + rng.normal(0, 0.2, (50, 1)) + np.linspace(0, 0.3, n_runs)
    df = 49 * (n_runs - 1)
    spans = np.arange(2, n_runs + 1, 8)

    def ours() -> Any:
        multiple.studentized_range_quantiles.cache_clear()
        return multiple.compare_systems(scores, method="newman-keuls")

    name = f"scipy, a quantile a span (1/{(n_runs - 1) / len(spans):.1f} of the spans, scaled)"
    yield Contest(
        f"Newman-Keuls, {n_runs} runs x 50 topics",
        ">= 20x",
        ours,
        {name: lambda: [stats.studentized_range.ppf(0.95, int(r), df) for r in spans]},
        scale={name: (n_runs - 1) / len(spans)},
    )
