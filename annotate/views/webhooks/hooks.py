"""Webhooks of a collection and the log of what they were sent, for its leads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access
from annotate.core.consequences import ActChanged, CountChanged
from annotate.forms.consequences import ExpectedForm, TakeBackForm
from annotate.forms.webhooks import HookForm
from annotate.http import SignedIn
from annotate.models import Hook, Role
from annotate.services.webhooks import deliveries, hook_page
from annotate.services.webhooks import hooks as service
from annotate.services.webhooks.hook_consequences import hook_acts
from annotate.views import undoing
from annotate.views.new_secrets import NewSecret

PAGE_SIZE = 25
NEW_KEY = NewSecret("new-webhook-secret")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def hooks(request: SignedIn, slug: str) -> HttpResponse:
    """List the webhooks, and make one: its own page shows its secret, for a while."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = HookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            hook, secret = service.create_hook(
                collection=collection, by=request.user, **form.cleaned_data
            )
        except service.HookRefused as error:
            form.add_error("url", str(error))
        else:
            return NEW_KEY.leading_to(request, secret, "annotate:webhook", slug, hook.pk)
    lines = hook_page.hook_lines(collection=collection)
    context = {"collection": collection, "form": form, "lines": lines}
    status = 422 if form.errors else 200
    return render(request, "annotate/webhooks/hooks.html", context, status=status)


@require_safe
@never_cache
@login_required
def hook(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show one webhook with a page of its log, and the secret just made, for a while."""
    hook = access.get_hook(user=request.user, slug=slug, pk=pk)
    secret = NEW_KEY.of(request)
    return _page(request, hook, secret=secret if service.is_secret(hook=hook, text=secret) else "")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def hook_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Change, test, switch or delete a webhook, or give it another secret.

    Its answer may be a page at this address; who opens the address again is led to the webhook.
    """
    hook = access.get_hook(user=request.user, slug=slug, pk=pk)
    if request.method != "POST":
        return redirect("annotate:webhook", slug, pk)
    act = request.POST.get("act", "change")
    if act == "secret":
        secret = service.rotate_secret(hook=hook).secret
        return NEW_KEY.leading_to(request, secret, "annotate:webhook", slug, pk)
    if act == "delete":
        return _delete(request, hook)
    if act not in hook_page.ACTS:
        return _change(request, hook)
    try:
        moment = TakeBackForm.moment_in(request.POST)
        sentence = hook_page.carry_out(hook=hook, act=act, done_at=moment)
    except (service.HookRefused, ActChanged) as error:
        messages.error(request, str(error))
    else:
        fields = hook_page.UNDO_FIELDS.get(act, {})
        undoing.notify(request, sentence, undo_url=request.path, done_at=hook.off_at, **fields)
    return redirect("annotate:webhook", slug, pk)


@require_POST
@login_required
def send_again(request: SignedIn, slug: str, pk: int, delivery: int) -> HttpResponse:
    """Send a delivery once more."""
    row = access.get_delivery(user=request.user, slug=slug, pk=pk, delivery=delivery)
    try:
        deliveries.send_again(delivery=row)
        messages.success(request, "It is being sent again, under the same id.")
    except service.HookRefused as error:
        messages.error(request, str(error))
    return redirect("annotate:webhook", slug, pk)


def _delete(request: SignedIn, hook: Hook) -> HttpResponse:
    """Forget it, with no more events that wait than its page told."""
    slug = hook.collection.slug
    try:
        service.delete_hook(hook=hook, expected=ExpectedForm.number_in(request.POST))
    except CountChanged as error:
        messages.error(request, str(error))
        return redirect("annotate:webhook", slug, hook.pk)
    messages.success(request, f"The webhook to {hook.url} is deleted, with its log.")
    return redirect("annotate:webhooks", slug)


def _change(request: SignedIn, hook: Hook) -> HttpResponse:
    """Store its address and events."""
    form = HookForm(request.POST)
    if form.is_valid():
        try:
            service.change_hook(hook=hook, **form.cleaned_data)
        except service.HookRefused as error:
            form.add_error("url", str(error))
        else:
            messages.success(request, "Saved: it holds for events from now on.")
            return redirect("annotate:webhook", hook.collection.slug, hook.pk)
    return _page(request, hook, form=form, status=422)


def _page(
    request: HttpRequest,
    hook: Hook,
    *,
    form: HookForm | None = None,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    rows = hook.deliveries.order_by("-pk")
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "collection": hook.collection,
        "hook": hook,
        "line": hook_page.HookLine(hook),
        "acts": hook_acts(hook=hook),
        "form": form or HookForm(initial={"url": hook.url, "events": hook.events}),
        "secret": secret,
        "page": page,
        "deliveries": [hook_page.DeliveryLine(delivery) for delivery in page.object_list],
    }
    return render(request, "annotate/webhooks/hook.html", context, status=status)
