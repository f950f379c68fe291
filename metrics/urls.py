"""Addresses of metrics: dashboard, leaderboard, explorer, downloads, a pool's bias."""

from django.urls import path

from metrics.views import alarms, dashboard, downloads, explorer, leaderboard, plans, pool_bias

app_name = "metrics"
urlpatterns = [
    path("c/<slug:slug>/dashboard/", dashboard.dashboard, name="dashboard"),
    path("c/<slug:slug>/dashboard/numbers/", dashboard.numbers, name="dashboard-numbers"),
    path("c/<slug:slug>/dashboard/people/<int:pk>/", dashboard.person, name="dashboard-person"),
    path(
        "c/<slug:slug>/dashboard/people/<int:pk>/numbers/",
        dashboard.person_numbers,
        name="dashboard-person-numbers",
    ),
    path("c/<slug:slug>/dashboard/alarms/", alarms.alarms, name="alarms"),
    path("c/<slug:slug>/dashboard/alarms/<int:pk>/end/", alarms.end_alarm, name="alarm-end"),
    path("c/<slug:slug>/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path(
        "c/<slug:slug>/leaderboard/table.<str:form>",
        leaderboard.leaderboard_table,
        name="leaderboard-table",
    ),
    path(
        "c/<slug:slug>/leaderboard/state/", leaderboard.leaderboard_state, name="leaderboard-state"
    ),
    path("c/<slug:slug>/leaderboard/compare/", leaderboard.compare, name="compare"),
    path(
        "c/<slug:slug>/leaderboard/compare/state/", leaderboard.compare_state, name="compare-state"
    ),
    path("c/<slug:slug>/leaderboard/plan/", plans.plan, name="plan"),
    path("c/<slug:slug>/leaderboard/plan/<int:pk>/end/", plans.end_plan, name="plan-end"),
    path("c/<slug:slug>/explorer/", explorer.explorer, name="explorer"),
    path("c/<slug:slug>/explorer/state/", explorer.explorer_state, name="explorer-state"),
    path("c/<slug:slug>/downloads/", downloads.downloads, name="downloads"),
    path(
        "c/<slug:slug>/downloads/new/<str:download_kind>/",
        downloads.download_new,
        name="download-new",
    ),
    path(
        "c/<slug:slug>/downloads/<int:pk>/state/", downloads.download_state, name="download-state"
    ),
    path(
        "c/<slug:slug>/downloads/<int:pk>/cancel/",
        downloads.download_cancel,
        name="download-cancel",
    ),
    path(
        "c/<slug:slug>/downloads/<int:pk>/again/", downloads.download_again, name="download-again"
    ),
    path("c/<slug:slug>/downloads/<int:pk>/file/", downloads.download_file, name="download-file"),
    path("c/<slug:slug>/pools/<int:pk>/favours/", pool_bias.pool_bias, name="pool-favour"),
    path(
        "c/<slug:slug>/pools/<int:pk>/favours/state/",
        pool_bias.pool_bias_state,
        name="pool-favour-state",
    ),
]
