"""Files brought into a collection: items with their media, reference labels, judgments."""
