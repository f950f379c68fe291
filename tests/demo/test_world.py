"""Relevance of scenes to captions, and the captions' English."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.drawing import ASPECT, layout
from demo.make_shapes import RECIPE, make_study
from demo.wording import NUMBER_WORDS, caption_text, describe
from demo.world import (
    COLOURS,
    EXACTLY,
    KINDS,
    MOSTLY,
    MOTIONS,
    NOT_RELEVANT,
    RELATIONS,
    SIZES,
    SOMEWHAT,
    Recipe,
    Scene,
    SceneCaption,
    ShapeGroup,
    grade,
    make_scenes,
    word_overlap,
    write_captions,
)

WORDS = ("|".join(words) for words in (NUMBER_WORDS.values(), SIZES, COLOURS, (*KINDS, "shape")))
PHRASE = re.compile("({})(?: ({}))?(?: ({}))? ({})s?".format(*WORDS))
NUMBERS = {word: number for number, word in NUMBER_WORDS.items()}


def group(words: str) -> ShapeGroup:
    """A group from its words."""
    number, size, colour, kind = PHRASE.fullmatch(words).groups()
    return ShapeGroup(NUMBERS[number], size, colour, None if kind == "shape" else kind)


def caption(*phrases: str, relation: str | None = None, motion: str | None = None) -> SceneCaption:
    return SceneCaption(tuple(group(phrase) for phrase in phrases), relation, motion)


def scene(*phrases: str, relation: str | None = None, motion: str | None = None) -> Scene:
    return Scene(tuple(group(phrase) for phrase in phrases), relation, motion)


RED_CIRCLE = caption("a red circle")
BESIDE = scene("a small green triangle", "a large yellow star", relation="left of")


@pytest.mark.parametrize(
    ("described", "drawn_scene", "expected"),
    [
        (RED_CIRCLE, scene("a small red circle"), EXACTLY),
        (RED_CIRCLE, scene("a large red circle", motion="right"), EXACTLY),
        (RED_CIRCLE, scene("two small red circles"), MOSTLY),
        (RED_CIRCLE, scene("a small red circle", "a small blue star", relation="above"), MOSTLY),
        (RED_CIRCLE, scene("a small blue star", "a small red circle", relation="inside"), MOSTLY),
        (RED_CIRCLE, scene("a small blue circle"), SOMEWHAT),
        (RED_CIRCLE, scene("a small red square"), NOT_RELEVANT),
        (caption("a small red circle"), scene("a large red circle"), SOMEWHAT),
        (caption("a small red circle"), scene("a large blue circle"), NOT_RELEVANT),
        (caption("a small red circle"), scene("a red circle", motion="grow"), SOMEWHAT),
        (caption("two blue squares"), scene("two large blue squares"), EXACTLY),
        (caption("two blue squares"), scene("three large blue squares"), SOMEWHAT),
        (caption("two blue squares"), scene("a small blue square"), SOMEWHAT),
        (
            caption("two stars"),
            scene("a small red star", "a large blue star", relation="above"),
            EXACTLY,
        ),
        (
            caption("two red stars"),
            scene("a small red star", "a large blue star", relation="above"),
            SOMEWHAT,
        ),
        (
            caption("three shapes"),
            scene("two small red stars", "a large blue heart", relation="above"),
            EXACTLY,
        ),
        (caption("a green shape"), scene("a large green heart"), EXACTLY),
        (caption("a green shape"), scene("a large red heart"), NOT_RELEVANT),
        (caption("a triangle", "a star"), BESIDE, EXACTLY),
        (caption("a star", "a triangle"), BESIDE, EXACTLY),
        (caption("a triangle", "a star", relation="left of"), BESIDE, EXACTLY),
        (caption("a star", "a triangle", relation="left of"), BESIDE, SOMEWHAT),
        (caption("a triangle", "a star", relation="above"), BESIDE, SOMEWHAT),
        (caption("a red triangle", "a star", relation="above"), BESIDE, NOT_RELEVANT),
        (
            caption("a triangle", "a star", relation="left of"),
            scene("a small green triangle"),
            NOT_RELEVANT,
        ),
        (caption("a triangle", "a heart"), BESIDE, NOT_RELEVANT),
        (caption("a circle", motion="up"), scene("a small red circle", motion="up"), EXACTLY),
        (caption("a circle", motion="up"), scene("a small red circle", motion="down"), SOMEWHAT),
        (caption("a circle", motion="up"), scene("a small red circle"), SOMEWHAT),
        (caption("a shape", motion="up"), scene("a small red circle", motion="up"), EXACTLY),
        (
            caption("a star", motion="up"),
            scene("a small red heart", "a small red star", relation="left of", motion="up"),
            SOMEWHAT,
        ),
    ],
)
def test_a_pair_is_graded_by_what_the_caption_says(described, drawn_scene, expected):
    assert grade(described, drawn_scene) == expected


def test_likeness_is_the_share_of_words_that_hold_anywhere():
    description = caption("a small red circle", "a star", relation="above")
    assert (
        word_overlap(
            description, scene("a large red star", "a small blue circle", relation="above")
        )
        == 1.0
    )
    assert word_overlap(description, scene("a large red star")) == 2 / 5
    assert word_overlap(caption("three shapes"), BESIDE) == 0.0


@pytest.mark.parametrize(
    ("described", "text"),
    [
        (RED_CIRCLE, "a red circle"),
        (caption("two small blue squares"), "two small blue squares"),
        (caption("three shapes"), "three shapes"),
        (
            caption("a green triangle", "a yellow star", relation="left of"),
            "a green triangle left of a yellow star",
        ),
        (caption("two hearts", "a star"), "two hearts and a star"),
        (caption("a red circle", motion="right"), "a red circle moves to the right"),
        (caption("a red circle", "a star", motion="up"), "a red circle rises beside a star"),
    ],
)
def test_a_caption_reads_as_english(described, text):
    assert caption_text(described) == text


def test_a_described_scene_names_all_that_is_in_it():
    assert "a small green triangle lies to the left of a large yellow star" in describe(
        BESIDE, Random(1)
    )
    assert "there are two small red circles" in describe(scene("two small red circles"), Random(1))


def test_captions_that_read_alike_are_the_same_caption():
    captions = make_study().captions.values()
    assert (
        len({caption_text(description) for description in captions})
        == len(set(captions))
        == len(captions)
    )


@given(seed=st.integers(0, 10_000))
def test_every_caption_is_different_and_wholly_true_of_its_own_scene(seed):
    rng = Random(seed)
    scenes = make_scenes(Recipe(30, 8, 20, 8, 4), rng=rng)
    captions = write_captions(scenes, broad=5, rng=rng)
    assert len(set(captions)) == len(captions) == len(scenes) == len(set(scenes))
    assert {
        grade(description, drawn_scene)
        for description, drawn_scene in zip(captions, scenes, strict=True)
    } == {EXACTLY}


def test_a_recipe_that_asks_for_more_scenes_than_there_are_is_refused():
    with pytest.raises(ValueError, match="choose another seed or recipe"):
        make_scenes(Recipe(1000, 0, 0, 0, 1), rng=Random(1))


def test_scenes_have_the_asked_numbers_and_every_movement():
    scenes = make_scenes(RECIPE, rng=Random(1))
    moving = [drawn_scene.motion for drawn_scene in scenes if drawn_scene.motion]
    assert (len(scenes), len(moving)) == (200, 40)
    assert set(moving) == set(MOTIONS)
    assert {drawn_scene.relation for drawn_scene in scenes} == {None, *RELATIONS}


def test_every_still_shape_lies_inside_the_picture_and_groups_stand_as_their_relation_says():
    for drawn_scene in make_scenes(RECIPE, rng=Random(1)):
        first, *rest = placed = layout(drawn_scene, Random(2))
        for pose in (pose for poses in placed for pose in poses):
            assert pose.radius <= pose.x <= ASPECT - pose.radius
            assert 0.7 * pose.radius <= pose.y <= 1 - 0.7 * pose.radius
        if drawn_scene.relation == "left of":
            assert max(p.x + p.radius for p in first) < min(p.x - p.radius for p in rest[0])
        if drawn_scene.relation == "above":
            assert max(p.y + 0.85 * p.radius for p in first) < min(
                p.y - 0.85 * p.radius for p in rest[0]
            )
