"""Markup cues: the hints in a page's markup about its parts."""
