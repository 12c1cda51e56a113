# cython: language_level=3
"""libxml2's strings, as the modules of the native core read them."""

from lxml.includes cimport tree
from lxml.includes.tree cimport xmlAttr, xmlNode

cdef inline unsigned char lower(unsigned char byte) noexcept nogil:
    """The lower case of an ASCII letter; other bytes as they are."""
    return byte | 32 if 65 <= byte <= 90 else byte


cdef inline const char* value_of(xmlAttr* one, bint* composed) noexcept nogil:
    """Value of an attribute; `composed` is set where it is not one string, which no HTML parser makes."""
    if one.children == NULL:
        return b""
    if one.children.next != NULL or one.children.type != tree.XML_TEXT_NODE:
        composed[0] = True
        return b""
    if one.children.content == NULL:
        return b""
    return <const char*> one.children.content


cdef inline xmlNode* text_from(xmlNode* node) noexcept nogil:
    """The first text node from here up to the next thing that is none, as lxml collects texts."""
    while node != NULL:
        if node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE:
            return node
        if node.type == tree.XML_XINCLUDE_START or node.type == tree.XML_XINCLUDE_END:
            node = node.next
        else:
            return NULL
    return NULL


cdef inline bint is_ascii_space(unsigned char character) noexcept nogil:
    """Whether Python's ``str`` takes an ASCII character for white space."""
    return character == 32 or 9 <= character <= 13 or 28 <= character <= 31
