"""Forms of qrels, downloads, the explorer, alarms and plans."""
