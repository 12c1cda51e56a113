"""The figures of crawls: per site, added up, kept on disk."""
