"""Scenes, captions and what is truly relevant to what: the known truth of the demo study.

A scene is what an item shows, a caption is what somebody wrote about one scene. Whether a caption fits a scene follows
from the two alone (`grade`), so the study knows every relevant pair and not only those somebody wrote down.
"""

from collections.abc import Callable, Iterator
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


class Group(NamedTuple):
    """Equal shapes standing together; in a caption None is left open, in a scene a size of None changes."""

    number: int
    size: str | None
    colour: str | None
    kind: str | None


class Scene(NamedTuple):
    """What an item shows: one group, or two where the first stands in `relation` to the second; the first may move."""

    groups: tuple[Group, ...]
    relation: str | None
    motion: str | None


class Caption(NamedTuple):
    """What a caption says of a scene, in the same terms; None and missing groups are left open."""

    groups: tuple[Group, ...]
    relation: str | None
    motion: str | None


def grade(caption: Caption, scene: Scene) -> int:
    """How well a scene fits a caption, 0 to 3, by the best way to find the caption's groups in the scene.

    3: all that is said is shown and nothing else is. 2: all that is said is shown, and more (another group, or several
    shapes where one was named). 1: the things that are named, with one shortcoming (size, colour, number, place or
    movement). 0: anything else.
    """
    return max(_grade(caption, view) for view in _views(caption, scene))


def likeness(caption: Caption, scene: Scene) -> float:
    """Share in [0, 1] of a caption's words that hold anywhere in a scene: what a careless system sees."""
    said = [word for group in caption.groups for word in group[1:] if word]
    shown = {word for group in scene.groups for word in group[1:]}
    hits = [word in shown for word in said]
    hits += [word == scene_word for word, scene_word in zip(caption[1:], scene[1:], strict=True) if word]
    return sum(hits) / len(hits) if hits else 0.0


def _views(caption: Caption, scene: Scene) -> Iterator[Scene]:
    """The scene as it is and, for a caption of one still group, with its two groups counted together.

    A red star beside a blue star are "two stars", but not "two red stars".
    """
    yield scene
    if len(scene.groups) > len(caption.groups) and not caption.motion:
        first, second = scene.groups
        shared = [a if a == b else "mixed" for a, b in zip(first[1:], second[1:], strict=True)]
        yield Scene((Group(first.number + second.number, *shared),), None, None)


def _grade(caption: Caption, scene: Scene) -> int:
    ways = permutations(range(len(scene.groups)), len(caption.groups))
    found = [_shortcomings(caption, scene, seats) for seats in ways]
    fewest = min((n for n in found if n is not None), default=2)
    if fewest > 1:
        return NOT_RELEVANT
    if fewest == 1:
        return SOMEWHAT
    return EXACTLY if _shows_nothing_else(caption, scene) else MOSTLY


def _shortcomings(caption: Caption, scene: Scene, seats: tuple[int, ...]) -> int | None:
    """How many of the caption's claims fail with its groups seated so; None where a group is not the same thing."""
    failed = 0
    for said, seat in zip(caption.groups, seats, strict=True):
        shown = scene.groups[seat]
        if not _same_thing(said, shown):
            return None
        failed += said.size not in (None, shown.size)
        failed += said.colour not in (None, shown.colour)
        failed += said.number not in (1, shown.number)
    if caption.relation:
        failed += (caption.relation, seats) != (scene.relation, (0, 1))
    if caption.motion:
        failed += (caption.motion, seats[0]) != (scene.motion, 0)
    return failed


def _same_thing(said: Group, shown: Group) -> bool:
    """The kind names the thing; where a caption names no kind, the colour does."""
    if said.kind:
        return said.kind == shown.kind
    return said.colour in (None, shown.colour)


def _shows_nothing_else(caption: Caption, scene: Scene) -> bool:
    said, shown = (sorted(g.number for g in side.groups) for side in (caption, scene))
    return said == shown


class Recipe(NamedTuple):
    """How many scenes to make, and how many of those move."""

    singles: int
    moving_singles: int
    pairs: int
    moving_pairs: int
    themes: int


def make_scenes(recipe: Recipe, *, rng: Random) -> list[Scene]:
    """Scenes that often share their things, so that a caption written for one is true of others; moving ones first."""
    things = [(colour, kind) for colour in COLOURS for kind in KINDS]
    themes = [tuple(rng.sample(things, 2)) for _ in range(recipe.themes)]
    scenes: dict[Scene, None] = {}
    for n in range(recipe.singles):
        motion = MOTIONS[n % len(MOTIONS)] if n < recipe.moving_singles else None
        _add_new(scenes, lambda motion=motion: _single(things, motion, rng))
    for n in range(recipe.pairs):
        motion = MOTIONS[n % len(MOTIONS)] if n < recipe.moving_pairs else None
        theme = themes[n % len(themes)]
        _add_new(scenes, lambda theme=theme, motion=motion: _pair(theme, motion, rng))
    return sorted(scenes, key=lambda scene: scene.motion is None)


def _add_new(seen: dict[T, None], draw: Callable[[], T]) -> T:
    """Draw until something new comes, and add it."""
    for _ in range(TRIES):
        drawn = draw()
        if drawn not in seen:
            seen[drawn] = None
            return drawn
    raise ValueError(f"{TRIES} draws brought nothing new after {len(seen)}; choose another seed or recipe.")


def _single(things: list[tuple[str, str]], motion: str | None, rng: Random) -> Scene:
    number = 1 if motion else rng.choices((1, 2, 3, 4), (60, 18, 14, 8))[0]
    return Scene((_group(number, rng.choice(things), motion, rng),), None, motion)


def _pair(theme: tuple[tuple[str, str], ...], motion: str | None, rng: Random) -> Scene:
    first, second = theme
    if motion:
        # across the picture above the other, up and down beside it: the place stays true while it moves
        relation = "above" if motion in ("right", "left") else "left of"
        return Scene((_group(1, first, motion, rng), _group(1, second, None, rng)), relation, motion)
    relation = rng.choice(RELATIONS)
    if relation == "inside" and first[0] != second[0]:  # equal colours would hide the inner one
        return Scene((Group(1, "small", *first), Group(1, "large", *second)), relation, None)
    number = rng.choices((1, 2, 3), (70, 20, 10))[0]
    groups = (_group(number, first, None, rng), _group(1, second, None, rng))
    return Scene(groups, "above" if relation == "inside" else relation, None)


def _group(number: int, thing: tuple[str, str], motion: str | None, rng: Random) -> Group:
    size = None if motion in ("grow", "shrink") else rng.choice(SIZES)  # what grows is neither small nor large
    return Group(number, size, *thing)


def write_captions(scenes: list[Scene], *, broad: int, rng: Random) -> list[Caption]:
    """One caption a scene, all different and fully true of their own scenes; about `broad` of them say very little."""
    written: dict[Caption, None] = {}
    captions: list[Caption | None] = [None] * len(scenes)
    order = rng.sample(range(len(scenes)), len(scenes))
    vague = 0
    for n in order:
        if vague == broad:
            break
        caption = _vague(scenes[n], rng)
        if caption not in written and grade(caption, scenes[n]) == EXACTLY and _says_something(caption):
            captions[n] = caption
            written[caption] = None
            vague += 1
    for n in order:
        if captions[n] is None:
            captions[n] = _add_new(written, lambda scene=scenes[n]: _leave_out(scene, rng))
    return [caption for caption in captions if caption]


def _vague(scene: Scene, rng: Random) -> Caption:
    """A caption of one word: the kind, the colour, the number or the movement."""
    group = scene.groups[0]
    keep = rng.choice(("kind", "kind", "colour", "colour", "motion"))
    said = Group(group.number, None, group.colour if keep == "colour" else None, group.kind if keep == "kind" else None)
    return Caption((said,), None, scene.motion if keep == "motion" else None)


def _says_something(caption: Caption) -> bool:
    """False for "a shape", which is true of everything."""
    group = caption.groups[0]
    return bool(group.colour or group.kind or caption.motion or group.number > 1)


def _leave_out(scene: Scene, rng: Random) -> Caption:
    """A caption that names colour or kind of each group and leaves out some of the rest."""
    groups: list[Group] = []
    one_kind = len({group.kind for group in scene.groups}) < len(scene.groups)  # told apart by colour
    for group in scene.groups:
        colour = group.colour if one_kind or rng.random() < 0.65 else None
        kind = group.kind if colour is None or rng.random() < 0.9 else None
        groups.append(Group(group.number, group.size if rng.random() < 0.2 else None, colour, kind))
    relation = scene.relation if rng.random() < 0.5 else None
    return Caption(tuple(groups), relation, scene.motion if rng.random() < 0.6 else None)
