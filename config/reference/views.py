"""Pages of the API's reference, and the schema that they are made of; the same for everybody."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import conditional_page, require_safe

from config.reference.operations import groups, schema_text


@require_safe
@conditional_page
def schema(request: HttpRequest) -> HttpResponse:
    """The schema in the form of OpenAPI 3.1."""
    return HttpResponse(schema_text(), content_type="application/vnd.oai.openapi+json")


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation, with the page that tells more of it."""
    return render(request, "reference/reference.html", {"groups": groups().values()})


@require_safe
def operations(request: HttpRequest, group: str) -> HttpResponse:
    """The operations on one thing: what they take, what they answer."""
    if group not in groups():
        raise Http404
    context = {"group": groups()[group], "groups": groups().values()}
    return render(request, "reference/group.html", context)
