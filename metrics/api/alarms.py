"""API of alarms for leads: those that are set, whether they are up, and the log."""

from typing import Any

from django.db.models import Q
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import MomentField, StrictSerializer, validated
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import ApiToken, Role
from metrics.forms.alarms import AlarmForm
from metrics.models import Alarm, AlarmEvent
from metrics.services.numbers import alarms as service

LEAD = (Role.LEAD,)
LIST = "collections/<slug:slug>/alarms/"
STATES = ("up", "down")


class AlarmEventAnswer(serializers.Serializer):
    """A rise or fall of an alarm."""

    id = serializers.IntegerField()
    alarm = serializers.IntegerField(help_text="The alarm's id; it may have ended since.")
    description = serializers.CharField(help_text="The alarm in words.")
    kind = serializers.ChoiceField(choices=AlarmEvent.Kind.choices)
    annotator = serializers.CharField(
        allow_null=True, help_text="The pseudonym; null where the number is that of all."
    )
    value = serializers.FloatField(
        allow_null=True,
        help_text="The number behind it: the lower limit of alpha, per cent, or seconds. Null "
        "where it was not defined.",
    )
    n = serializers.IntegerField(help_text="How many pairs, golds or labels it rests on.")
    reading = serializers.CharField(help_text="The number in words.")
    at = MomentField()


class AlarmAnswer(serializers.Serializer):
    """An alarm that is set."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    kind = serializers.ChoiceField(choices=Alarm.Kind.choices)
    below = serializers.FloatField(
        help_text="The threshold: of alpha, of golds right in per cent, of active time in seconds."
    )
    n_at_least = serializers.IntegerField(
        help_text="Pairs with two labels, golds or labels that the number must rest on."
    )
    description = serializers.CharField(help_text="The alarm in words.")
    state = serializers.ChoiceField(choices=STATES)
    raised_by = AlarmEventAnswer(
        many=True, help_text="The rises that hold now, the newest first; of people one for each."
    )
    created_at = MomentField()


class AlarmRequest(StrictSerializer):
    """An alarm to set."""

    kind = serializers.ChoiceField(choices=Alarm.Kind.choices)
    below = serializers.FloatField(min_value=-1, max_value=3600)
    n_at_least = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class AlarmFilters(Filters):
    """Filters of the list of alarms."""

    state = ListedChoiceField(STATES)
    kind = ListedChoiceField(Alarm.Kind.values)


class AlarmEventFilters(Filters):
    """Filters of the log of alarms."""

    kind = ListedChoiceField(AlarmEvent.Kind.values)


class AlarmsEndpoint(Endpoint):
    """The scopes of all endpoints of alarms."""

    scope = ApiToken.Scope.NUMBERS_READ
    write_scope = ApiToken.Scope.COLLECTIONS_WRITE
    parser_classes = [JSONParser]


class AlarmsView(AlarmsEndpoint):
    """collections/<slug>/alarms/?state=&kind="""

    @extend_schema(
        parameters=[
            AlarmFilters,
            *PAGE_PARAMETERS,
        ],
        responses={200: page_answer(name="alarms", row=AlarmAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the alarms that are set, the oldest first."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        filters = read_filters(request=request, form=AlarmFilters)
        rises = service.raising_events(collection=collection)
        rows = service.alarms_set(collection=collection)
        if state := filters.pop("state", ""):
            is_up = Q(pk__in={event.alarm_id for event in rises})
            rows = rows.filter(is_up if state == "up" else ~is_up)
        return page_of(
            request=request,
            rows=rows.filter(**filters),
            ordering=("pk",),
            name="alarms",
            as_json=lambda alarm: alarm_json(alarm, rises),
        )

    @extend_schema(request=AlarmRequest, responses={201: AlarmAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Set an alarm: 201; its number is looked at once."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        form = AlarmForm(validated(AlarmRequest(data=request.data)))
        if not form.is_valid():
            raise invalid_form(form)
        try:
            alarm = service.set_alarm(collection=collection, by=request.user, **form.cleaned_data)
        except service.AlarmExists as error:
            raise Unprocessable(str(error)) from error
        alarm.refresh_from_db()
        facts = alarm_json(alarm, service.raising_events(collection=collection))
        return Response(facts, status=201, headers={"Location": facts["url"]})


class AlarmView(AlarmsEndpoint):
    """collections/<slug>/alarms/<id>/, of one that is set."""

    @extend_schema(responses={200: AlarmAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One alarm that is set."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        alarm = get_object_or_404(service.alarms_set(collection=collection), pk=pk)
        return Response(alarm_json(alarm, service.raising_events(collection=collection)))

    @extend_schema(responses={204: None})
    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """End the alarm: 204; its log stays."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        alarm = get_object_or_404(service.alarms_set(collection=collection), pk=pk)
        service.end_alarm(alarm=alarm)
        return Response(status=204)


class AlarmLogView(AlarmsEndpoint):
    """GET collections/<slug>/alarms/log/?kind="""

    @extend_schema(
        parameters=[
            AlarmEventFilters,
            *PAGE_PARAMETERS,
        ],
        responses={200: page_answer(name="events", row=AlarmEventAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the rises and falls, the newest first, also of alarms that have ended."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        filters = read_filters(request=request, form=AlarmEventFilters)
        return page_of(
            request=request,
            rows=service.alarm_log(collection=collection).filter(**filters),
            ordering=("-pk",),
            name="events",
            as_json=event_json,
        )


def alarm_json(alarm: Alarm, rises: list[AlarmEvent]) -> dict[str, Any]:
    """An alarm, and the rises of all alarms that hold now, of which it takes its own."""
    own_rises = [event for event in rises if event.alarm_id == alarm.pk]
    return {
        "id": alarm.pk,
        "url": reverse("api:alarm", args=[alarm.collection.slug, alarm.pk]),
        "kind": alarm.kind,
        "below": alarm.below,
        "n_at_least": alarm.n_at_least,
        "description": service.alarm_text(alarm),
        "state": "up" if own_rises else "down",
        "raised_by": [event_json(event) for event in own_rises],
        "created_at": timestamp(alarm.created_at),
    }


def event_json(event: AlarmEvent) -> dict[str, Any]:
    """A rise or fall with the number behind it."""
    return {
        "id": event.pk,
        "alarm": event.alarm_id,
        "description": service.alarm_text(event.alarm),
        "kind": event.kind,
        "annotator": event.annotator.pseudonym if event.annotator else None,
        "value": event.value,
        "n": event.n,
        "reading": service.reading_text(event),
        "at": timestamp(event.at),
    }


urlpatterns = [
    path(LIST, AlarmsView.as_view(), name="alarms"),
    path(f"{LIST}log/", AlarmLogView.as_view(), name="alarm-log"),
    path(f"{LIST}<int:pk>/", AlarmView.as_view(), name="alarm"),
]
