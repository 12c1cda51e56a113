# cython: language_level=3
"""Stands before lxml's headers: whoever cimports something of lxml cimports this first."""

cdef extern from *:
    """
    #include <libxml/tree.h>
    /* A function of etree_defs.h calls it. Nobody here calls that one, but a compiler that keeps what is unused (-O0)
       would ask for the symbol at load, and lxml does not export it. */
    #define xmlFreeDoc(document) ((void) (document))
    """

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING
