"""The analyses of measures, of averages of runs."""
