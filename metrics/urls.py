"""Addresses of the rooms: the dashboard, the leaderboard, the downloads."""

from django.urls import path

from metrics.views import dashboard

app_name = "metrics"
urlpatterns = [
    path("c/<slug:slug>/dashboard/", dashboard.dashboard, name="dashboard"),
    path("c/<slug:slug>/dashboard/numbers/", dashboard.numbers, name="dashboard-numbers"),
]
