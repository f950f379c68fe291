"""A lead's decision about a person whom a guard names."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate import access
from annotate.http import SignedIn
from annotate.services.review.inbox import Tab
from annotate.services.supervision import concerns


@require_POST
@login_required
def concern_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Settle a concern, as it is fine, or open it again."""
    concern = access.get_concern(user=request.user, slug=slug, pk=pk)
    try:
        decision = concerns.decide(
            concern=concern, act=request.POST.get("act", ""), by=request.user
        )
    except concerns.CONCERN_REFUSALS as error:
        messages.error(request, str(error))
    else:
        messages.success(request, decision)
    return redirect(reverse("annotate:inbox", args=[slug]) + f"?tab={Tab.PEOPLE}")
