"""What a start refuses, each with a sentence that says what is the matter and what to set."""
