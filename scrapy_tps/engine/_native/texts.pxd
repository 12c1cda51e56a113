# cython: language_level=3
"""Functions of the native core to read libxml2's strings."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport strchr, strcmp, strlen, strstr

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport tree
from lxml.includes.tree cimport xmlAttr, xmlNode

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil

# for the text that starts at a node: its size without surrounding white space, and whether it may go beyond ASCII; its
# characters of East Asian scripts; whether it is not empty; whether it starts or ends with white space; its first
# characters; all of it
cdef int32_t visible_chars(xmlNode* node, bint* not_ascii) noexcept nogil
cdef int32_t count_wide(xmlNode* node) noexcept nogil
cdef bint has_text(xmlNode* node) noexcept nogil
cdef bint space_at_an_end(xmlNode* node) noexcept nogil
cdef unicode start_of_text(xmlNode* node, Py_ssize_t limit)
cdef unicode whole_text(xmlNode* node)

ctypedef const unsigned char* Text


cdef struct Entry:
    Text text  # NULL for a free slot
    Py_ssize_t length
    int64_t cue
    int64_t mask
    uint8_t marks


# strings with their meanings, looked up as a whole
cdef class Table:
    cdef Entry* slots
    cdef uint32_t last_slot
    # of strings with these first two bytes (`start_of`): the lengths, bit 31 for 31 and more
    cdef uint32_t lengths[1024]
    cdef list kept

    cdef Entry* find(self, Text text, Py_ssize_t length, bint folded) noexcept nogil


# strings to find in a text
cdef class Pieces:
    cdef Entry pieces[32]
    cdef uint8_t starts[256]
    cdef int count
    cdef list kept

    cdef int64_t search(self, Text text, Py_ssize_t length, bint* unsure) noexcept nogil


cdef inline uint32_t start_of(Text text, Py_ssize_t length) noexcept nogil:
    """Return the first two bytes of a string as a number below 1024, regardless of case."""
    return ((text[0] & 31) << 5 | (text[1] & 31 if length > 1 else 0)) if length else 0


cdef inline unsigned char lower(unsigned char byte) noexcept nogil:
    """Return the lower case of an ASCII letter; other bytes unchanged."""
    return byte | 32 if 65 <= byte <= 90 else byte


cdef inline bint starts_with(const char* text, const char* letters) noexcept nogil:
    """Whether a text starts with these lower-case ASCII letters, in any case."""
    while letters[0] and lower(text[0]) == <unsigned char> letters[0]:
        text += 1
        letters += 1
    return not letters[0]


cdef inline const char* value_of(xmlAttr* one, bint* composed) noexcept nogil:
    """Return the value of an attribute; `composed` is set if it is not one string, which no HTML parser makes."""
    if one.children == NULL:
        return b""
    if one.children.next != NULL or one.children.type != tree.XML_TEXT_NODE:
        composed[0] = True
        return b""
    if one.children.content == NULL:
        return b""
    return <const char*> one.children.content


cdef inline xmlNode* text_from(xmlNode* node) noexcept nogil:
    """Return the first text node before any other node, in the way that lxml collects texts."""
    while node != NULL:
        if node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE:
            return node
        if node.type == tree.XML_XINCLUDE_START or node.type == tree.XML_XINCLUDE_END:
            node = node.next
        else:
            return NULL
    return NULL


cdef inline bint is_ascii_space(unsigned char character) noexcept nogil:
    """Whether an ASCII character is white space for Python's ``str``."""
    return character == 32 or 9 <= character <= 13 or 28 <= character <= 31


cdef inline const char* after_spaces(const char* at) noexcept nogil:
    while is_ascii_space(<unsigned char> at[0]):
        at += 1
    return at


cdef inline bint is_space(uint32_t character) noexcept nogil:
    if character < 128:
        return is_ascii_space(<unsigned char> character)
    return Py_UNICODE_ISSPACE(<Py_UCS4> character)


cdef inline uint32_t decode(const unsigned char** cursor) noexcept nogil:
    """Return the character at the cursor, which is valid UTF-8, and move on."""
    cdef const unsigned char* at = cursor[0]
    cdef uint32_t first = at[0]
    if first < 0x80:
        cursor[0] = at + 1
        return first
    if first < 0xE0:
        cursor[0] = at + 2
        return (first & 0x1F) << 6 | (at[1] & 0x3F)
    if first < 0xF0:
        cursor[0] = at + 3
        return (first & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
    cursor[0] = at + 4
    return (first & 0x07) << 18 | (at[1] & 0x3F) << 12 | (at[2] & 0x3F) << 6 | (at[3] & 0x3F)


cdef inline bint same(const char* left, const char* right) noexcept nogil:
    if left == NULL or right == NULL:
        return left == right
    return left == right or strcmp(left, right) == 0


cdef inline xmlAttr* attribute(xmlNode* node, const char* name) noexcept nogil:
    """Return an attribute without namespace, NULL if there is none."""
    cdef xmlAttr* one = node.properties
    while one != NULL and (
        one.ns != NULL or <char> one.name[0] != name[0] or strcmp(<const char*> one.name, name) != 0
    ):
        one = one.next
    return one


cdef inline bint has_word(const char* text, const char* word, const char* blanks) noexcept nogil:
    """Whether a word is in a text, delimited by these blanks or the ends of the text."""
    cdef size_t length = strlen(word)
    cdef const char* at = strstr(text, word) if length else NULL
    while at != NULL:
        # the 0 at its end is also in `blanks`
        if (at == text or strchr(blanks, (at - 1)[0]) != NULL) and strchr(blanks, at[length]) != NULL:
            return True
        at = strstr(at + 1, word)
    return False
