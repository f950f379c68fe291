"""Write the demo study "Shapes": collection, media, reference, truth and runs.

    python -m demo.make_shapes [FOLDER] [--tables-only]

The same seed gives the same study. Pictures and clips may differ by a few bytes between versions of
their encoders.
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from demo.drawing import save_clip, save_picture
from demo.wording import caption_text, describe
from demo.world import Recipe, Scene, SceneCaption, grade, make_scenes, word_overlap, write_captions
from metrics.core.labels.simulation import rank_targets, similarity

SEED = 1
RECIPE = Recipe(singles=112, moving_singles=26, pairs=88, moving_pairs=14, themes=8)
N_BROAD, N_TEXTS, N_PNG = 18, 20, 5
N_TRAINING_TEXTS = 100
RUN_DEPTH = 50
NOISE = {"heron": 0.28, "otter": 0.38, "finch": 0.52}  # best first
WORTH = np.array([0.0, 0.45, 0.85, 1.0])  # the score of each grade by a system without noise
OVERLAP_WORTH = 0.35
SHARED_NOISE = 0.2
WARNING = {"blink": "Something blinks in this clip"}


class DemoItem(NamedTuple):
    """One item to retrieve: its scene and its format, "webm", "webp", "png" or "text"."""

    scene: Scene
    format: str


class DemoStudy(NamedTuple):
    """The whole study, ids ascending; rows of truth and signal are captions, columns items.

    reference : the item each caption was written for
    truth     : (Q, D) grades 0 to 3
    signal    : (Q, D) scores of a system without noise
    """

    captions: dict[str, SceneCaption]
    items: dict[str, DemoItem]
    reference: dict[str, str]
    truth: np.ndarray
    signal: np.ndarray


def make_study(seed: int = SEED) -> DemoStudy:
    """Make scenes, captions and the truth between them; the ids give nothing of it away."""
    rng = Random(seed)  # noqa: S311 - a study, not a secret
    scenes = make_scenes(RECIPE, rng=rng)
    captions = write_captions(scenes, broad=N_BROAD, rng=rng)
    formats = _formats(scenes, rng)
    item_ids = _shuffled_ids("s", len(scenes), rng)
    caption_ids = _shuffled_ids("c", len(scenes), rng)
    items = {
        key: DemoItem(scene, file_format)
        for key, scene, file_format in sorted(zip(item_ids, scenes, formats, strict=True))
    }
    captions_by_id = dict(sorted(zip(caption_ids, captions, strict=True)))
    truth = np.array(
        [
            [grade(caption, item.scene) for item in items.values()]
            for caption in captions_by_id.values()
        ]
    )
    overlap = np.array(
        [
            [word_overlap(caption, item.scene) for item in items.values()]
            for caption in captions_by_id.values()
        ]
    )
    reference = dict(sorted(zip(caption_ids, item_ids, strict=True)))
    return DemoStudy(
        captions_by_id, items, reference, truth, WORTH[truth] + OVERLAP_WORTH * overlap
    )


def _formats(scenes: Sequence[Scene], rng: Random) -> list[str]:
    still = [n for n, scene in enumerate(scenes) if scene.motion is None]
    special_numbers = rng.sample(still, N_TEXTS + N_PNG)
    special = dict.fromkeys(special_numbers[:N_TEXTS], "text") | dict.fromkeys(
        special_numbers[N_TEXTS:], "png"
    )
    return ["webm" if scene.motion else special.get(n, "webp") for n, scene in enumerate(scenes)]


def _shuffled_ids(letter: str, n: int, rng: Random) -> list[str]:
    return [f"{letter}{number:03}" for number in rng.sample(range(1, n + 1), n)]


def write_tables(study: DemoStudy, folder: Path) -> None:
    """Write the collection, the reference and the truth."""
    lines = [
        _line("query", key, [{"kind": "text", "text": caption_text(c)}], "")
        for key, c in study.captions.items()
    ]
    lines += [_item_line(key, item) for key, item in study.items.items()]
    _write(folder / "collection.jsonl", lines)
    _write(
        folder / "reference.qrels", [f"{query} 0 {doc} 3" for query, doc in study.reference.items()]
    )
    keys, names = list(study.captions), list(study.items)
    relevant = np.argwhere(study.truth > 0)
    _write(
        folder / "truth.qrels", [f"{keys[q]} 0 {names[d]} {study.truth[q, d]}" for q, d in relevant]
    )


def write_training_texts(study: DemoStudy, folder: Path) -> None:
    """Write captions of other scenes, as what systems were trained on: none is one of the study."""
    rng = Random(f"{SEED} training")  # noqa: S311 - a study, not a secret
    scenes = make_scenes(RECIPE, rng=rng)
    own_texts = {caption_text(caption) for caption in study.captions.values()}
    texts = [caption_text(caption) for caption in write_captions(scenes, broad=0, rng=rng)]
    other_texts = sorted(set(texts) - own_texts)
    lines = [
        _line("query", f"t{number:03}", [{"kind": "text", "text": text}], "", split="train")
        for number, text in enumerate(rng.sample(other_texts, N_TRAINING_TEXTS), start=1)
    ]
    _write(folder / "training" / "captions.jsonl", lines)


def _item_line(key: str, item: DemoItem) -> str:
    if item.format == "text":
        return _line(
            "document", key, [{"kind": "text", "text": describe(item.scene, rng_of(key))}], ""
        )
    kind = "video" if item.format == "webm" else "image"
    part = {"kind": kind, "path": f"media/{key}.{item.format}"}
    return _line("document", key, [part], WARNING.get(item.scene.motion or "", ""))


def _line(
    side: str, key: str, parts: list[dict[str, str]], warning: str, *, split: str = "test"
) -> str:
    return json.dumps({"side": side, "id": key, "split": split, "parts": parts, "warning": warning})


def rng_of(key: str) -> Random:
    """Random generator of one item: changing one picture leaves the others as they are."""
    return Random(f"{SEED} {key}")  # noqa: S311 - a study, not a secret


def write_runs(study: DemoStudy, folder: Path) -> None:
    """Write each system's ranking in both directions, from one similarity matrix."""
    rng = np.random.default_rng(SEED)
    hardness = rng.standard_normal(study.truth.shape)
    captions, items = list(study.captions), list(study.items)
    for name, noise in NOISE.items():
        scores = similarity(
            study.signal, noise=noise, hardness=hardness, shared_part=SHARED_NOISE, rng=rng
        )
        _write_run(folder / f"{name}.forward.run.gz", name, captions, items, scores)
        _write_run(folder / f"{name}.reverse.run.gz", name, items, captions, scores.T)


def _write_run(
    path: Path, name: str, topics: list[str], targets: list[str], scores: np.ndarray
) -> None:
    ranking = rank_targets(scores, depth=RUN_DEPTH)
    lines = [
        f"{topic} Q0 {targets[target]} {rank} {score:.7f} {name}"
        for topic, row, values in zip(topics, ranking.targets, ranking.scores, strict=True)
        for rank, (target, score) in enumerate(zip(row, values, strict=True), start=1)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    # no time and no name in the header: the same run gives the same file
    path.write_bytes(gzip.compress(_joined(lines), mtime=0))


def write_media(study: DemoStudy, folder: Path) -> None:
    """Write a file for every item that is not text."""
    folder.mkdir(parents=True, exist_ok=True)
    for key, item in study.items.items():
        path = folder / f"{key}.{item.format}"
        if item.format == "webm":
            save_clip(item.scene, path, height=180, rng=rng_of(key))
        elif item.format != "text":
            save_picture(
                item.scene, path, height=180 if item.format == "png" else 360, rng=rng_of(key)
            )


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_joined(lines))


def _joined(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the demo study.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "shapes")
    parser.add_argument(
        "--tables-only", action="store_true", help="leave the pictures and clips as they are"
    )
    options = parser.parse_args()
    study = make_study()
    write_tables(study, options.folder)
    write_training_texts(study, options.folder)
    write_runs(study, options.folder / "runs")
    if not options.tables_only:
        write_media(study, options.folder / "media")


if __name__ == "__main__":
    main()
