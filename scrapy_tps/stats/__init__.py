"""The figures of crawls: per site, added up, and stored on disk."""
