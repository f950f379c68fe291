"""URLs of pooling: runs, pools, and the history of a pair."""

from django.urls import include, path

from pooling.views import pairs, pool_building, pools, provenance, run_changes, run_previews, runs

RUNS = [
    path("", runs.runs, name="runs"),
    path("new/", runs.run_upload, name="run-upload"),
    path("preview/", run_previews.run_preview, name="run-preview"),
    path("limit/", run_changes.run_limit, name="run-limit"),
    path("<int:pk>/", runs.run, name="run"),
    path("<int:pk>/state/", runs.run_state, name="run-state"),
    path("<int:pk>/cancel/", run_changes.run_cancel, name="run-cancel"),
    path("<int:pk>/edit/", run_changes.run_edit, name="run-edit"),
    path("<int:pk>/act/", run_changes.run_act, name="run-act"),
    path("<int:pk>/delete/", run_changes.run_delete, name="run-delete"),
    path("<int:pk>/adds/", pool_building.run_adds, name="run-adds"),
]
POOLS = [
    path("", pools.pools, name="pools"),
    path("new/", pool_building.pool_new, name="pool-new"),
    path("preview/", pool_building.pool_preview, name="pool-preview"),
    path("preview/<slug:key>/", pool_building.pool_preview_state, name="pool-preview-state"),
    path("preview/<slug:key>/alike/", pool_building.pool_alike, name="pool-alike"),
    path("<int:pk>/", pools.pool, name="pool"),
    path("<int:pk>/state/", pools.pool_state, name="pool-state"),
    path("<int:pk>/open/", pools.pool_open, name="pool-open"),
    path("<int:pk>/cancel/", pools.pool_cancel, name="pool-cancel"),
    path("<int:pk>/close/", pools.pool_close, name="pool-close"),
    path("<int:pk>/reopen/", pools.pool_reopen, name="pool-reopen"),
    path("<int:pk>/pairs/", provenance.pool_pairs, name="pool-pairs"),
]

app_name = "pooling"
urlpatterns = [
    path("c/<slug:slug>/results/runs/", include(RUNS)),
    path("c/<slug:slug>/judging/pools/", include(POOLS)),
    path("c/<slug:slug>/judging/pairs/<int:pk>/", pairs.pair, name="pair"),
]
