"""The quality gate: how much content survives on labelled pages, and how much noise is removed."""
