"""The commands of the console script: a module each, loaded when it is called."""
