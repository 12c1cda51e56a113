"""Extensions: the line in the log, and samples of pages."""
