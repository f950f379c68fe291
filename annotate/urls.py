"""Addresses of the ground floor: collections, people, judging."""

from django.urls import path

from annotate.views import collections, home, invitations, judge, media, members, reports, settings, tokens

app_name = "annotate"
urlpatterns = [
    path("", home.home, name="home"),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path("tokens/", tokens.own_tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke, name="token-revoke"),
    path("collections/new/", collections.collection_new, name="collection-new"),
    path("c/<slug:slug>/", collections.collection, name="collection"),
    path("c/<slug:slug>/items/new/", collections.items_new, name="items-new"),
    path("c/<slug:slug>/references/new/", collections.reference_new, name="reference-new"),
    path("c/<slug:slug>/judgments/import/", collections.judgments_import, name="judgments-import"),
    path("c/<slug:slug>/members/", members.members, name="members"),
    path("c/<slug:slug>/members/invite/", members.invite, name="invite"),
    path("c/<slug:slug>/members/<int:pk>/remove/", members.remove, name="member-remove"),
    path("c/<slug:slug>/invitations/<int:pk>/revoke/", members.revoke, name="invitation-revoke"),
    path("c/<slug:slug>/annotators/<int:pk>/pause/", members.pause, name="annotator-pause"),
    path("c/<slug:slug>/reports/", reports.reports, name="reports"),
    path("c/<slug:slug>/reports/<int:pk>/settle/", reports.settle, name="report-settle"),
    path("c/<slug:slug>/settings/", settings.settings, name="settings"),
    path("c/<slug:slug>/settings/guidelines/", settings.change_guidelines, name="guidelines-change"),
    path("c/<slug:slug>/settings/guidelines/preview/", settings.preview_guidelines, name="guidelines-preview"),
    path("c/<slug:slug>/settings/policy/", settings.change_policy, name="policy-change"),
    path("c/<slug:slug>/media/<int:pk>/", media.part_media, name="part-media"),
    path("c/<slug:slug>/judge/", judge.judge, name="judge"),
    path("c/<slug:slug>/judge/next", judge.next_cards, name="judge-next"),
    path("c/<slug:slug>/judge/answer", judge.answer, name="judge-answer"),
    path("c/<slug:slug>/judge/undo", judge.undo, name="judge-undo"),
    path("c/<slug:slug>/judge/report", judge.report, name="judge-report"),
    path("c/<slug:slug>/judge/recent", judge.recent, name="judge-recent"),
    path("c/<slug:slug>/judge/token", judge.token, name="judge-token"),
]
