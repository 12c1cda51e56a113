# cython: language_level=3
"""Scripts that hold data (see `_scripts.pyx`)."""

from lxml.includes.tree cimport xmlNode

cdef bint is_data(xmlNode* node) except -1
