"""Data colours are distinguishable in every kind of colour vision, and text colours are readable.

Simulated with the matrices of Machado, Oliveira & Fernandes 2009 (doi:10.1109/TVCG.2009.113,
severity 1.0); distance in OKLab (x 100), where about 2 is just noticeable side by side. Contrast as
in WCAG 2.2.
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

TOKENS = (Path(__file__).resolve().parents[2] / "static" / "css" / "tokens.css").read_text()
PLAIN, BOTH = TOKENS.split("@supports (color: light-dark(red, blue)) {")
PAIRS = dict(re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}, #[0-9a-f]{6})\)", TOKENS))
DATA = ("slate", "amber", "green", "blue", "violet", "red", "teal")
SCHEMES = (0, 1)

VISION = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
TO_LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_LAB = [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
]


def linear(token: str, scheme: int) -> np.ndarray:
    colour = PAIRS[token].split(", ")[scheme]
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    return np.array(TO_LAB) @ np.cbrt(np.array(TO_LMS) @ np.clip(rgb, 0, 1))


def contrast(foreground: str, background: str, scheme: int) -> float:
    low, high = sorted(
        float(linear(token, scheme) @ [0.2126, 0.7152, 0.0722])
        for token in (foreground, background)
    )
    return (high + 0.05) / (low + 0.05)


def test_browsers_without_light_dark_have_the_light_colours():
    plain = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6}|rgb\([^)]*\));", PLAIN))
    light = dict(re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}|rgb\([^)]*\)), ", BOTH))
    assert light == plain
    assert BOTH.count("light-dark(") == len(light)
    assert "light-dark(" not in PLAIN
    assert "color-scheme: light;" in PLAIN


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("vision", VISION)
def test_no_two_data_colours_look_alike(vision, scheme):
    perceived = {token: oklab(np.array(VISION[vision]) @ linear(token, scheme)) for token in DATA}
    distances = {
        pair: 100 * np.linalg.norm(perceived[pair[0]] - perceived[pair[1]])
        for pair in itertools.combinations(DATA, 2)
    }
    closest = min(distances, key=distances.get)
    assert distances[closest] >= 8, closest


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("token", DATA)
def test_a_data_colour_stands_out_from_the_surface(token, scheme):
    assert contrast(token, "surface", scheme) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("background", ["ground", "surface"])
@pytest.mark.parametrize("token", ["ink", "ink-2", "ink-3", "accent", "good", "warn", "bad"])
def test_text_can_be_read(token, background, scheme):
    assert contrast(token, background, scheme) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_older_badge_can_be_read(scheme):
    assert contrast("ink-3", "sunken", scheme) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("token", ["good", "warn", "bad", "accent"])
def test_a_state_can_be_read_on_its_tint(token, scheme):
    assert contrast(token, f"{token}-tint", scheme) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_edge_of_a_field_can_be_seen(scheme):
    assert contrast("line-strong", "surface", scheme) >= 3
