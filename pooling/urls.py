"""Addresses of runs and pools."""

from django.urls import path

from pooling.views import pairs, pool_building, pools, provenance, run_changes, runs

app_name = "pooling"
urlpatterns = [
    path("c/<slug:slug>/runs/", runs.runs, name="runs"),
    path("c/<slug:slug>/runs/new/", runs.run_upload, name="run-upload"),
    path("c/<slug:slug>/runs/limit/", run_changes.run_limit, name="run-limit"),
    path("c/<slug:slug>/runs/<int:pk>/", runs.run, name="run"),
    path("c/<slug:slug>/runs/<int:pk>/state/", runs.run_state, name="run-state"),
    path("c/<slug:slug>/runs/<int:pk>/cancel/", run_changes.run_cancel, name="run-cancel"),
    path("c/<slug:slug>/runs/<int:pk>/edit/", run_changes.run_edit, name="run-edit"),
    path("c/<slug:slug>/runs/<int:pk>/act/", run_changes.run_act, name="run-act"),
    path("c/<slug:slug>/runs/<int:pk>/delete/", run_changes.run_delete, name="run-delete"),
    path("c/<slug:slug>/runs/<int:pk>/adds/", pool_building.run_adds, name="run-adds"),
    path("c/<slug:slug>/pools/", pools.pools, name="pools"),
    path("c/<slug:slug>/pools/new/", pool_building.pool_new, name="pool-new"),
    path("c/<slug:slug>/pools/preview/", pool_building.pool_preview, name="pool-preview"),
    path(
        "c/<slug:slug>/pools/preview/<slug:key>/",
        pool_building.pool_preview_state,
        name="pool-preview-state",
    ),
    path(
        "c/<slug:slug>/pools/preview/<slug:key>/alike/", pool_building.pool_alike, name="pool-alike"
    ),
    path("c/<slug:slug>/pools/<int:pk>/", pools.pool, name="pool"),
    path("c/<slug:slug>/pools/<int:pk>/state/", pools.pool_state, name="pool-state"),
    path("c/<slug:slug>/pools/<int:pk>/open/", pools.pool_open, name="pool-open"),
    path("c/<slug:slug>/pools/<int:pk>/cancel/", pools.pool_cancel, name="pool-cancel"),
    path("c/<slug:slug>/pools/<int:pk>/close/", pools.pool_close, name="pool-close"),
    path("c/<slug:slug>/pools/<int:pk>/reopen/", pools.pool_reopen, name="pool-reopen"),
    path("c/<slug:slug>/pairs/<int:pk>/", pairs.pair, name="pair"),
    path("c/<slug:slug>/pools/<int:pk>/pairs/", provenance.pool_pairs, name="pool-pairs"),
]
