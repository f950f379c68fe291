"""The analyses of systems: functions of arrays."""
