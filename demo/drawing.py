"""Pictures and clips of scenes: soft light, paper-like shapes, colours clear on any screen.

Lengths are shares of the picture's height, so that a picture and a clip of one scene look alike.
"""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import av
import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from demo.world import Scene, ShapeGroup

ASPECT = 16 / 9
FINE = 2  # factor by which pictures are drawn larger and then scaled down, for smooth edges
FPS, SECONDS = 20, 4
PAINT = {
    "red": (201, 68, 60),
    "blue": (62, 112, 184),
    "green": (66, 150, 102),
    "yellow": (233, 183, 56),
    "purple": (128, 92, 170),
}
PAPERS = (  # light at the top left, shade at the bottom right
    ((246, 241, 232), (228, 219, 203)),
    ((237, 242, 245), (212, 222, 230)),
    ((238, 243, 236), (214, 224, 211)),
    ((247, 237, 233), (231, 215, 209)),
    ((241, 238, 246), (219, 213, 229)),
)
INK_SHADOW = (58, 54, 74)


class Pose(NamedTuple):
    """Pose of one shape.

    x, y, radius : centre from the top left corner, and radius, in heights of the picture
    scale, opacity : factors
    """

    x: float
    y: float
    radius: float
    scale: float = 1.0
    opacity: float = 1.0


class Sprite(NamedTuple):
    """One shape as a picture with its soft shadow, to be laid on a background; radius in pixels."""

    picture: Image.Image
    shadow: Image.Image
    radius: float


def save_picture(scene: Scene, path: Path, *, height: int, rng: Random) -> None:
    """Save a still picture of a scene; the name's suffix tells the format."""
    fine_height = height * FINE
    canvas = _paper(fine_height, rng)
    groups_with_poses = list(zip(scene.groups, layout(scene, rng), strict=True))
    # the first may be inside the second: it comes on top
    for group, poses in reversed(groups_with_poses):
        for pose in poses:
            _lay(canvas, _sprite(group, pose.radius * fine_height), pose)
    picture = canvas.resize((round(height * ASPECT), height), Image.Resampling.LANCZOS)
    picture.save(path, quality=92, method=6, optimize=True)


def save_clip(scene: Scene, path: Path, *, height: int, rng: Random) -> None:
    """Save a clip of a moving scene as VP9, with a keyframe each second for exact seeking."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libvpx-vp9", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = round(height * ASPECT), height, "yuv420p"
        stream.codec_context.gop_size = FPS
        stream.options = {
            "crf": "34",
            "b": "0",
            "deadline": "good",
            "cpu-used": "1",
            "threads": "1",
        }
        for frame in _frames(scene, height, rng):
            container.mux(stream.encode(av.VideoFrame.from_image(frame)))
        container.mux(stream.encode())


def _frames(scene: Scene, height: int, rng: Random) -> Iterator[Image.Image]:
    fine_height = height * FINE
    still = _paper(fine_height, rng)
    moving, *resting = layout(scene, rng)
    for group, poses in zip(scene.groups[1:], resting, strict=True):
        for pose in poses:
            _lay(still, _sprite(group, pose.radius * fine_height), pose)
    sprite = _sprite(scene.groups[0], moving[0].radius * fine_height)
    for n in range(FPS * SECONDS):
        canvas = still.copy()
        _lay(canvas, sprite, MOVES[scene.motion or ""](moving[0], n / (FPS * SECONDS - 1)))
        yield canvas.resize((round(height * ASPECT), height), Image.Resampling.LANCZOS)


def _between(start: float, end: float, t: float) -> float:
    # 0 to 1 with a rest at both ends
    share = (1 - math.cos(math.pi * min(max((t - 0.08) / 0.84, 0), 1))) / 2
    return start + (end - start) * share


def _top(pose: Pose) -> float:
    """The smallest y of a shape that does not leave the picture."""
    return max(0.26, 1.15 * pose.radius + 0.03)


MOVES: dict[str, Callable[[Pose, float], Pose]] = {
    "right": lambda pose, t: pose._replace(x=_between(0.32, ASPECT - 0.32, t)),
    "left": lambda pose, t: pose._replace(x=_between(ASPECT - 0.32, 0.32, t)),
    "up": lambda pose, t: pose._replace(y=_between(1 - _top(pose), _top(pose), t)),
    "down": lambda pose, t: pose._replace(y=_between(_top(pose), 1 - _top(pose), t)),
    "bounce": lambda pose, t: pose._replace(y=0.72 - 0.42 * abs(math.sin(3 * math.pi * t))),
    "grow": lambda pose, t: pose._replace(scale=_between(0.45, 1.25, t)),
    "shrink": lambda pose, t: pose._replace(scale=_between(1.25, 0.45, t)),
    # slow fading, once a second: far from what could trouble photosensitive people
    "blink": lambda pose, t: pose._replace(
        opacity=0.54 + 0.46 * math.cos(2 * math.pi * SECONDS * t)
    ),
}


def layout(scene: Scene, rng: Random) -> list[list[Pose]]:
    """Poses of the shapes of each group; two groups never touch unless one is inside the other."""
    middle = ASPECT / 2 + rng.uniform(-0.04, 0.04)
    if len(scene.groups) == 1:
        return [
            _cluster(scene.groups[0], middle, 0.5, {"small": 0.12, "medium": 0.22, "large": 0.28})
        ]
    first, second = scene.groups
    if scene.relation == "inside":
        drop = {"triangle": 0.06, "heart": -0.03}.get(second.kind or "", 0.0)
        return [[Pose(middle, 0.5 + drop, 0.12)], [Pose(middle, 0.5, 0.4)]]
    radii = {"small": 0.1, "medium": 0.17, "large": 0.2}
    if scene.relation == "above":
        return [_cluster(first, middle, 0.27, radii), _cluster(second, middle, 0.74, radii)]
    first_x = 0.48 if first.number < 3 else 0.58
    return [_cluster(first, first_x, 0.5, radii), _cluster(second, ASPECT - 0.36, 0.5, radii)]


def _cluster(group: ShapeGroup, x: float, y: float, radii: dict[str, float]) -> list[Pose]:
    """A group's shapes around a point: in a row, four of them in a square."""
    radius = radii[group.size or "medium"] * (1, 0.9, 0.76, 0.72)[group.number - 1]
    step = 2.25 * radius
    if group.number == 4:
        offsets = [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)]
    else:
        offsets = [(n - (group.number - 1) / 2, 0.0) for n in range(group.number)]
    return [Pose(x + dx * step, y + dy * step, radius) for dx, dy in offsets]


def _paper(height: int, rng: Random) -> Image.Image:
    """A softly lit sheet: light from the top left, and a little grain against visible steps."""
    light, shade = (np.array(c, float) for c in rng.choice(PAPERS))
    width = round(height * ASPECT)
    y, x = np.mgrid[0:height, 0:width] / height
    distance = np.hypot(x - rng.uniform(0.2, 0.6), y - rng.uniform(-0.1, 0.2))
    mix = np.clip(distance / 1.6, 0, 1)[..., None] ** 1.4
    grain = np.random.default_rng(rng.getrandbits(32)).normal(0, 0.8, (height, width, 1))
    return Image.fromarray(
        np.clip(light + (shade - light) * mix + grain, 0, 255).astype(np.uint8), "RGB"
    )


def _sprite(group: ShapeGroup, radius: float) -> Sprite:
    """A shape, lighter towards the light, with a fine bright rim and its shadow.

    The picture is 4 radii wide.
    """
    side = max(round(4 * radius), 8)
    mask = _mask(group.kind or "circle", side)
    paint = np.array(PAINT[group.colour or "blue"], float)
    y, x = np.mgrid[0:side, 0:side] / side - 0.5
    glow = np.clip(-(x + 1.6 * y), -0.6, 0.6)[..., None]
    body = paint + np.where(glow > 0, (255 - paint) * glow * 0.42, paint * glow * 0.34)
    picture = Image.fromarray(np.clip(body, 0, 255).astype(np.uint8), "RGB").convert("RGBA")
    rim = ImageChops.subtract(
        mask, ImageChops.offset(mask, round(radius * 0.03) + 1, round(radius * 0.05) + 1)
    )
    picture.paste((255, 255, 255, 255), mask=rim.point(lambda v: int(v * 0.3)))
    picture.putalpha(mask)
    shadow = mask.filter(ImageFilter.GaussianBlur(radius * 0.14)).point(lambda v: int(v * 0.34))
    return Sprite(picture, shadow, radius)


def _mask(kind: str, side: int) -> Image.Image:
    """The outline of a kind, half as wide as the square, with corners rounded like cut card."""
    mask_side = 4 * side
    mask = Image.new("L", (mask_side, mask_side))
    points = [
        (mask_side * (0.5 + 0.25 * px), mask_side * (0.5 + 0.25 * py))
        for px, py in OUTLINES[kind]()
    ]
    ImageDraw.Draw(mask).polygon(points, fill=255)
    rounded = mask.filter(ImageFilter.GaussianBlur(mask_side * 0.012)).point(
        lambda v: min(max((v - 118) * 14, 0), 255)
    )
    return rounded.resize((side, side), Image.Resampling.LANCZOS)


def _regular(
    radii: tuple[float, ...], corners: int, turn: float = -90
) -> list[tuple[float, float]]:
    """Corners on rings of the given radii in turn, the first one at `turn` degrees."""
    angles = [math.radians(turn + 360 * n / corners) for n in range(corners)]
    return [
        (radii[n % len(radii)] * math.cos(a), radii[n % len(radii)] * math.sin(a))
        for n, a in enumerate(angles)
    ]


def _heart() -> list[tuple[float, float]]:
    """The usual parametric heart, scaled to the unit circle."""
    angles = [2 * math.pi * n / 240 for n in range(240)]
    across = [16 * math.sin(a) ** 3 for a in angles]
    down = [
        -(13 * math.cos(a) - 5 * math.cos(2 * a) - 2 * math.cos(3 * a) - math.cos(4 * a))
        for a in angles
    ]
    return [(px / 16.5, (py - 2) / 16.5) for px, py in zip(across, down, strict=True)]


OUTLINES: dict[str, Callable[[], list[tuple[float, float]]]] = {
    "circle": lambda: _regular((0.97,), 240),
    "square": lambda: _regular((1.2,), 4, -45),
    "triangle": lambda: [(px, py + 0.18) for px, py in _regular((1.18,), 3)],
    "star": lambda: [(px, py + 0.05) for px, py in _regular((1.14, 0.55), 10)],
    "heart": _heart,
}


def _lay(canvas: Image.Image, sprite: Sprite, pose: Pose) -> None:
    """Lay a shape on the canvas at a position between pixels.

    The shadow falls to the lower right.
    """
    height = canvas.height
    shadow_offset = 0.1 * sprite.radius * pose.scale
    _stamp(
        canvas,
        Image.new("RGB", canvas.size, INK_SHADOW),
        sprite.shadow,
        pose,
        (shadow_offset * 0.6, shadow_offset * 1.5),
    )
    colours = _transformed(sprite.picture.convert("RGB"), pose, (0.0, 0.0), (canvas.width, height))
    _stamp(canvas, colours, sprite.picture.getchannel("A"), pose, (0.0, 0.0))


def _stamp(
    canvas: Image.Image,
    colours: Image.Image,
    mask: Image.Image,
    pose: Pose,
    shift: tuple[float, float],
) -> None:
    placed_mask = _transformed(mask, pose, shift, canvas.size)
    canvas.paste(colours, mask=placed_mask.point(lambda v: int(v * pose.opacity)))


def _transformed(
    picture: Image.Image, pose: Pose, shift: tuple[float, float], size: tuple[int, int]
) -> Image.Image:
    """The picture on an empty sheet of the canvas's size, scaled and moved by subpixels."""
    inverse_scale = 1 / pose.scale
    left_edge = pose.x * size[1] + shift[0] - pose.scale * picture.width / 2
    top = pose.y * size[1] + shift[1] - pose.scale * picture.height / 2
    matrix = (inverse_scale, 0, -left_edge * inverse_scale, 0, inverse_scale, -top * inverse_scale)
    return picture.transform(size, Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)
