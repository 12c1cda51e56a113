"""Tests of the methods of the literature, where the extra `literature` is installed."""

import pytest

pytest.importorskip("sklearn", reason="the extra `literature` is not installed")
