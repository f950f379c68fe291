"""What the readers of uploaded files share: the error that names the line."""


class FormatError(ValueError):
    """A file that cannot be read as what it claims to be, with the place where reading stopped.

    file : the file's name as the user knows it
    line : 1-based line number, None where the fault has no line (an empty file, a broken archive)
    field : the column at fault, "" where the whole line is
    message : the fact and what to do, in the user's words, without the place
    """

    def __init__(self, file: str, line: int | None, field: str, message: str) -> None:
        super().__init__(file, line, field, message)
        self.file = file
        self.line = line
        self.field = field
        self.message = message

    def __str__(self) -> str:
        return self.message if self.line is None else f"Line {self.line}: {self.message}"
