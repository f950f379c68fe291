"""Names in lines on axes, channels without a scale, and bins whose labels do not touch."""

import json
from xml.etree import ElementTree

import pytest
import vl_convert

from metrics.charts.analyses.nouns import bin_axis
from metrics.charts.axes import (
    WRAPPED,
    broken_axis,
    column_axis,
    legend_of,
    lines_of,
    values_by_name,
)
from metrics.charts.pictures import themed_spec

LONG = "the larger grade of people and reference “original”"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("people over reference “original”", ["people over", "reference", "“original”"]),
        ("run_name-very_long/abc", ["run_name-", "very_long/", "abc"]),
        ("unbreakablelongname of it", ["unbreakablelongname", "of it"]),
        ("short", ["short"]),
        ("", [""]),
    ],
)
def test_lines_end_behind_words_and_signs_and_lose_no_letter(text, lines):
    assert lines_of(text, most=12) == lines
    assert " ".join(lines).replace(" ", "") == text.replace(" ", "")


def texts_of(spec, *, pixels=400):
    """The texts of a chart as a picture: their lines, and where the first one of them stands."""
    svg = vl_convert.vegalite_to_svg(themed_spec(spec, pixels=pixels, width=pixels))
    name = "{http://www.w3.org/2000/svg}"
    texts = {}
    for text in ElementTree.fromstring(svg).iter(f"{name}text"):
        lines = [line.text for line in text.iter(f"{name}tspan")] or [text.text]
        texts[" ".join(line or "" for line in lines)] = (lines, text.get("transform"))
    return texts


def bars_of(names, axis, **properties):
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": axis}
    return {
        "data": {"values": [{"name": name, "n": 1} for name in names]},
        "mark": "bar",
        "height": {"step": 60},
        "encoding": {"y": y, "x": {"field": "n", "type": "quantitative"}},
        **properties,
    }


def height_of(transform):
    return float(transform.split("translate(")[1].split(",")[1].split(")")[0])


def test_an_axis_of_broken_names_cuts_none_and_has_their_lines_around_their_places():
    names = ["a", LONG]
    texts = texts_of(bars_of(names, broken_axis(names, most=20)))
    lines, place = texts[LONG]
    assert lines == ["the larger grade of", "people and reference", "“original”"]
    # bars of 60 pixels: two lines more than the other name has, of which one stands above it
    assert height_of(place) - height_of(texts["a"][1]) == pytest.approx(60 - 13.5)


def test_two_lines_of_a_wrapped_name_lie_around_its_place():
    names = ["a", "clip_large_patch14_finetuned"]
    texts = texts_of(bars_of(names, WRAPPED))
    lines, place = texts["clip_large_patch14_ finetuned"]
    assert lines == ["clip_large_patch14_", "finetuned"]
    assert height_of(place) - height_of(texts["a"][1]) == pytest.approx(60 - 13.5 / 2)


@pytest.mark.parametrize("names", [["a"], ["a", 'b "quoted"'], ["a", "b", "c"]])
def test_a_value_by_name_has_no_legend(names):
    dashes = {name: [number, 1] for number, name in enumerate(names, start=2)}
    name: dict[str, object] = {"field": "name", "type": "nominal", "scale": {"domain": names}}
    spec = {
        "data": {"values": [{"name": name, "x": x} for name in names for x in (1, 2)]},
        "mark": {"type": "line", "point": True},
        "encoding": {"x": {"field": "x", "type": "quantitative"}, "color": name, "shape": name}
        | {"y": {"field": "x", "type": "quantitative"}}
        | {"strokeDash": values_by_name("name", dashes)},
    }
    (legend,) = vl_convert.vegalite_to_vega(spec)["legends"]
    assert "strokeDash" not in legend and {"stroke", "shape"} <= legend.keys()
    svg = vl_convert.vegalite_to_svg(spec)
    assert all(f'stroke-dasharray="{dash},1"' in svg for dash, _ in dashes.values())


def test_labels_of_bins_stand_in_lines_where_bins_are_narrow():
    labels = ["6 to 10", *(f"{n}1 to {n}5" for n in range(1, 7)), "71 or more"]
    x = {"field": "bin", "type": "ordinal", "axis": bin_axis(labels), "scale": {"domain": labels}}
    spec = {"data": {"values": [{"bin": label} for label in labels]}, "mark": "bar"}
    spec |= {"encoding": {"x": x}}
    for pixels, lines in ((720, ["71 or more"]), (300, ["71", "or", "more"])):
        texts = texts_of(spec, pixels=pixels)
        assert texts["71 or more"][0] == lines and set(labels) <= set(texts)


def test_of_many_bins_few_have_labels_the_last_among_them():
    labels = [f"{n:,} to {n + 99:,}" for n in range(1000, 4000, 100)]
    values = bin_axis(labels, narrow=160)["values"]
    assert values[-1] == labels[-1] and len(values) <= 160 // (6 * len("1,000") + 4)
    assert json.dumps(bin_axis(["1"])["values"]) == '["1"]'


@pytest.mark.parametrize(
    ("names", "pixels", "angle", "lines"),
    [
        (["a b", "long words"], 60, 0, ["long", "words"]),
        (["a b", "longer wordings"], 40, -90, ["longer wordings"]),
        (["clip_large_patch14_finetuned", "a"], 40, -90, ["clip_large_patch14_", "finetuned"]),
        # two lines that stand would touch the next name
        (["clip_large_patch14_finetuned", "a"], 20, -90, ["clip_large_patch14_finetuned"]),
    ],
)
def test_names_of_columns_lie_where_they_do_not_touch_and_else_stand(names, pixels, angle, lines):
    axis = column_axis(names, pixels=pixels)
    assert axis["labelAngle"] == angle
    x = {"field": "name", "type": "nominal", "sort": None, "axis": axis | {"labelLimit": 0}}
    spec = {"data": {"values": [{"name": name} for name in names]}, "mark": "bar"}
    spec |= {"encoding": {"x": x}}
    assert lines in [rows for rows, _ in texts_of(spec).values()]


def test_names_above_columns_have_one_line_where_they_lie():
    assert column_axis(["a b", "long words"], pixels=60, is_above=True)["labelAngle"] == -90
    assert column_axis(["a b", "words"], pixels=60, is_above=True)["labelAngle"] == 0


@pytest.mark.parametrize(
    ("names", "columns"), [(["a", "b" * 17], 2), (["a", "b" * 18], 1), ([], 2)]
)
def test_a_legend_of_short_names_has_two_columns(names, columns):
    assert legend_of(names) == {"columns": columns}
