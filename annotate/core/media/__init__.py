"""Media of items: formats, what browsers play, ranges of bytes."""
