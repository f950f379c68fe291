"""Pictures that workers draw of media."""
