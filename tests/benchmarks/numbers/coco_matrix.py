"""COCO 5K with the positives of three sets, measured by us and by eccv_caption."""

from typing import Any

import numpy as np

from metrics.core.measures import measures
from metrics.core.measures.matrices import Cells, from_ranks, row_ranks
from tests.benchmarks.numbers.contests import Work
from tests.metrics.core.measures.matrix_averages import part_of, restrict_queries

COCO_SETS = ("coco", "cxc", "eccv")
ECCV_NAMES = {"eccv_map_at_r": "mAP@R", "eccv_rprecision": "Rprec", "eccv_r1": "C@1"}


def coco(oracle: Any) -> "Coco":
    """25,000 captions x 5,000 images: noise, plus 3 sigma for a caption's own image."""
    captions = oracle.coco_ids
    image_of = {caption: images[0] for caption, images in oracle.coco_gts["t2i"].items()}
    images = np.array(list(dict.fromkeys(image_of[caption] for caption in captions)))
    own = np.argsort(images)[
        np.searchsorted(np.sort(images), [image_of[caption] for caption in captions])
    ]
    scores = np.random.default_rng(1).standard_normal(
        (len(captions), len(images)), dtype=np.float32
    )
    scores[np.arange(len(captions)), own] += 3
    return Coco(oracle, captions, images, own, scores)


class Coco:
    """The positives of the three sets as cells, and eccv_caption's lists."""

    def __init__(self, oracle: Any, captions: Any, images: Any, own: Any, scores: Any) -> None:
        self.oracle, self.captions, self.images = oracle, captions, images
        self.own, self.scores = own, scores
        self.caption_at = {int(c): i for i, c in enumerate(captions)}
        self.image_at = {int(image): i for i, image in enumerate(images)}
        self.sets = {
            (name, direction): self._pairs(name, direction)
            for name in COCO_SETS
            for direction in ("t2i", "i2t")
        }
        self.measures = measures.parse("C@1 C@5 C@10 mAP@R Rprec")
        self.caption_fold = np.repeat(np.arange(5), len(captions) // 5)
        self.image_fold = self.caption_fold[np.searchsorted(own, np.arange(len(images)))]

    def _pairs(self, name: str, direction: str) -> np.ndarray:
        """(2, P) query and target of each positive; -1 for ECCV's two captions not in COCO 5K."""
        query, target = (
            (self.caption_at, self.image_at)
            if direction == "t2i"
            else (self.image_at, self.caption_at)
        )
        gts = getattr(self.oracle, f"{name}_gts")[direction]
        return np.array(
            [(query[q], target.get(t, -1)) for q, targets in gts.items() for t in targets]
        ).T

    def ours(self) -> dict[str, float]:
        """Values of all measures; pairs that several sets share are ranked once."""
        values_by_name = {}
        for direction, scores in (("t2i", self.scores), ("i2t", self.scores.T)):
            pairs = [self.sets[name, direction] for name in COCO_SETS]
            query, target = np.concatenate(pairs, axis=1)
            inside = target >= 0
            unique, back = np.unique(
                (query * scores.shape[1] + target)[inside], return_inverse=True
            )
            cells = Cells(*np.divmod(unique, scores.shape[1]), np.ones(len(unique), dtype=np.int64))
            ranks = np.zeros(len(query), dtype=np.int64)
            ranks[inside] = row_ranks(scores, cells)[back]
            parts = np.split(ranks, np.cumsum([pair.shape[1] for pair in pairs])[:-1])
            for name, (query, _), rank in zip(COCO_SETS, pairs, parts, strict=True):
                ranked = from_ranks(
                    query, rank, np.ones(len(rank), dtype=np.int64), shape=scores.shape
                )
                for measure, values in measures.evaluate(
                    self.measures, restrict_queries(ranked, np.unique(query))
                ).items():
                    values_by_name[f"{name} {direction} {measure}"] = values.mean()
        return values_by_name | self._folds()

    def _folds(self) -> dict[str, float]:
        fold_values: dict[str, list[float]] = {}
        for fold in range(5):
            rows, columns = (
                np.flatnonzero(self.caption_fold == fold),
                np.flatnonzero(self.image_fold == fold),
            )
            part = part_of(self.scores, rows, columns)
            own = np.searchsorted(columns, self.own[rows])
            positives = np.ones(len(rows), dtype=np.int64)
            captions = np.arange(len(rows))
            for direction, scores, query, target in (
                ("t2i", part, captions, own),
                ("i2t", part.T, own, captions),
            ):
                ranked = from_ranks(
                    query,
                    row_ranks(scores, Cells(query, target, positives)),
                    positives,
                    shape=scores.shape,
                )
                for measure, values in measures.evaluate(self.measures[:3], ranked).items():
                    fold_values.setdefault(f"coco 1k {direction} {measure}", []).append(
                        values.mean()
                    )
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
                for name, recalls in zip(
                    COCO_SETS, ("coco_5k_recalls", "cxc_recalls", "eccv_recalls"), strict=True
                ):
                    for direction, value in getattr(self.oracle, recalls)(
                        lists, "all", K=k
                    ).items():
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
        # each id once, not once a list
        ids = (self.images if direction == "t2i" else self.captions).astype(object)
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
