"""The theme: names that the sheet has, what the width decides, and one copy on a page."""

import json
import re

import pytest
from django.template import Context, Template

from metrics.charts.stylesheet import light_colours
from metrics.charts.theme import COLOURS, CONFIG, THEME, config_for, widths_in


def test_every_name_of_the_palette_is_a_colour_of_the_sheet():
    assert set(COLOURS) <= set(light_colours())


def test_the_config_names_colours_of_the_palette_alone():
    names = re.findall(r'"@([^"]*)"', json.dumps(CONFIG))
    assert set(names) <= set(COLOURS) and "line" in names
    assert not re.search(r"#[0-9a-f]{3}|rgb", json.dumps(CONFIG))


@pytest.mark.parametrize(
    ("pixels", "columns", "label", "plot"),
    [
        (0, 1, 90, 160),
        (308, 1, 238, 160),
        (350, 1, 260, 160),
        (359, 1, 260, 169),
        (360, 2, 260, 170),
        (720, 4, 260, 530),
    ],
)
def test_the_width_decides_the_columns_of_a_legend_and_the_width_of_a_main_plot(
    pixels, columns, label, plot
):
    config = config_for(pixels)
    assert config["legend"] == CONFIG["legend"] | {"columns": columns, "labelLimit": label}
    assert widths_in(pixels)["plot"] == plot
    assert widths_in(pixels)["text"] == max(110, pixels // 4)
    assert config | {"legend": CONFIG["legend"]} == CONFIG and "columns" not in CONFIG["legend"]


def test_a_page_with_charts_has_the_theme_once():
    page = Template('{% include "parts/_chart_scripts.html" %}').render(Context())
    (theme,) = re.findall(
        r'<script id="chart-theme" type="application/json">(.*?)</script>', page, re.DOTALL
    )
    assert json.loads(theme) == json.loads(json.dumps(THEME))
    assert page.index("chart-theme") < page.index("js/charts/main.js")
