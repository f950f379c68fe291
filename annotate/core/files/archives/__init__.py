"""Sources of files: one file, a folder, a zip archive, an address; read alike."""
