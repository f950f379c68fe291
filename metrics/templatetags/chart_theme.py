"""Template tag that gives a page the theme of its charts."""

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString

from metrics.charts.theme import THEME

register = template.Library()


@register.simple_tag
def chart_theme() -> SafeString:
    """The theme as a json_script "chart-theme", which static/js/charts/theme.js reads."""
    return json_script(THEME, "chart-theme")
