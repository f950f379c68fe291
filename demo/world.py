"""Scenes, captions and their true relevance: the known truth of the demo study.

A scene is the content of an item, a caption is a text about one scene. Whether a caption fits a
scene follows from the two alone (`grade`), so the study knows every relevant pair and not only the
written ones.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from random import Random
from typing import NamedTuple, TypeVar

COLOURS = ("red", "blue", "green", "yellow", "purple")
KINDS = ("circle", "square", "triangle", "star", "heart")
SIZES = ("small", "large")
RELATIONS = ("left of", "above", "inside")
MOTIONS = ("right", "left", "up", "down", "bounce", "grow", "shrink", "blink")
TRIES = 500
T = TypeVar("T")
EXACTLY, MOSTLY, SOMEWHAT, NOT_RELEVANT = 3, 2, 1, 0


class ShapeGroup(NamedTuple):
    """Equal shapes side by side; None is left open in a caption, a changing size in a scene."""

    number: int
    size: str | None
    colour: str | None
    kind: str | None


class Scene(NamedTuple):
    """The content of an item: one group, or two, the first in `relation` to the second.

    It may move.
    """

    groups: tuple[ShapeGroup, ...]
    relation: str | None
    motion: str | None


class SceneCaption(NamedTuple):
    """A caption of a scene in the same terms; None and missing groups are left open."""

    groups: tuple[ShapeGroup, ...]
    relation: str | None
    motion: str | None


def grade(caption: SceneCaption, scene: Scene) -> int:
    """Grade of a scene for a caption, 0 to 3, by the best assignment of the caption's groups.

    3: the scene shows all of the caption and nothing else. 2: it shows all, and more (another
    group, or several shapes where one was named). 1: the named shapes, with one shortcoming (size,
    colour, number, place or movement). 0: anything else.
    """
    return max(_grade(caption, view) for view in _views(caption, scene))


def word_overlap(caption: SceneCaption, scene: Scene) -> float:
    """Share in [0, 1] of a caption's words that occur anywhere in a scene: a careless measure."""
    caption_words = [word for group in caption.groups for word in group[1:] if word]
    scene_words = {word for group in scene.groups for word in group[1:]}
    hits = [word in scene_words for word in caption_words]
    hits += [
        word == scene_word for word, scene_word in zip(caption[1:], scene[1:], strict=True) if word
    ]
    return sum(hits) / len(hits) if hits else 0.0


def _views(caption: SceneCaption, scene: Scene) -> Iterator[Scene]:
    """Yield the scene and, for a caption of one still group, the scene with its two groups merged.

    A red star beside a blue star are "two stars", but not "two red stars".
    """
    yield scene
    if len(scene.groups) > len(caption.groups) and not caption.motion:
        first, second = scene.groups
        traits = [a if a == b else "mixed" for a, b in zip(first[1:], second[1:], strict=True)]
        yield Scene((ShapeGroup(first.number + second.number, *traits),), None, None)


def _grade(caption: SceneCaption, scene: Scene) -> int:
    assignments = permutations(range(len(scene.groups)), len(caption.groups))
    shortcomings = [_shortcomings(caption, scene, assignment) for assignment in assignments]
    fewest = min((n for n in shortcomings if n is not None), default=2)
    if fewest > 1:
        return NOT_RELEVANT
    if fewest == 1:
        return SOMEWHAT
    described_numbers, scene_numbers = (
        sorted(group.number for group in side.groups) for side in (caption, scene)
    )
    return EXACTLY if described_numbers == scene_numbers else MOSTLY


def _shortcomings(caption: SceneCaption, scene: Scene, assignment: tuple[int, ...]) -> int | None:
    """Number of the caption's claims that fail in an assignment of its groups.

    Returns None if a shape differs.
    """
    n_failed = 0
    for described, index in zip(caption.groups, assignment, strict=True):
        drawn_group = scene.groups[index]
        # the kinds are compared; where a caption names no kind, the colours
        is_same_shape = (
            described.kind == drawn_group.kind
            if described.kind
            else described.colour in (None, drawn_group.colour)
        )
        if not is_same_shape:
            return None
        n_failed += described.size not in (None, drawn_group.size)
        n_failed += described.colour not in (None, drawn_group.colour)
        n_failed += described.number not in (1, drawn_group.number)
    if caption.relation:
        n_failed += (caption.relation, assignment) != (scene.relation, (0, 1))
    if caption.motion:
        n_failed += (caption.motion, assignment[0]) != (scene.motion, 0)
    return n_failed


class Recipe(NamedTuple):
    """Numbers of scenes to make, and of moving ones among them."""

    singles: int
    moving_singles: int
    pairs: int
    moving_pairs: int
    themes: int


def make_scenes(recipe: Recipe, *, rng: Random) -> list[Scene]:
    """Make scenes with many shapes in common, so that captions fit several; moving scenes first."""
    colour_kinds = [(colour, kind) for colour in COLOURS for kind in KINDS]
    themes = [tuple(rng.sample(colour_kinds, 2)) for _ in range(recipe.themes)]
    scenes: dict[Scene, None] = {}
    for n in range(recipe.singles):
        motion = MOTIONS[n % len(MOTIONS)] if n < recipe.moving_singles else None
        _add_new(scenes, partial(_single, colour_kinds, motion, rng))
    for n in range(recipe.pairs):
        motion = MOTIONS[n % len(MOTIONS)] if n < recipe.moving_pairs else None
        theme = themes[n % len(themes)]
        _add_new(scenes, partial(_pair, theme, motion, rng))
    return sorted(scenes, key=lambda scene: scene.motion is None)


def _add_new(items: dict[T, None], draw: Callable[[], T]) -> T:
    """Draw until an item is new, and add it."""
    for _ in range(TRIES):
        item = draw()
        if item not in items:
            items[item] = None
            return item
    raise ValueError(
        f"{TRIES} draws brought nothing new after {len(items)}; choose another seed or recipe."
    )


def _single(colour_kinds: list[tuple[str, str]], motion: str | None, rng: Random) -> Scene:
    number = 1 if motion else rng.choices((1, 2, 3, 4), (60, 18, 14, 8))[0]
    return Scene((_group(number, rng.choice(colour_kinds), motion, rng),), None, motion)


def _pair(theme: tuple[tuple[str, str], ...], motion: str | None, rng: Random) -> Scene:
    first, second = theme
    if motion:
        # across the picture above the other, up and down beside it: the place stays true throughout
        relation = "above" if motion in ("right", "left") else "left of"
        return Scene(
            (_group(1, first, motion, rng), _group(1, second, None, rng)), relation, motion
        )
    relation = rng.choice(RELATIONS)
    if relation == "inside" and first[0] != second[0]:  # equal colours would hide the inner one
        return Scene(
            (ShapeGroup(1, "small", *first), ShapeGroup(1, "large", *second)), relation, None
        )
    number = rng.choices((1, 2, 3), (70, 20, 10))[0]
    groups = (_group(number, first, None, rng), _group(1, second, None, rng))
    return Scene(groups, "above" if relation == "inside" else relation, None)


def _group(
    number: int, colour_kind: tuple[str, str], motion: str | None, rng: Random
) -> ShapeGroup:
    # what grows is neither small nor large
    size = None if motion in ("grow", "shrink") else rng.choice(SIZES)
    return ShapeGroup(number, size, *colour_kind)


def write_captions(scenes: list[Scene], *, broad: int, rng: Random) -> list[SceneCaption]:
    """Write a caption per scene, all different and true of their scenes.

    About `broad` of them are vague.
    """
    new_captions: dict[SceneCaption, None] = {}
    captions: list[SceneCaption | None] = [None] * len(scenes)
    order = rng.sample(range(len(scenes)), len(scenes))
    n_vague = 0
    for n in order:
        if n_vague == broad:
            break
        caption = _vague(scenes[n], rng)
        group = caption.groups[0]
        if (
            caption not in new_captions
            and grade(caption, scenes[n]) == EXACTLY
            # "a shape" alone is true of everything
            and (group.colour or group.kind or caption.motion or group.number > 1)
        ):
            captions[n] = caption
            new_captions[caption] = None
            n_vague += 1
    for n in order:
        if captions[n] is None:
            captions[n] = _add_new(new_captions, partial(_leave_out, scenes[n], rng))
    return [caption for caption in captions if caption]


def _vague(scene: Scene, rng: Random) -> SceneCaption:
    """Write a caption of one word: the kind, the colour, the number or the movement."""
    group = scene.groups[0]
    kept_word = rng.choice(("kind", "kind", "colour", "colour", "motion"))
    group_caption = ShapeGroup(
        group.number,
        None,
        group.colour if kept_word == "colour" else None,
        group.kind if kept_word == "kind" else None,
    )
    return SceneCaption((group_caption,), None, scene.motion if kept_word == "motion" else None)


def _leave_out(scene: Scene, rng: Random) -> SceneCaption:
    """Write a caption that names colour or kind of each group and leaves out some of the rest."""
    groups: list[ShapeGroup] = []
    # they differ by colour
    is_one_kind = len({group.kind for group in scene.groups}) < len(scene.groups)
    for group in scene.groups:
        colour = group.colour if is_one_kind or rng.random() < 0.65 else None
        kind = group.kind if colour is None or rng.random() < 0.9 else None
        groups.append(
            ShapeGroup(group.number, group.size if rng.random() < 0.2 else None, colour, kind)
        )
    relation = scene.relation if rng.random() < 0.5 else None
    return SceneCaption(tuple(groups), relation, scene.motion if rng.random() < 0.6 else None)
