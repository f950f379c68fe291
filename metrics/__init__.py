"""Numbers from the judgments: measures, agreement, statistics, leaderboards, downloads."""
