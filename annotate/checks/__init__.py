"""What must be true of the rows, asked of the database itself."""
