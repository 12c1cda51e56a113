"""Spider middlewares: responses on their way into callbacks, and what comes out of them."""
