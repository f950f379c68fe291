"""Releases and their files as programs see them, and what asks for a release."""

from typing import Any

from django.db.models import Q
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.fields import AnswerSerializer, StrictSerializer
from annotate.api.filters import Filters, ListedChoiceField
from annotate.api.jobs import JobAnswer
from annotate.models import Work
from metrics.models import Release, ReleaseFile

STATES = [*Work.State.values, "made", "public", "withdrawn"]


class ReleaseFilters(Filters):
    """Filters of the list of releases."""

    state = ListedChoiceField(STATES)


class ReleaseRequest(StrictSerializer):
    """A release to make; the form of the page says more of each field."""

    version = serializers.CharField(help_text="Such as 1.0, or a date.")
    title = serializers.CharField(required=False, help_text="The collection's name without one.")
    notes = serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, help_text="What is new in it."
    )
    released_on = serializers.CharField(
        required=False, help_text="The day that its documents name, as 2026-03-05; today without."
    )


class ReleaseWithdrawalRequest(StrictSerializer):
    """The reason for which a release is withdrawn."""

    reason = serializers.CharField(trim_whitespace=False)


class ReleaseAnswer(AnswerSerializer):
    """A release without its files; of one that is withdrawn too."""

    url = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    archive_url = serializers.SerializerMethodField()
    job = JobAnswer(source="making")

    class Meta:
        model = Release
        fields = [
            "url",
            "state",
            "version",
            "title",
            "notes",
            "licence",
            "creators",
            "cite_as",
            "texts_leave",
            "media_leave",
            "released_on",
            "withdrawal_reason",
            "file_name",
            "n_bytes",
            "sha256",
            "as_of",
            "made_at",
            "published_at",
            "withdrawn_at",
            "archive_url",
            "job",
        ]

    def get_url(self, release: Release) -> str:
        """Its address."""
        return reverse("api:release", args=address_of(release))

    @extend_schema_field(serializers.ChoiceField(choices=STATES))
    def get_state(self, release: Release) -> str:
        """The state of its job until it is made; then made, public or withdrawn."""
        if release.withdrawn_at is not None:
            return "withdrawn"
        if release.made_at is None:
            return str(release.making.state)
        return "made" if release.published_at is None else "public"

    def get_archive_url(self, release: Release) -> str | None:
        """The address of the whole folder as a zip; null where there is none."""
        if not release.is_available:
            return None
        return reverse("api:release-archive", args=address_of(release))


class ReleaseFileAnswer(AnswerSerializer):
    """A file of a release."""

    url = serializers.SerializerMethodField()

    class Meta:
        model = ReleaseFile
        fields = ["url", "path", "media_type", "about", "n_bytes", "sha256", "n_rows"]

    def get_url(self, file: ReleaseFile) -> str:
        """Its address."""
        return reverse("api:release-file", args=[*address_of(file.release), file.path])


class WholeReleaseAnswer(ReleaseAnswer):
    """A release with its files, whose checksums stay when it is withdrawn."""

    files = ReleaseFileAnswer(many=True)

    class Meta(ReleaseAnswer.Meta):
        fields = [*ReleaseAnswer.Meta.fields, "files"]


def rows_in_state(state: str) -> Q:
    """The filter of a state of STATES, as ReleaseAnswer has them."""
    is_made, is_withdrawn = Q(made_at__isnull=False), Q(withdrawn_at__isnull=False)
    if state == "withdrawn":
        return is_withdrawn
    if state == "made":
        return is_made & ~is_withdrawn & Q(published_at=None)
    if state == "public":
        return is_made & ~is_withdrawn & Q(published_at__isnull=False)
    return ~is_made & ~is_withdrawn & Q(work__state=state)


def address_of(release: Release) -> tuple[str, str]:
    """The parts of its addresses: the collection and the version."""
    return release.collection.slug, release.version


def release_json(release: Release) -> dict[str, Any]:
    """A release without its files."""
    return dict(ReleaseAnswer(release).data)
