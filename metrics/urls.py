"""Addresses of the rooms: the dashboard, the leaderboard, the downloads."""

from django.urls import path

from metrics.views import dashboard, downloads, leaderboard

app_name = "metrics"
urlpatterns = [
    path("c/<slug:slug>/dashboard/", dashboard.dashboard, name="dashboard"),
    path("c/<slug:slug>/dashboard/numbers/", dashboard.numbers, name="dashboard-numbers"),
    path("c/<slug:slug>/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/downloads/", downloads.downloads, name="downloads"),
    path("c/<slug:slug>/downloads/qrels/", downloads.qrels, name="download-qrels"),
    path("c/<slug:slug>/downloads/disputed/", downloads.disputed, name="download-disputed"),
    path("c/<slug:slug>/downloads/scores/", downloads.scores, name="download-scores"),
    path("c/<slug:slug>/downloads/judgments/<str:kind>/", downloads.judgments, name="download-judgments"),
]
