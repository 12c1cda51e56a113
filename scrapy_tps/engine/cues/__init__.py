"""Markup cues: a page's markup about its parts."""
