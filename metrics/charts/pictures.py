"""Charts as SVG drawn on the server, as a browser downloads them.

Specification and theme are those of the page (static/js/charts does there what is done here), the
colours light, the background white. Nothing is fetched.

Text is measured by fonts of this machine or, without any, by vl_convert's own Liberation Sans: it
reads no WOFF2, and Inter is here in no other form. An SVG carries Inter's files and is shown with
them: its letters may be somewhat wider than the room for them, for which there is a margin.
"""

import json
import re
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from metrics.charts.charts import Chart, Spec
from metrics.charts.stylesheet import font_faces, light_colours
from metrics.charts.theme import COLOURS, config_for, widths_in

# where the package is installed without its pictures there is none
DRAWER: Any = import_module("vl_convert") if find_spec("vl_convert") else None
PIXELS = 720  # EXPORT_WIDTH of static/js/charts/downloads.js
# for the letters of names at the sides and below, wider in Inter than in what measured them
MARGIN = {"left": 18, "right": 18, "top": 5, "bottom": 18}
NO_ADDRESS: Final[list[str]] = []  # from which data or images may be fetched
NO_DRAWER = "Charts are drawn by vl-convert-python, which is not installed: assayer[pictures]."
CONCATENATIONS = ("concat", "hconcat", "vconcat")


class PictureError(Exception):
    """A chart cannot be drawn; says which one and why. Nothing was written."""


def themed_spec(spec: Spec, *, pixels: int, width: int | None = None) -> Spec:
    """A specification with the theme beneath its own config, and palette names as light colours.

    pixels : width that it is drawn in, from which follow columns of legends and widths of plots
    width : that of a spec that has none, in pixels; None to fill whatever contains it
    Returns what JSON makes of it, as a browser gets it; a name that is unknown stays as it is.
    """
    config: Spec = config_for(pixels)
    base: Spec = {"width": "container" if width is None else width}
    if _has_plots_side_by_side(spec):
        # Vega-Lite fits single plots alone; those of a concatenation have widths of their own
        base = {}
        del config["autosize"]
    whole = {**base, **spec, "config": {**config, **spec.get("config", {})}}
    plain = json.loads(json.dumps(whole, allow_nan=False))
    light = light_colours()
    names = {name: light[name] for name in COLOURS}
    return _fill(plain, names | widths_in(pixels))


def svg_of(chart: Chart, *, pixels: int = PIXELS) -> str:
    """The chart as SVG with its font inside; PictureError if it cannot be drawn."""
    if DRAWER is None:
        raise PictureError(NO_DRAWER)
    # plots side by side fill their width as they are
    white = {**chart.spec, "background": "white"}
    if not _has_plots_side_by_side(chart.spec):
        own = chart.spec.get("padding", {})
        white["padding"] = {side: room + own.get(side, 0) for side, room in MARGIN.items()}
    try:
        spec = themed_spec(white, pixels=pixels, width=pixels)
        svg = DRAWER.vegalite_to_svg(spec, allowed_base_urls=NO_ADDRESS)
    except ValueError as error:
        # line 1 of an error of Vega says what was tried, line 2 what is wrong, the others where
        reason = str(error).splitlines()[:2][-1].removeprefix("Error: ")
        raise PictureError(f"Chart {chart.id} cannot be drawn: {reason}") from error
    # Vega numbers clips and gradients on and on while the process lives; from 0 in each picture
    # equal charts have equal bytes
    names: dict[str, str] = {}
    ids = r'(?:(?<= id=")|(?<="url\(#))(clip|gradient_)\d+(?=[")])'
    svg = re.sub(ids, lambda match: names.setdefault(match[0], f"{match[1]}{len(names)}"), svg)
    return _with_head(svg, chart.spec.get("description", ""))


def _has_plots_side_by_side(spec: Spec) -> bool:
    return any(kind in spec for kind in CONCATENATIONS)


def _fill(value: Any, names: dict[str, Any]) -> Any:
    """Every string "@name" at any depth becomes what the name stands for."""
    if isinstance(value, str):
        return names.get(value[1:], value) if value.startswith("@") else value
    if isinstance(value, list):
        return [_fill(child, names) for child in value]
    if isinstance(value, dict):
        # data are data: a run may be called "@blue"
        return {
            key: child if key == "values" else _fill(child, names) for key, child in value.items()
        }
    return value


def _with_head(svg: str, description: str) -> str:
    """The SVG with its description, and the files of the page's font that its letters need."""
    style = "".join(face.rule() for face in font_faces() if face.has_any(svg))
    desc = f"<desc>{escape(description)}</desc>" if description else ""
    head, _, body = svg.partition(">")
    return f"{head}>{desc}<defs><style>{style}</style></defs>{body}"
