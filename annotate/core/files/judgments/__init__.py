"""Files of people's judgments, read and written."""
