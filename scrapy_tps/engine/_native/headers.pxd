# cython: language_level=3
"""Comes before lxml's headers: modules that cimport from lxml cimport this first."""

cdef extern from *:
    """
    #include <libxml/tree.h>
    /* A function of etree_defs.h calls it. That function is not used here, but a compiler that keeps unused code (-O0)
    would need the symbol at load, and lxml does not export it. */
    #define xmlFreeDoc(document) ((void) (document))
    """

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING
