"""Spider middlewares: responses on their way to callbacks, and the outputs of callbacks."""
