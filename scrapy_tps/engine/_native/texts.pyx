# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Texts of a tree: their sizes without the white space around them, and what stands at their ends."""

from libc.stdint cimport int32_t, uint32_t
from libc.string cimport strlen

from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.scan cimport characters, first_printed

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef extern from "string.h":
    size_t strnlen(const char* text, size_t limit) nogil


cdef int32_t count_wide(xmlNode* node) noexcept nogil:
    """Characters of East Asian scripts."""
    cdef const unsigned char* cursor
    cdef uint32_t character
    cdef int32_t count = 0
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                character = decode(&cursor)
                if character >= 0x1100 and (
                    character <= 0x11FF
                    or 0x2E80 <= character <= 0x9FFF
                    or 0xAC00 <= character <= 0xD7FF
                    or 0xF900 <= character <= 0xFAFF
                    or 0xFF00 <= character <= 0xFF60
                ):
                    count += 1
        node = text_from(node.next)
    return count


cdef int32_t visible_chars(xmlNode* node, bint* not_ascii) noexcept nogil:
    """Characters of a text without the white space around it; 0 where it is nothing else.

    `not_ascii` stays False only where it is all ASCII.
    """
    cdef const unsigned char* cursor
    cdef const unsigned char* stop
    cdef const unsigned char* before
    cdef int32_t seen = 0, upto = 0
    cdef bint wide = False
    cdef xmlNode* following
    node = text_from(node)
    if node == NULL:
        return 0
    following = text_from(node.next)
    if following == NULL:
        # the usual case, a single node: characters are the bytes that start one
        cursor = <const unsigned char*> node.content
        if cursor == NULL:
            return 0
        # white space that is left out counts as well for `not_ascii`: it may be ideographic
        stop = cursor + strlen(<const char*> cursor)
        while True:
            cursor = before = first_printed(cursor, stop)
            if cursor == stop:
                return 0
            if not is_space(decode(&cursor)):
                break
            wide = wide or before[0] >= 0x80
        cursor = before
        while True:
            before = stop - 1
            while before[0] & 0xC0 == 0x80:
                before -= 1
            if not is_space(first_character(before)):
                break
            wide = wide or before[0] >= 0x80
            stop = before
        seen = <int32_t> characters(cursor, stop)
        not_ascii[0] = wide or seen != stop - cursor
        return seen
    not_ascii[0] = True
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                if not is_space(decode(&cursor)):
                    seen += 1
                    upto = seen
                elif seen:
                    seen += 1
        node = following
        following = NULL if node == NULL else text_from(node.next)
    return upto


cdef inline uint32_t first_character(const unsigned char* at) noexcept nogil:
    return decode(&at)


cdef bint has_text(xmlNode* node) noexcept nogil:
    node = text_from(node)
    while node != NULL:
        if node.content != NULL and node.content[0]:
            return True
        node = text_from(node.next)
    return False


cdef bint space_at_an_end(xmlNode* node) noexcept nogil:
    """Whether a text that is not empty starts or ends with white space."""
    cdef const unsigned char* cursor
    cdef bint first = True, space = False
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                space = is_space(decode(&cursor))
                if first and space:
                    return True
                first = False
        node = text_from(node.next)
    return space


cdef unicode start_of_text(xmlNode* node, Py_ssize_t limit):
    """The first `limit` characters of a text: scripts of megabytes are not decoded for them."""
    parts = []
    cdef const unsigned char* start
    cdef const unsigned char* cursor
    cdef Py_ssize_t length, place
    cdef unsigned char beyond = 0
    node = text_from(node)
    if node != NULL and node.content != NULL and text_from(node.next) == NULL:
        start = <const unsigned char*> node.content
        length = strnlen(<const char*> start, limit)
        for place in range(length):
            beyond |= start[place]
        if beyond < 0x80:
            return (<const char*> start)[:length].decode("ascii")
    while node != NULL and limit > 0:
        start = cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0] and limit > 0:
                decode(&cursor)
                limit -= 1
            parts.append((<const char*> start)[: cursor - start].decode("utf-8"))
        node = text_from(node.next)
    return "".join(parts)


cdef unicode whole_text(xmlNode* node):
    cdef list parts = []
    node = text_from(node)
    while node != NULL:
        if node.content != NULL:
            parts.append((<const char*> node.content).decode("utf-8"))
        node = text_from(node.next)
    return <unicode> parts[0] if len(parts) == 1 else "".join(parts)
