"""What the console script does: a module for each command, loaded when it is called."""
