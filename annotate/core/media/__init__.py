"""Media of items: formats, what browsers play, doubts about files, ranges of bytes."""
