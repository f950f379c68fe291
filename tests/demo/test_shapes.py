"""The committed demo study equals its script's output, and has the properties it claims."""

import gzip
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from annotate.core.levels import level_reasons
from demo import make_shapes
from demo.drawing import FPS, SECONDS, save_clip, save_picture
from demo.world import EXACTLY, grade
from tests.demo.shapes import SHAPES, SYSTEMS, collection, run, tables

MEDIA = sorted((SHAPES / "media").iterdir())
CLIPS = [file for file in MEDIA if file.suffix == ".webm"]


@pytest.fixture(scope="module")
def study():
    return make_shapes.make_study()


def content(path: Path) -> bytes:
    """A file's bytes; of a packed one those inside, since packers may differ."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_the_script_makes_the_committed_tables_and_runs_again(study, tmp_path):
    make_shapes.write_tables(study, tmp_path)
    make_shapes.write_training_texts(study, tmp_path)
    make_shapes.write_runs(study, tmp_path / "runs")
    names = sorted(file.relative_to(tmp_path) for file in tmp_path.rglob("*") if file.is_file())
    assert len(names) == 3 + 1 + 6
    assert [name for name in names if content(tmp_path / name) != content(SHAPES / name)] == []


def test_another_seed_makes_another_study(study):
    other = make_shapes.make_study(seed=2)
    assert list(other.captions) == list(study.captions)
    assert other.captions != study.captions


def test_the_study_is_small_enough_to_ship():
    assert sum(file.stat().st_size for file in SHAPES.rglob("*") if file.is_file()) < 3_000_000


def test_there_are_200_captions_all_different_and_200_items_of_three_media():
    rows = collection()
    captions = [row.parts[0].text for row in rows if row.side == "query"]
    kinds = [row.parts[0].kind for row in rows if row.side == "document"]
    assert len(set(captions)) == len(captions) == 200
    assert {kind: kinds.count(kind) for kind in kinds} == {"image": 140, "video": 40, "text": 20}


def test_every_item_has_its_file_and_every_file_its_item():
    paths = {row.parts[0].path for row in collection() if row.parts[0].path}
    assert paths == {f"media/{file.name}" for file in MEDIA}


def test_each_caption_has_one_reference_of_the_top_grade_and_each_item_one_caption():
    study = tables()
    assert (study.truth[study.reference] == EXACTLY).all()
    assert (study.reference.sum(axis=0) == 1).all()
    assert (study.reference.sum(axis=1) == 1).all()


def test_the_truth_is_the_grade_of_every_pair(study):
    graded = [
        [grade(caption, item.scene) for item in study.items.values()]
        for caption in study.captions.values()
    ]
    assert np.array_equal(graded, tables().truth)


def test_captions_have_between_four_and_twelve_relevant_items_on_average_and_some_have_very_many():
    relevant = (tables().truth >= 2).sum(axis=1)
    assert 4 <= relevant.mean() <= 12
    assert relevant.min() == 1
    assert relevant.max() > 50


def test_ids_do_not_tell_which_item_a_caption_was_written_for():
    caption, item = np.nonzero(tables().reference)
    assert abs(np.corrcoef(caption, item)[0, 1]) < 0.2
    assert (caption == item).sum() <= 4


def test_what_blinks_carries_a_warning_and_nothing_else_does(study):
    warned = {row.id for row in collection() if row.warning}
    assert warned == {key for key, item in study.items.items() if item.scene.motion == "blink"}
    assert warned


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_run_ranks_50_targets_a_topic_without_ties(system, direction):
    rankings = run(system, direction)
    assert rankings.shape == (200, 50)
    assert (np.diff(np.sort(rankings, axis=1), axis=1) > 0).all()


def test_the_scheme_has_a_key_and_a_sentence_a_level_and_reasons_for_the_middle_ones():
    scheme = json.loads((SHAPES / "scheme.json").read_text())
    levels = scheme["levels"]
    assert [level["grade"] for level in levels] == [3, 2, 1, 0]
    assert scheme["positive_from"] == 2
    assert all(level["sentence"] and level["key"] == str(level["grade"]) for level in levels)
    assert [bool(level["reasons"]) for level in levels] == [False, True, True, False]


def test_the_middle_levels_show_what_reasons_of_two_levels_are():
    levels = {
        level["grade"]: level
        for level in json.loads((SHAPES / "scheme.json").read_text())["levels"]
    }
    for middle in (2, 1):
        offered = level_reasons.from_stored(levels[middle]["reasons"])
        assert level_reasons.fault(offered) == ""
        assert any(reason.details for reason in offered)
    assert "does not match/colour" in level_reasons.codes(levels[1]["reasons"])
    assert "shows more/other shapes" in level_reasons.codes(levels[2]["reasons"])


def test_the_guidelines_explain_every_level():
    guidelines = (SHAPES / "guidelines.md").read_text()
    levels = json.loads((SHAPES / "scheme.json").read_text())["levels"]
    assert [
        level["name"]
        for level in levels
        if f"**{level['grade']} {level['name']}**" not in guidelines
    ] == []


@pytest.mark.parametrize(
    "file", [file for file in MEDIA if file.suffix != ".webm"], ids=lambda file: file.name
)
def test_a_picture_opens(file):
    with Image.open(file) as picture:
        picture.load()
        assert picture.size in ((640, 360), (320, 180))
        assert np.asarray(picture.convert("L")).std() > 3


@pytest.fixture(scope="module")
def codec():
    """A process that reads and writes clips, which takes 50 MiB that it does not give back."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        yield lambda work, *args, **options: process.submit(work, *args, **options).result()


@pytest.mark.parametrize(
    "file",
    [*CLIPS[:4], *(pytest.param(file, marks=pytest.mark.full) for file in CLIPS[4:])],
    ids=lambda file: file.name,
)
def test_a_clip_plays_four_seconds_in_which_something_changes(codec, file):
    frames, keys = codec(decoded, file)
    assert frames.shape == (FPS * SECONDS, 180, 320)
    assert keys == [0, 20, 40, 60]
    assert np.abs(np.diff(frames[::5].astype(int), axis=0)).max() > 30


def decoded(file: Path) -> tuple[np.ndarray, list[int]]:
    """A clip's frames in grey, and which of them can be sought."""
    with av.open(str(file)) as container:
        assert container.streams.video[0].codec_context.name == "vp9"
        # each would keep frames of its own
        container.streams.video[0].codec_context.thread_count = 1
        frames = list(container.decode(video=0))
    return np.array([frame.to_ndarray(format="gray") for frame in frames]), [
        n for n, frame in enumerate(frames) if frame.key_frame
    ]


def test_a_new_clip_looks_like_the_committed_one(codec, study, tmp_path):
    key, item = next((key, item) for key, item in study.items.items() if item.format == "webm")
    codec(save_clip, item.scene, tmp_path / "new.webm", height=180, rng=make_shapes.rng_of(key))
    clips = (SHAPES / "media" / f"{key}.webm", tmp_path / "new.webm")
    old, new = (codec(decoded, file)[0].astype(np.int16) for file in clips)
    assert np.abs(old - new).mean() < 2


def test_a_new_picture_looks_like_the_committed_one(study, tmp_path):
    key, item = next((key, item) for key, item in study.items.items() if item.format == "webp")
    save_picture(item.scene, tmp_path / "new.webp", height=360, rng=make_shapes.rng_of(key))
    old, new = (
        np.asarray(Image.open(file).convert("L"), dtype=int)
        for file in (SHAPES / "media" / f"{key}.webp", tmp_path / "new.webp")
    )
    assert np.abs(old - new).mean() < 2
