"""Changes of a run by researchers: describe, hide, publish, release, use, retire, reread, stop."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access as annotate_access
from annotate.core.consequences import ActChanged, CountChanged
from annotate.forms.consequences import ExpectedForm, TakeBackForm
from annotate.http import SignedIn
from annotate.models import Import, Role
from annotate.services.storage.collection_rows import NotOwner
from annotate.task_queue import enqueue_on_commit
from annotate.views import undoing
from pooling import access, tasks
from pooling.forms.runs import DescriptionForm, LimitForm
from pooling.models import Run
from pooling.services.pools import run_retirement
from pooling.services.runs import deletion as run_deletion
from pooling.services.runs import descriptions as run_descriptions
from pooling.services.runs import documents as run_documents
from pooling.services.runs import holds as run_holds
from pooling.services.runs import publication as run_publication
from pooling.services.runs import readings
from pooling.services.runs.runs import BadName, RunExists

REFUSALS = (
    run_descriptions.RunInUse,
    run_descriptions.NotUploader,
    run_publication.MayNotAllow,
    run_retirement.WrongRunState,
    run_holds.NotOnHold,
    run_documents.NoUnknownDocuments,
    RunExists,
    CountChanged,
    ActChanged,
)
DELETION_REFUSALS = (
    run_deletion.RunUndeletable,
    run_deletion.MayNotDelete,
    NotOwner,
    CountChanged,
)
OPPOSITES = {"retire": {"action": "restore"}, "restore": {"action": "retire"}}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def run_edit(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The form for a run's name and description."""
    run = access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    description = run_descriptions.description_of(run)
    form = DescriptionForm(
        request.POST or None, initial=description._asdict() | {"tags": ", ".join(description.tags)}
    )
    if form.is_valid():
        try:
            run_descriptions.describe_run(
                run=run,
                description=run_descriptions.RunDescription(**form.cleaned_data),
                by=request.user,
            )
            return redirect("pooling:run", slug, pk)
        except (RunExists, BadName) as error:
            form.add_error("name", str(error))
    context = {"collection": run.collection, "run": run, "form": form}
    return render(request, "pooling/runs/edit.html", context, status=422 if form.errors else 200)


@require_POST
@login_required
def run_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Do one of ACTIONS to a run."""
    run = access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    action = request.POST.get("action", "")
    act = ACTIONS.get(action)
    if act is None:
        return HttpResponse(
            f"An action is one of {', '.join(ACTIONS)}.", status=422, content_type="text/plain"
        )
    try:
        outcome = act(run, request)
        if isinstance(outcome, Import):
            return redirect("annotate:import", slug, outcome.pk)
        undo_url = reverse("pooling:run-act", args=[slug, pk])
        fields = OPPOSITES.get(action, {})
        undoing.notify(request, outcome, undo_url=undo_url, done_at=run.retired_at, **fields)
    except REFUSALS as error:
        messages.error(request, str(error))
    return redirect("pooling:run", slug, pk)


@require_POST
@login_required
def run_delete(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Delete a run that is in no pool."""
    run = access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    try:
        expected = ExpectedForm.number_in(request.POST)
        run_deletion.delete_run(run=run, by=request.user, expected=expected)
    except DELETION_REFUSALS as error:
        messages.error(request, str(error))
        return redirect("pooling:run", slug, pk)
    messages.success(request, f"Deleted: {run.name}.")
    return redirect("pooling:runs", slug)


@require_POST
@login_required
def run_limit(request: SignedIn, slug: str) -> HttpResponse:
    """Set the share of unknown rows above which runs are put on hold."""
    collection = annotate_access.get_collection(
        user=request.user, slug=slug, roles=(Role.RESEARCHER,)
    )
    form = LimitForm(request.POST)
    if form.is_valid():
        share = form.cleaned_data["per_cent"] / 100
        n_released = run_holds.set_limit(collection=collection, share=share, by=request.user)
        names = ", ".join(run.name for run in n_released)
        messages.success(request, f"Saved. Now in use: {names}." if names else "Saved.")
    else:
        messages.error(request, "The limit is a number from 0 to 100; it stays as it was.")
    return redirect("pooling:runs", slug)


@require_POST
@login_required
def run_cancel(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Stop the reading of a run's file."""
    run = access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    try:
        readings.cancel_reading(run=run, by=request.user)
    except readings.NotBeingRead as error:
        messages.info(request, str(error))
    return redirect("pooling:run", slug, pk)


def _hide(run: Run, request: SignedIn) -> str:
    run_descriptions.hide_run(run=run, by=request.user)
    return "Hidden: only you and the site's admins know of this run now."


def _publish(run: Run, request: SignedIn) -> str:
    run_descriptions.publish_run(run=run, by=request.user)
    return "Published: who leads or researches in this collection sees the run and its scores."


def _allow_releases(run: Run, request: SignedIn) -> str:
    run_publication.set_may_be_published(run=run, may_be_published=True, by=request.user)
    condition = ", once it is not hidden any more" if run.is_hidden else ""
    return f"Releases from now on show its name and hold its file{condition}."


def _forbid_releases(run: Run, request: SignedIn) -> str:
    run_publication.set_may_be_published(run=run, may_be_published=False, by=request.user)
    return (
        "Releases from now on show another name in place of its own, and leave its file out. Those "
        "made before stay as they are."
    )


def _make_documents(run: Run, request: SignedIn) -> Import:
    return run_documents.make_documents(run=run, by=request.user)


def _use(run: Run, request: SignedIn) -> str:
    run_holds.accept_run(run=run, by=request.user)
    return "In use with its unknown rows, which count as unjudged; its scores are on their way."


def _retire(run: Run, request: SignedIn) -> str:
    expected = ExpectedForm.number_in(request.POST)
    run_retirement.retire_run(run=run, by=request.user, expected=expected)
    enqueue_on_commit(tasks.settle_marks, run_id=run.pk)
    return (
        "Retired. Pairs that only this run brought are no longer asked about; their judgments stay."
    )


def _restore(run: Run, request: SignedIn) -> str:
    done_at = TakeBackForm.moment_in(request.POST)
    run_retirement.restore_run(run=run, by=request.user, done_at=done_at)
    enqueue_on_commit(tasks.settle_marks, run_id=run.pk)
    return "Back in use. Pairs that only this run brought are asked about again."


def _by_rank(run: Run, request: SignedIn) -> str:
    return _reread(run, request, Run.ScoreType.RANK)


def _by_score(run: Run, request: SignedIn) -> str:
    return _reread(run, request, Run.ScoreType.FLOAT32)


def _reread(run: Run, request: SignedIn, score_type: str) -> str:
    run_descriptions.reread_run(run=run, score_type=score_type, by=request.user)
    return "The kept file is read again."


ACTIONS: dict[str, Callable[[Run, SignedIn], str | Import]] = {
    "hide": _hide,
    "publish": _publish,
    "allow-releases": _allow_releases,
    "forbid-releases": _forbid_releases,
    "make-documents": _make_documents,
    "use": _use,
    "retire": _retire,
    "restore": _restore,
    "read-by-rank": _by_rank,
    "read-by-score": _by_score,
}
