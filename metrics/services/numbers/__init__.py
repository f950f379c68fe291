"""Current numbers, refreshed from changes: counts, agreement, alarms, their history."""
