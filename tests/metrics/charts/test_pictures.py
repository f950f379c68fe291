"""Pictures that the server draws: the same specifications as a browser's, and nothing fetched."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from metrics.charts.charts import WHOLE, Chart
from metrics.charts.pictures import PictureError, svg_of, themed_spec
from metrics.charts.stylesheet import light_colours
from metrics.charts.theme import COLOURS, CONFIG
from tests.browsing import wait_for_expression
from tests.metrics.charts import chart_pages

CHARTS = {chart.id: chart for chart in chart_pages.charts()}
SVG = "{http://www.w3.org/2000/svg}"


def bars(**more: object) -> Chart:
    """A chart of one bar."""
    x = {"field": "n", "type": "quantitative"}
    spec = {"data": {"values": [{"n": 3}]}, "mark": "bar", "encoding": {"x": x}, **more}
    return Chart("bars", "Bars", "", spec, ["n"], [[3]])


def words(svg: str) -> list[str]:
    """The texts of a picture."""
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def size(svg: str) -> tuple[float, float]:
    """The width and the height of a picture."""
    root = ElementTree.fromstring(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


def marks(svg: str) -> list[str]:
    """The groups of marks of a picture, with their roles, in the order of drawing."""
    return re.findall(r'class="(mark-[a-z]+ role-[a-z-]+)', svg)


@pytest.mark.parametrize("name", COLOURS)
def test_every_name_of_the_palette_becomes_its_light_colour_at_any_depth(name):
    spec = {"layer": [{"mark": {"color": f"@{name}"}, "scale": {"range": ("@red", f"@{name}")}}]}
    (layer,) = themed_spec(spec, pixels=720)["layer"]
    assert layer["mark"]["color"] == light_colours()[name]
    assert layer["scale"]["range"] == [light_colours()["red"], light_colours()[name]]


def test_names_that_are_unknown_and_data_stay_as_they_are():
    values = [{"run": "@blue"}, {"run": "@plot"}]
    spec = themed_spec(
        {"data": {"values": values}, "title": "@bm25", "axis": {"values": ["@red"]}}, pixels=720
    )
    assert spec["data"] == {"values": values} and spec["axis"] == {"values": ["@red"]}
    assert spec["title"] == "@bm25"


def test_the_theme_stands_beneath_the_config_of_a_spec_and_is_never_changed():
    before = json.dumps(CONFIG)
    spec = themed_spec({"mark": "bar", "config": {"bar": {"color": "@red"}}}, pixels=400)
    assert spec["config"]["bar"] == {"color": light_colours()["red"]}
    assert spec["config"]["rule"] == {"color": light_colours()["ink-3"]}
    assert spec["config"]["legend"]["columns"] == 2
    themed_spec({"hconcat": []}, pixels=400)
    assert json.dumps(CONFIG) == before


def test_a_spec_without_a_width_fills_what_contains_it_but_for_plots_side_by_side():
    assert themed_spec({"mark": "bar"}, pixels=720)["width"] == "container"
    assert themed_spec({"mark": "bar"}, pixels=720, width=300)["width"] == 300
    assert themed_spec({"mark": "bar", "width": {"step": 9}}, pixels=720)["width"] == {"step": 9}
    for kind in ("concat", "hconcat", "vconcat"):
        spec = themed_spec({kind: [{"width": "@plot"}]}, pixels=720, width=720)
        assert "width" not in spec and "autosize" not in spec["config"]
        assert spec[kind] == [{"width": 530}]


@pytest.mark.parametrize("name", CHARTS)
def test_an_svg_is_xml_as_wide_as_a_download_and_names_no_host(name):
    svg = svg_of(CHARTS[name])
    width, height = size(svg)
    assert width == 720 if name != "margins" else 600 < width <= 720
    assert height > 50 and '<rect width="' in svg and 'fill="white"' in svg
    hosts = set(re.findall(r"\w+://[^\"')\s]+", svg))
    assert hosts <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@" not in svg.replace("@font-face", "").replace("@blue", "")


def test_an_svg_has_the_words_and_the_marks_of_its_chart():
    svg = svg_of(CHARTS["alpha-history"])
    assert {"Judgments", "Alpha", "200"} <= set(words(svg))
    assert svg.count('stroke="#1a3aa8"') >= 1 and "mark-area" in svg and "mark-line" in svg
    assert {"Relevant", "Not", "30", "70"} <= set(words(svg_of(CHARTS["levels"])))


def test_names_of_runs_are_shown_as_they_are_with_the_files_that_have_their_letters():
    svg = svg_of(CHARTS["shades"])
    assert set(chart_pages.RUNS[:-1]) <= set(words(svg))
    assert svg.count("@font-face{font-family:Inter;src:url(data:font/woff2;base64,d09G") == 3
    assert svg_of(CHARTS["alpha-history"]).count("@font-face") == 1
    assert 'font-family="Inter, system-ui, sans-serif"' in svg


def assert_names_in_lines(svg: str) -> None:
    """Assert that the last axis has the long names in two lines, the longest ones cut."""
    labels = re.findall(r'<g class="mark-text role-axis-label".*?</g>', svg)[-1]
    names = [re.findall(r">([^<>]+)<", text) for text in re.findall("<text.*?</text>", labels)]
    expected = [lines for _, lines in sorted(chart_pages.LONG_NAMES.items())]
    for name, lines in zip(names, expected, strict=True):
        assert all(text.startswith(line) for text, line in zip(name, lines, strict=True))
        assert name[-1].endswith("…") == (lines[-1] in ("ww", "original and m"))


def test_long_names_have_two_lines_and_are_cut_only_at_the_end_of_the_second():
    assert_names_in_lines(svg_of(CHARTS["long-names"]))


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_an_axis_of_counts_says_each_count_once_however_few(n):
    x = {"field": "n", "type": "quantitative", "axis": WHOLE}
    svg = svg_of(bars(data={"values": [{"n": n}]}, encoding={"x": x}))
    labels = [word for word in words(svg) if word.isdigit()]
    assert labels[0] == "0" and labels[-1] == str(n) and len(labels) == len(set(labels))


def test_the_width_is_the_callers():
    assert size(svg_of(bars(), pixels=400))[0] == 400
    assert size(svg_of(bars(width=200, height=40)))[0] == 200
    assert 160 + 90 < size(svg_of(CHARTS["margins"], pixels=100))[0] <= 350


def test_there_is_a_margin_for_names_that_were_measured_too_narrow():
    drawing = re.search(r'transform="translate\((\d+)', svg_of(bars()))
    assert drawing and int(drawing[1]) >= 18


def test_the_margin_is_added_to_the_room_that_a_chart_asks_for():
    heights = [size(svg_of(bars(height=40, **more)))[1] for more in ({}, {"padding": {"top": 30}})]
    assert heights[1] == heights[0] + 30


def test_equal_charts_are_equal_bytes():
    # clips and a gradient, which Vega numbers
    first = svg_of(CHARTS["shades"])
    svg_of(CHARTS["margins"])
    assert svg_of(chart_pages.shades()) == first


def test_clips_and_gradients_are_where_their_users_look():
    svg = svg_of(CHARTS["shades"])
    uses = set(re.findall(r'"url\(#(.*?)\)"', svg))
    assert uses and uses == set(re.findall(r'\bid="(.*?)"', svg)) & uses
    assert {name[:4] for name in uses} == {"clip", "grad"}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"data": {"url": "https://example.org/a.csv"}}, "not allowed: https://example.org/a.csv"),
        ({"mark": "no such mark"}, "TypeError"),
        ({"data": {"values": [{"n": float("nan")}]}}, "JSON compliant"),
    ],
)
def test_what_cannot_be_drawn_is_named_with_the_reason_in_one_line(more, reason):
    with pytest.raises(PictureError) as error:
        svg_of(bars(**more))
    assert str(error.value).startswith("Chart bars cannot be drawn: ")
    assert reason in str(error.value) and "\n" not in str(error.value)


def test_no_file_is_read(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("n,word\n3,secret\n")
    text = {"field": "word", "type": "nominal"}
    chart = bars(data={"url": f"file://{file}"}, mark="text", encoding={"text": text})
    try:
        assert "secret" not in svg_of(chart)
    except PictureError as error:
        assert "secret" not in str(error)


@pytest.fixture
def drawn_page(page: Page, live_server: object):
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.goto(f"{live_server.url}/charts/")
    expect(page.locator("figure.chart[data-drawn] .chart-view > svg")).to_have_count(len(CHARTS))
    yield page
    assert complaints == []


def download(page: Page, name: str, kind: str) -> str:
    with page.expect_download() as waiting:
        page.locator(f"#{name} [data-download={kind}]").click()
    return Path(waiting.value.path()).read_text()


def hexadecimal(text: str) -> str:
    """The text with colours as a style sheet spells them."""
    return re.sub(
        r"rgb\((\d+), (\d+), (\d+)\)",
        lambda match: "#" + "".join(f"{int(number):02x}" for number in match.groups()),
        text,
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.urls("tests.metrics.charts.chart_pages")
@pytest.mark.parametrize("name", CHARTS)  # Chromium drops the eleventh download of a second
def test_browser_and_server_make_one_specification_of_a_chart(drawn_page, name):
    chart = CHARTS[name]
    spec = json.loads(hexadecimal(download(drawn_page, name, "spec")))
    assert "vega-lite" in spec.pop("$schema")
    assert spec == themed_spec(chart.spec, pixels=720)
    picture = download(drawn_page, name, "svg")
    assert marks(picture) == marks(svg_of(chart))
    if name == "long-names":
        assert_names_in_lines(picture)


@pytest.mark.django_db(transaction=True)
@pytest.mark.urls("tests.metrics.charts.chart_pages")
def test_plots_side_by_side_fit_into_a_page_however_wide(drawn_page):
    view = "document.querySelector('#margins .chart-view')"
    width = f"Number({view}.querySelector('svg').getAttribute('width'))"
    for pixels, room in ((1280, range(40)), (700, range(40)), (390, range(-70, 0))):
        drawn_page.set_viewport_size({"width": pixels, "height": 900})
        drawn_page.reload()
        expect(drawn_page.locator("#margins[data-drawn] .chart-view > svg")).to_be_visible()
        page = "document.documentElement"
        wait_for_expression(drawn_page, f"{page}.scrollWidth <= {page}.clientWidth")
        # a main plot of the least width is shown smaller as a whole
        assert drawn_page.evaluate(f"{view}.clientWidth - {width}") in room
        assert drawn_page.evaluate(f"{view}.scrollWidth <= {view}.clientWidth")
