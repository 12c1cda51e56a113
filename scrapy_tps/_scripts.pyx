# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Whether a script holds data: see ``scrapy_tps.sequence``, which says what that means."""

from libc.string cimport memchr, strcmp, strncmp

from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps._core cimport CORE_REVISION, LXML_VERSION_STRING
from scrapy_tps._texts cimport decode, is_space, start_of_text, text_from, value_of

from scrapy_tps.sequence import STATE_PREFIX, STATE_WORDS, is_page_state

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef extern from "string.h":
    size_t strnlen(const char* text, size_t limit) nogil

cdef list STATE_STARTS = [word.encode() for word in STATE_WORDS]
cdef size_t STATE_BYTES = 4 * STATE_PREFIX  # as many as its characters take at most


cdef bint is_data(xmlNode* node) except -1:
    cdef bint composed = False
    cdef const char* value = attribute(node, b"type", &composed)
    if value != NULL and value[0] and b"json" in (<bytes> value).lower():
        return True
    value = attribute(node, b"id", &composed)
    if value != NULL and value[0] == c"_" and value[1] == c"_":
        return True
    if not may_be_page_state(node.children):
        return False
    start = start_of_text(node.children, STATE_PREFIX)
    return bool(start) and is_page_state(start)


cdef inline const char* attribute(xmlNode* node, const char* name, bint* composed) noexcept nogil:
    """Value of an attribute without namespace, NULL where there is none."""
    cdef xmlAttr* one = node.properties
    while one != NULL:
        if one.ns == NULL and strcmp(<const char*> one.name, name) == 0:
            return value_of(one, composed)
        one = one.next
    return NULL

cdef bint may_be_page_state(xmlNode* node):
    """Whether Python has to look at a script: most hold neither of the signs and are not decoded."""
    cdef const unsigned char* cursor
    cdef const unsigned char* start
    cdef const char* found
    cdef bytes word
    node = text_from(node)
    if node == NULL or node.content == NULL:
        return False
    if text_from(node.next) != NULL:
        return True
    start = cursor = <const unsigned char*> node.content
    while cursor[0]:
        start = cursor
        if not is_space(decode(&cursor)):
            break
    for word in STATE_STARTS:
        if strncmp(<const char*> start, <const char*> word, len(word)) == 0:
            return True
    cursor = <const unsigned char*> node.content
    start = cursor + strnlen(<const char*> cursor, STATE_BYTES)
    while True:
        found = <const char*> memchr(cursor, c"_", start - cursor)
        if found == NULL:
            return False
        if found[1] == c"_":
            return True
        cursor = <const unsigned char*> found + 1
