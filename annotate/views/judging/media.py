"""One image, clip or sound of an item, or its preview, for the members of its collection."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import MEDIUM_HEADERS, SignedIn
from annotate.services.collection.media import medium_answer

# its address names what was drawn, which never changes; browsers keep it for a week
PREVIEW_HEADERS = {
    **MEDIUM_HEADERS,
    "Accept-Ranges": "none",
    "Cache-Control": "private, max-age=604800, immutable",
}


@require_safe
@login_required
def part_media(request: SignedIn, slug: str, pk: int, number: int = 0) -> HttpResponseBase:
    """The file of a part, or the stretch of it that a player asks for.

    number : index of the part's source, in the order browsers try them
    """
    part = access.get_part(user=request.user, slug=slug, pk=pk)
    return medium_answer(request=request, part=part, number=number)


@require_safe
@login_required
def part_preview(request: SignedIn, slug: str, pk: int, preview: int) -> HttpResponse:
    """The small picture of an image.

    preview : its key, so that another picture has another address
    """
    picture = access.get_preview(user=request.user, slug=slug, pk=pk, preview=preview)
    content = bytes(picture.content)
    return HttpResponse(content, content_type="image/webp", headers=PREVIEW_HEADERS)
