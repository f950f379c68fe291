"""Files of items: JSON lines, tables, BEIR folders, topics."""
