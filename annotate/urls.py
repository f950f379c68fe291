"""Addresses of the ground floor: collections, people, judging."""

from django.urls import path

from annotate.views import judge

app_name = "annotate"
urlpatterns = [
    path("c/<slug:slug>/judge/", judge.judge, name="judge"),
    path("c/<slug:slug>/judge/next", judge.next_cards, name="judge-next"),
    path("c/<slug:slug>/judge/answer", judge.answer, name="judge-answer"),
    path("c/<slug:slug>/judge/undo", judge.undo, name="judge-undo"),
    path("c/<slug:slug>/judge/report", judge.report, name="judge-report"),
    path("c/<slug:slug>/judge/recent", judge.recent, name="judge-recent"),
    path("c/<slug:slug>/judge/token", judge.token, name="judge-token"),
]
