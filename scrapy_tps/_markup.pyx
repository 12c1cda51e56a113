# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""What is asked of a page's bytes, and of its tree before it is written.

Results are those of ``scrapy_tps.document``, which says what and why.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, strcmp

from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps._native cimport CORE_REVISION, LXML_VERSION_STRING

import_lxml__etree()

#: The lxml that this module was compiled against.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")

REVISION = CORE_REVISION


def is_utf8(bytes body not None):
    """Whether Python's strict UTF-8 codec reads these bytes."""
    cdef const uint8_t* at = <const uint8_t*> <const char*> body
    cdef const uint8_t* stop = at + len(body)
    cdef bint valid
    with nogil:
        valid = valid_utf8(at, stop)
    return valid


cdef bint valid_utf8(const uint8_t* at, const uint8_t* stop) noexcept nogil:
    """Table 3-7 of the Unicode standard: well-formed UTF-8 byte sequences."""
    cdef uint64_t word
    cdef uint8_t first, low, high
    cdef int more
    while at < stop:
        first = at[0]
        if first < 0x80:
            at += 1
            while stop - at >= 8:
                memcpy(&word, at, 8)
                if word & <uint64_t> 0x8080808080808080:
                    break
                at += 8
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= first <= 0xDF:
            more = 1
        elif 0xE0 <= first <= 0xEF:
            more = 2
            if first == 0xE0:
                low = 0xA0
            elif first == 0xED:
                high = 0x9F
        elif 0xF0 <= first <= 0xF4:
            more = 3
            if first == 0xF0:
                low = 0x90
            elif first == 0xF4:
                high = 0x8F
        else:
            return False
        if stop - at <= more or not low <= at[1] <= high:
            return False
        if more > 1 and at[2] & 0xC0 != 0x80:
            return False
        if more > 2 and at[3] & 0xC0 != 0x80:
            return False
        at += more + 1
    return True


def may_alter_addresses(_Element root not None, bytes safe not None):
    """Whether an address of the document of `root` holds a byte whose entry in `safe` is 0.

    Addresses are ``href``, ``src`` and ``action`` of all elements and ``name`` of ``a``.
    """
    cdef const uint8_t* table = <const uint8_t*> <const char*> safe
    cdef xmlNode* top = <xmlNode*> root._doc._c_doc
    cdef xmlNode* node = top.children
    cdef bint found = False
    if len(safe) != 256:
        raise ValueError("a table of 256 bytes")
    with nogil:
        while node != NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                if node.properties != NULL and has_unsafe_address(node, table):
                    found = True
                    break
                if node.children != NULL:
                    node = node.children
                    continue
            while node.next == NULL and node.parent != NULL and node.parent != top:
                node = node.parent
            node = node.next
    return found


cdef bint has_unsafe_address(xmlNode* element, const uint8_t* safe) noexcept nogil:
    cdef xmlAttr* one = element.properties
    cdef xmlNode* value
    cdef const char* name
    cdef const uint8_t* at
    while one != NULL:
        name = <const char*> one.name
        if one.ns == NULL and (
            (name[0] == c"h" and strcmp(name, b"href") == 0)
            or (name[0] == c"s" and strcmp(name, b"src") == 0)
            or (name[0] == c"a" and strcmp(name, b"action") == 0)
            or (name[0] == c"n" and strcmp(name, b"name") == 0 and strcmp(<const char*> element.name, b"a") == 0)
        ):
            value = one.children
            while value != NULL:
                if value.type != tree.XML_TEXT_NODE:
                    return True  # no HTML parser makes it: looked at by the slow way
                at = <const uint8_t*> value.content
                if at != NULL:
                    while at[0]:
                        if not safe[at[0]]:
                            return True
                        at += 1
                value = value.next
        one = one.next
    return False
