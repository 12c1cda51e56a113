# cython: language_level=3
"""For the modules over libxml2 alone: the others are compiled without lxml."""

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING
