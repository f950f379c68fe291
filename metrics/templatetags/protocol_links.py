"""Template tags for links that keep a page's choices: of protocols, and into the room."""

from django import template
from django.template.context import RequestContext

from metrics.services.analysis import choices as room_choices
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


@register.simple_tag(takes_context=True)
def room_query(context: RequestContext, protocol: str = "") -> str:
    """The query string of a page of the room with the choices of this leaderboard.

    protocol : the name of one that is chosen in place of the page's
    """
    return room_choices.room_query(context.request.GET, protocol=protocol)


@register.simple_tag(takes_context=True)
def room_sentence(context: RequestContext, beginning: str) -> str:
    """Tell the choices of the room that stand for those of this leaderboard."""
    return room_choices.room_sentence(context.request.GET, beginning=beginning)
