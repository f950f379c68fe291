"""The theme of every chart, drawn by a browser or on the server: one Vega-Lite config.

Colours are names of the palette ("@blue"), which are filled in where a chart is drawn. Browsers get
`THEME` with the page (static/js/charts/theme.js); pictures.py draws with it on the server.
"""

from metrics.charts.charts import Spec

CATEGORIES = ("blue", "amber", "teal", "violet", "slate", "red", "green")
# names in static/css/tokens.css
COLOURS = (
    *CATEGORIES,
    "ink",
    "ink-2",
    "ink-3",
    "line",
    "line-strong",
    "surface",
    "ground",
    "accent",
    "ramp-low",
    "ramp-high",
)

FONT = "Inter, system-ui, sans-serif"
_RAMP = ["@ramp-low", "@ramp-high"]
_TEXT = {
    "labelColor": "@ink-2",
    "titleColor": "@ink-2",
    "labelFont": FONT,
    "titleFont": FONT,
    "labelFontSize": 11.5,
    "titleFontSize": 11.5,
    "titleFontWeight": 500,
}
CONFIG: Spec = {
    "background": "transparent",
    "font": FONT,
    "autosize": {"type": "fit-x", "contains": "padding"},
    "view": {"stroke": None},
    "range": {
        "category": [f"@{name}" for name in CATEGORIES],
        "ordinal": _RAMP,
        "heatmap": _RAMP,
        "ramp": _RAMP,
    },
    "axis": {
        **_TEXT,
        "grid": True,
        "gridColor": "@line",
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
        "titlePadding": 10,
    },
    "axisQuantitative": {"tickCount": 6},
    "axisBand": {"grid": False},
    "legend": {
        **_TEXT,
        "orient": "top",
        "title": None,
        "symbolType": "square",
        "symbolSize": 90,
        "offset": 12,
        "columnPadding": 16,
        "labelLimit": 260,
    },
    "header": _TEXT,
    "title": {
        "color": "@ink",
        "font": FONT,
        "fontSize": 13,
        "fontWeight": 600,
        "anchor": "start",
    },
    "mark": {"color": "@blue", "tooltip": True},
    "bar": {"cornerRadiusEnd": 2},
    "line": {"strokeWidth": 2},
    "area": {"opacity": 0.16},
    "point": {"filled": True, "size": 50},
    "rule": {"color": "@ink-3"},
    "text": {"color": "@ink", "font": FONT, "fontSize": 11.5},
    "errorbar": {"color": "@ink", "ticks": True, "size": 6},
}

# What depends on the width that a chart is drawn in, in pixels.
LEGEND_COLUMN = 180  # a legend of many names wraps instead of being cut
MARGIN_PLOT = 90  # a plot at the right of a main one whose width is "@plot"
MARGIN_ROOM = 100  # the axis of numbers such as "1,000" with its title, and gaps
LEAST_PLOT = 160  # a main plot that is narrower cannot be read: rather its figure scrolls

THEME: Spec = {
    "colours": COLOURS,
    "config": CONFIG,
    "legendColumn": LEGEND_COLUMN,
    "besidePlot": MARGIN_PLOT + MARGIN_ROOM,
    "besideAxis": MARGIN_ROOM,
    "leastPlot": LEAST_PLOT,
}


def config_for(pixels: int) -> Spec:
    """The config of a chart that is drawn in a width of so many pixels."""
    columns = max(1, pixels // LEGEND_COLUMN)
    return {**CONFIG, "legend": {**CONFIG["legend"], "columns": columns}}


def whole_pixels(pixels: int) -> int:
    """The width "@whole" in pixels: that of one of several plots below each other."""
    return max(LEAST_PLOT, pixels - MARGIN_ROOM)


def plot_pixels(pixels: int) -> int:
    """The width of a main plot ("@plot") beside a margin plot, in a figure of so many pixels."""
    return max(LEAST_PLOT, pixels - MARGIN_PLOT - MARGIN_ROOM)
