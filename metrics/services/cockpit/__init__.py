"""The first page of the dashboard: progress, agreement, people, and the things that wait."""
