# cython: language_level=3
"""Scripts that hold data (see `data.pyx`)."""

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.walk cimport Script

# the first one of a script in a walk, asked for once
cdef bint holds_data(Script* script) except -1
cdef bint is_data(xmlNode* node) except -1
