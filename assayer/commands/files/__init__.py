"""Commands that read files and print numbers: no site, no database."""
