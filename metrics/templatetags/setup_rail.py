"""Template tag of the rail, for the frame of every page."""

from django import template
from django.template import Context

from annotate.models import Collection
from metrics.services.setup.rail import Rail, rail

register = template.Library()


@register.simple_tag(takes_context=True)
def setup_rail(context: Context) -> Rail | None:
    """The rail beside the page of a collection that is being set up; None without one."""
    collection, request = context.get("collection"), context.get("request")
    match = request.resolver_match if request else None
    if not isinstance(collection, Collection) or request is None or match is None:
        return None
    return rail(
        collection=collection,
        user=request.user,
        page=match.view_name,
        import_kind=match.kwargs.get("import_kind", ""),
    )
