"""Template tag for the links of protocols."""

from django import template
from django.template.context import RequestContext

from metrics.services.leaderboard.choices.protocols import FIXED_PARAMETERS

register = template.Library()


@register.simple_tag(takes_context=True)
def protocol_query(context: RequestContext, name: str) -> str:
    """The query string of this page with a protocol, without the parameters that it fixes."""
    parameters = context.request.GET.copy()
    for fixed_name in FIXED_PARAMETERS:
        parameters.pop(fixed_name, None)
    parameters["protocol"] = name
    return f"?{parameters.urlencode()}"
