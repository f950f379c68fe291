"""Images that look alike, by their rasters: recompressed, scaled, slightly cut or lit otherwise."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.media.rasters import RASTER_SIDE

Numbers = NDArray[np.float32]
Positions = NDArray[np.int64]
RULES = "look-alikes 1"  # another number for other rules: results are kept by it
COARSE_SIDE = 8  # cells of the first comparison
MOST_COARSE = 0.035  # root mean square difference of its cells, in Oklab
MOST_SHAPE = 1.08  # ratio of the shapes, width by height
MOST_CANDIDATES = 10_000  # pairs that are compared cell by cell: some 40 s if cuts are tried on all
MOST_DIFFERENCE = 0.17  # of the contrast
HOPELESS = 0.8  # a difference that no cut explains
N_LOGO_CELLS = 24  # of 1,024, which may be anything
MOST_BESIDE_LOGO = 0.012  # difference of any other cell
GAINS = (0.88, 1.14)
CUTS = ((0, 1), (0.015, 0.985), (0, 0.97), (0.03, 1))  # of a side: none, both ends, one end
BLOCK = 500  # images or pairs at once
# Bjoern Ottosson's Oklab (2020): linear light to cones, their cube roots to lightness and colour
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    dtype=np.float32,
).T
_COLOURS = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ],
    dtype=np.float32,
).T


class LookAlikes(NamedTuple):
    """Pairs of images that look alike, the most alike first, then by their positions.

    first, second : (P,) positions of the images, first < second
    likeness : (P,) 1 less the difference of their cells over the contrast, to 1; below 0 where a
        sign covers much of a plain image
    is_cut_short : more pairs came near than are compared cell by cell; the rest was left out
    """

    first: Positions
    second: Positions
    likeness: NDArray[np.float64]
    is_cut_short: bool


def look_alikes(
    rasters: NDArray[np.uint8],
    shapes: NDArray[np.float64],
    *,
    report_progress: Callable[[int, int], None] = lambda n_done, total: None,
) -> LookAlikes:
    """Find the pairs of images that look alike.

    rasters : (N, 32, 32, 3) red, green and blue, 0 to 255; shapes : (N,) width by height, above 0
    report_progress : told how many of the pairs that come near are done
    Two are alike if, in Oklab, after the best of a few cuts of up to 3 % of a side and of the
    light, their cells differ by no more than 17 % of the contrast (root mean square), or all but 24
    of the 1,024 cells by no more than .012: a sign may cover those. An image of one colour is like
    none.
    """
    first, second, is_cut_short = _candidates(rasters, shapes)
    likeness = np.full(len(first), np.nan)
    for start in range(0, len(first), BLOCK):
        block = slice(start, start + BLOCK)
        likeness[block] = _likeness(_oklab(rasters[first[block]]), _oklab(rasters[second[block]]))
        report_progress(min(start + BLOCK, len(first)), len(first))
    is_alike = np.isfinite(likeness)
    first, second, likeness = first[is_alike], second[is_alike], likeness[is_alike]
    order = np.lexsort((second, first, -likeness))
    return LookAlikes(first[order], second[order], likeness[order], is_cut_short)


def _oklab(rasters: NDArray[np.uint8]) -> Numbers:
    """(..., 3) lightness, 0 to 1, and two axes of colour."""
    values = np.arange(256, dtype=np.float32) / 255
    light = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    oklab: Numbers = np.cbrt(light.astype(np.float32)[rasters] @ _CONES) @ _COLOURS
    return oklab


def _candidates(
    rasters: NDArray[np.uint8], shapes: NDArray[np.float64]
) -> tuple[Positions, Positions, bool]:
    """Pairs of one shape whose coarse cells come near, the nearest ones, and if there are more."""
    coarse = _coarse(rasters)
    squares = np.sum(coarse**2, axis=1)
    logs, most = np.log(shapes), coarse.shape[1] * MOST_COARSE**2
    parts = [(np.zeros((2, 0), dtype=np.int64), np.zeros(0, dtype=np.float32))]
    for start in range(0, len(coarse), BLOCK):
        rows = slice(start, start + BLOCK)
        distances = squares[rows, None] + squares - 2 * coarse[rows] @ coarse.T
        is_near = distances <= most
        is_near &= np.abs(logs[rows, None] - logs) <= np.log(MOST_SHAPE)
        is_near = np.triu(is_near, k=start + 1)
        if np.count_nonzero(is_near) > MOST_CANDIDATES:  # pages of a book, all alike
            sorted_part = np.partition(distances[is_near], MOST_CANDIDATES)
            is_near &= distances <= sorted_part[MOST_CANDIDATES]
        pairs = np.argwhere(is_near).T
        parts.append((pairs + np.array([[start], [0]]), distances[tuple(pairs)]))
        parts = [_nearest(parts)]
        if len(parts[0][1]) > MOST_CANDIDATES:
            most = float(parts[0][1][-1])
    pairs, distances = parts[0]
    is_cut_short = len(distances) > MOST_CANDIDATES
    return pairs[0, :MOST_CANDIDATES], pairs[1, :MOST_CANDIDATES], is_cut_short


def _nearest(
    parts: list[tuple[Positions, Numbers]],
) -> tuple[Positions, Numbers]:
    """The nearest pairs of some lists, one more than are compared, in their order."""
    pairs = np.concatenate([pairs for pairs, _ in parts], axis=1)
    distances = np.concatenate([distances for _, distances in parts])
    order = np.argsort(distances, kind="stable")[: MOST_CANDIDATES + 1]
    return pairs[:, order], distances[order]


def _coarse(rasters: NDArray[np.uint8]) -> Numbers:
    """(N, 192) means of 8 by 8 cells, each image's lightness less its mean."""
    width = RASTER_SIDE // COARSE_SIDE
    coarse = np.zeros((len(rasters), COARSE_SIDE, COARSE_SIDE, 3), dtype=np.float32)
    for start in range(0, len(rasters), BLOCK):
        colours = _oklab(rasters[start : start + BLOCK])
        cells = colours.reshape(-1, COARSE_SIDE, width, COARSE_SIDE, width, 3)
        coarse[start : start + BLOCK] = cells.mean(axis=(2, 4))
    coarse[..., 0] -= coarse[..., 0].mean(axis=(1, 2), keepdims=True)
    return coarse.reshape(len(rasters), COARSE_SIDE * COARSE_SIDE * 3)


def _likeness(first: Numbers, second: Numbers) -> NDArray[np.float64]:
    """(P,) of pairs of images in Oklab; NaN for those that do not look alike.

    Cuts are tried only where the images as they are leave it open.
    """
    contrast = np.minimum(_contrast(first), _contrast(second))
    difference, has_sign_alone = _differences(first, second, contrast)
    is_open = (difference > MOST_DIFFERENCE) & ~has_sign_alone & (difference < HOPELESS)
    if is_open.any():
        pair, least = (first[is_open], second[is_open]), difference[is_open]
        has_sign = has_sign_alone[is_open]
        for whole, other in (pair, pair[::-1]):
            for cut in _cut_ways(other):
                new_difference, new_sign = _differences(whole, cut, contrast[is_open])
                least = np.minimum(least, new_difference)
                has_sign |= new_sign
        difference[is_open], has_sign_alone[is_open] = least, has_sign
    is_alike = (difference <= MOST_DIFFERENCE) | has_sign_alone
    return np.where(is_alike & (contrast > 0.01), 1 - difference.astype(np.float64), np.nan)


def _contrast(colours: Numbers) -> Numbers:
    """(P,) standard deviation of the cells of each image."""
    spread = colours - colours.mean(axis=(1, 2), keepdims=True)
    contrast: Numbers = np.sqrt(np.sum(spread**2, axis=-1).mean(axis=(1, 2)))
    return contrast


def _differences(
    first: Numbers, second: Numbers, contrast: Numbers
) -> tuple[Numbers, NDArray[np.bool_]]:
    """(P,) of all cells over the contrast, and if a logo alone differs, at the best light."""
    products = np.einsum("nijc,nijc->n", first, second)
    squares = np.maximum(np.einsum("nijc,nijc->n", second, second), 1e-9)
    cells = np.clip(products / squares, *GAINS)[:, None, None, None] * second
    cells -= first
    sums = np.einsum("nijc,nijc->nij", cells, cells).reshape(len(first), RASTER_SIDE**2)
    is_alike_beside = np.count_nonzero(sums > MOST_BESIDE_LOGO**2, axis=1) <= N_LOGO_CELLS
    return np.sqrt(sums.mean(axis=1)) / np.maximum(contrast, 1e-9), is_alike_beside


def _cut_ways(colours: Numbers) -> Iterator[Numbers]:
    """The images under each cut of both sides, in Oklab."""
    flat = colours.reshape(len(colours), RASTER_SIDE, RASTER_SIDE * 3)
    for columns in _cuts():
        narrow = flat.reshape(-1, RASTER_SIDE * 3) @ np.kron(columns.T, np.eye(3, dtype=np.float32))
        for rows in _cuts():
            yield (rows @ narrow.reshape(flat.shape)).reshape(colours.shape)


@cache
def _cuts() -> list[Numbers]:
    """(32, 32) matrices that cut one side of an image, and share the rest among its cells."""
    matrices = []
    for low, high in CUTS:
        edges = RASTER_SIDE * np.linspace(low, high, RASTER_SIDE + 1)[:, None]
        cells = np.arange(RASTER_SIDE)
        shares = np.minimum(edges[1:], cells + 1) - np.maximum(edges[:-1], cells)
        shares = np.maximum(shares, 0)
        matrices.append((shares / shares.sum(axis=1, keepdims=True)).astype(np.float32))
    return matrices
