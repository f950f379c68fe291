"""Pages of runs: the list, the upload, and one run with the report on its file."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate import access as annotate_access
from annotate.access import LEADERS
from annotate.core.phrases import enumeration
from annotate.http import SignedIn, takes_files
from annotate.models import Collection, Role
from annotate.services.background import works
from annotate.views.next_step import after_step
from pooling import access
from pooling.forms.runs import LimitForm, RunsForm
from pooling.models import Run
from pooling.sentences import HoldSentences, ReportSentences, RetirementSentences, RunSentences
from pooling.services.pages import run_consequences
from pooling.services.pools import run_retirement
from pooling.services.runs import documents as run_documents
from pooling.services.runs import holds as run_holds
from pooling.services.runs import publication as run_publication
from pooling.services.runs import runs as service


@require_safe
@login_required
def runs(request: SignedIn, slug: str) -> HttpResponse:
    """All runs of a collection."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    visible_runs = Run.objects.visible_to(request.user).filter(collection=collection)
    context = {
        "collection": collection,
        "runs": visible_runs.select_related("uploaded_by", "work").order_by("direction", "name"),
        "may_upload": Role.RESEARCHER
        in annotate_access.roles_in(user=request.user, collection=collection),
        "limit_form": LimitForm(initial={"per_cent": f"{100 * collection.unknown_limit:g}"}),
    }
    return render(request, "pooling/runs/runs.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@takes_files
def run_upload(request: SignedIn, slug: str) -> HttpResponse:
    """The form for runs; their files are read in the background."""
    collection = annotate_access.get_collection(
        user=request.user, slug=slug, roles=(Role.RESEARCHER,)
    )
    form = RunsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        try:
            received_runs = service.receive_runs(
                collection=collection,
                uploads=form.uploads(),
                by=request.user,
                **form.shared_fields(),
            )
            return _after_upload(request, collection, received_runs)
        except (service.RunExists, service.BadName) as error:
            form.add_error("name", str(error))
    context = {"collection": collection, "form": form}
    return render(request, "pooling/runs/new.html", context, status=422 if form.errors else 200)


def _after_upload(
    request: SignedIn, collection: Collection, received_runs: Sequence[service.ReceivedRun]
) -> HttpResponse:
    """Redirect to the one run, or to the list; in a set-up to its next step."""
    new_runs = [received_run.run for received_run in received_runs if received_run.is_new]
    for run in (received_run.run for received_run in received_runs if not received_run.is_new):
        text = f"This very file is already here as “{run}”; nothing was changed."
        messages.info(request, text)
    if new_runs and (len(received_runs) > 1 or collection.is_being_set_up):
        messages.success(request, f"Being read: {enumeration([run.name for run in new_runs])}.")
    if len(received_runs) > 1:
        return after_step(collection, "pooling:runs", collection.slug)
    return after_step(collection, "pooling:run", collection.slug, received_runs[0].run.pk)


@require_safe
@never_cache
@login_required
def run(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """One run: the report on its file, or the faults of it."""
    run = access.get_run(user=request.user, slug=slug, pk=pk)
    context = {
        "collection": run.collection,
        "run": run,
        "report": run.report,
        "pools": run.pools.order_by("pk"),
        "events": run.events.select_related("by").order_by("-pk")[:20],
        "retirement": RetirementSentences(run, run_retirement.n_unique_pairs(run=run)),
        "hold": HoldSentences(
            run, run_holds.empty_sides(collection=run.collection) if run.on_hold_since else []
        ),
        "report_sentences": ReportSentences(run),
        "run_sentences": RunSentences(run),
        "makes_documents": run_documents.may_make_documents(run),
        "may_allow_releases": run_publication.may_allow(run=run, by=request.user),
        "may_hide": request.user.is_superuser or run.uploaded_by == request.user,
    }
    context |= _waiting(request, run) | _acts(request, run)
    return render(request, "pooling/runs/run.html", context)


@require_safe
@never_cache
@login_required
def run_state(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The state of a run, polled every 2 seconds while its file is read.

    At the end the page is reloaded.
    """
    run = access.get_run(user=request.user, slug=slug, pk=pk)
    if not run.is_being_read:
        return HttpResponse(headers={"HX-Redirect": reverse("pooling:run", args=[slug, pk])})
    return render(request, "parts/_job.html", _waiting(request, run)["job"])


def _waiting(request: SignedIn, run: Run) -> dict[str, Any]:
    """Context of the waiting part; empty when there is nothing to wait for."""
    if run.work is None or not run.work.is_unfinished:
        return {}
    address, is_new = [run.collection.slug, run.pk], run.state == Run.State.RECEIVED
    job = {
        "poll_url": reverse("pooling:run-state", args=address),
        "title": "Reading the file"
        if is_new
        else "Reading the kept file again: items joined the collection",
        "detail": f"{run.file_name}: rows are checked, ids looked up, rankings stored.",
        "job_status": works.work_status(work=run.work),
        "cancel_url": reverse("pooling:run-cancel", args=address)
        if is_new and _may_change(request, run)
        else "",
        "cancel_effect": "nothing of the file is stored.",
    }
    return {"job": job}


def _acts(request: SignedIn, run: Run) -> dict[str, Any]:
    if not _may_change(request, run):
        return {"may_change": False}
    return {"may_change": True, "acts": run_consequences.run_acts(run=run, by=request.user)}


def _may_change(request: SignedIn, run: Run) -> bool:
    return Role.RESEARCHER in annotate_access.roles_in(user=request.user, collection=run.collection)
