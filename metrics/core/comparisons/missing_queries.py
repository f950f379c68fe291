"""Treatments of queries that a run misses, in tests of differences."""

MISSING_ZERO, MISSING_RUNS, MISSING_QUERIES = "zero", "runs", "queries"
MISSING_NAMES = {
    MISSING_ZERO: "Count 0",
    MISSING_RUNS: "Leave such runs out of tests",
    MISSING_QUERIES: "Leave such queries out of tests",
}
