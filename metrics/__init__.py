"""What the judgments say: measures, agreement, statistics, leaderboards, downloads."""
