"""The commands, a module each with `run(arguments) -> exit code`. A command imports what it needs and no more."""
