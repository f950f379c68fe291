"""The analyses of the pool: functions of arrays."""
