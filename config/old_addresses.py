"""Addresses of pages that have moved: bookmarks, links in mails, and pages left open in a browser.

A page of a collection moved when it came under a section of the bar. Such an address is answered
with the new one, for good. A form that was open meanwhile arrives there as it was sent, but for one
with a large file: that is refused, since nobody reads a large body at an address that takes none.
"""

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

# what stood after the collection's address, and what stands there now
MOVED = {
    "items/new": "imports/items",
    "references/new": "imports/references",
    "judgments/import": "imports/judgments",
    "query-sets/new": "imports/query-sets",
    "members": "people/members",
    "invitations": "people/invitations",
    "annotators": "dashboard/people",
    "people": "dashboard/people",
    "settings/golds": "judging/golds",
    "training/setup": "judging/training",
    "training/people": "judging/training/people",
    "pools": "judging/pools",
    "pairs": "judging/pairs",
    "runs": "results/runs",
    "leaderboard": "results/leaderboard",
    "explorer": "results/explorer",
    "downloads": "results/downloads",
    "review-log": "inbox/log",
}
PATTERN = rf"^c/(?P<slug>[-a-zA-Z0-9_]+)/(?P<old>{'|'.join(MOVED)})/(?P<subpath>.*)$"


@require_http_methods(["GET", "HEAD", "POST"])
def moved(request: HttpRequest, slug: str, old: str, subpath: str) -> HttpResponsePermanentRedirect:
    """Redirect to the new address, with the rest of the path and the query, by the same method."""
    home = reverse("metrics:collection", args=[slug])
    new_address = home + MOVED[old] + request.get_full_path().removeprefix(home + old)
    return HttpResponsePermanentRedirect(new_address, preserve_request=True)
