"""Jobs for programs: how far something is that they asked for, and its end."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from rest_framework.response import Response

from annotate.api import TokenRequest
from annotate.api.endpoints import Endpoint
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import Work
from annotate.services.background import progress, works


def job_json(work: Work) -> dict[str, Any]:
    """A job: its state, how far it is, and why it failed."""
    return {
        "id": work.pk,
        "url": reverse("api:job", args=[work.pk]),
        "kind": work.kind,
        "state": work.state,
        "is_finished": not work.is_unfinished,
        "progress": progress_json(work),
        "error": work.error,
        "asked_at": timestamp(work.asked_at),
        "finished_at": timestamp(work.finished_at),
    }


def progress_json(work: Work) -> dict[str, Any] | None:
    """The progress of work; None where it has ended, or no progress is known."""
    if not work.is_unfinished:
        return None
    job_progress = progress.progress_of(job=works.job_of(work))
    if job_progress is None:
        return None
    return {
        "done": job_progress.n_done,
        "total": job_progress.total,
        "unit": job_progress.unit,
        "seconds_left": job_progress.seconds_left,
        "at": job_progress.at,
    }


class JobView(Endpoint):
    """GET jobs/<id>/, of what the token's owner asked for."""

    def get(self, request: TokenRequest, pk: int) -> Response:
        """The job, for any token of whoever asked for it."""
        rows = Work.objects.filter(by=request.user)
        if request.auth.collection_id is not None:
            rows = rows.filter(collection=request.auth.collection_id)
        return Response(job_json(get_object_or_404(rows, pk=pk)))


urlpatterns = [path("jobs/<int:pk>/", JobView.as_view(), name="job")]
