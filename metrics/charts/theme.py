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
        # a label stands at its number, at both ends of an axis too, and apart from the next
        "labelFlush": False,
        "labelSeparation": 4,
    },
    "axisQuantitative": {"tickCount": 6},
    "axisBand": {"grid": False},
    "legend": {
        **_TEXT,
        "orient": "top",
        "title": None,
        # several legends stand one below the other: beside one another a phone cuts the last
        "layout": {"top": {"anchor": "start", "direction": "vertical", "margin": 6}},
        "symbolSize": 90,
        "offset": 12,
        "columnPadding": 16,
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
    "point": {"filled": True, "size": 50, "opacity": 1},
    "rule": {"color": "@ink-3"},
    "text": {"color": "@ink", "font": FONT, "fontSize": 11.5},
    "errorbar": {"color": "@ink", "ticks": True, "size": 6},
}

# What depends on the width that a chart is drawn in, in pixels.
LEGEND_COLUMN = 180  # a legend of many names wraps instead of being cut
LEGEND_LABEL = 260  # the most of a name in a legend
LEGEND_ROOM = 70  # beside it: an axis of numbers, and the symbol
# Widths of plots in a figure of several, by name: what is beside them of the figure's width.
ROOMS = {
    "plot": 190,  # an axis of numbers such as "1,000" with its title, gaps, a margin plot of 90
    "whole": 80,  # such an axis and gaps
    "named": 200,  # an axis of names with its title and gaps
    "bare": 30,  # no axis at a side, and half of a number at the right
}
LEAST_TEXT, TEXT_PART = 110, 4  # "@text", the most of a name within a plot: a part of the figure
LEAST_PLOT = 160  # a main plot that is narrower cannot be read: rather its figure scrolls

THEME: Spec = {
    "colours": COLOURS,
    "config": CONFIG,
    "legendColumn": LEGEND_COLUMN,
    "legendLabel": LEGEND_LABEL,
    "legendRoom": LEGEND_ROOM,
    "rooms": ROOMS,
    "leastText": LEAST_TEXT,
    "textPart": TEXT_PART,
    "leastPlot": LEAST_PLOT,
}


def config_for(pixels: int) -> Spec:
    """The config of a chart that is drawn in a width of so many pixels."""
    legend = {
        "columns": max(1, pixels // LEGEND_COLUMN),
        "labelLimit": min(LEGEND_LABEL, max(LEAST_PLOT, pixels) - LEGEND_ROOM),
    }
    return {**CONFIG, "legend": {**CONFIG["legend"], **legend}}


def widths_in(pixels: int) -> dict[str, int]:
    """The widths of plots and names by name, in pixels, in a figure of so many pixels."""
    plots = {name: max(LEAST_PLOT, pixels - room) for name, room in ROOMS.items()}
    return {**plots, "text": max(LEAST_TEXT, pixels // TEXT_PART)}
