"""Files that people upload: read in pieces, with errors that name the line."""
