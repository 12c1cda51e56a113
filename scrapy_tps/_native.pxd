# cython: language_level=3
"""The columns of a walk, for the extension modules that work on them (see `_native.pyx`)."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport strcmp

from lxml.includes.etreepublic cimport _Document, _Element
from lxml.includes.tree cimport xmlNode

from scrapy_tps._texts cimport is_ascii_space

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING

cdef enum:
    # has to be the number in `scrapy_tps.native`: a core left over from another version is not used; every
    # module of the core hands it out as REVISION, with the lxml it was compiled against as LXML_VERSION
    CORE_REVISION = 2

# whether the text that starts at a node is not empty; whether such a text starts or ends with white space; whether a
# script holds data
cdef bint has_text(xmlNode* node) noexcept nogil
cdef bint space_at_an_end(xmlNode* node) noexcept nogil
cdef bint is_data(xmlNode* node) except -1

cdef enum:
    ELEMENT = 0
    TEXT_OF = 1
    TAIL_OF = 2


cdef struct Symbol:
    int32_t above
    int32_t text  # the symbol of the texts below, -1 where there are none yet
    int32_t next  # the symbol of the element that came after the last one, -1 where there was none
    uint64_t hash
    const char* tag  # NULL: a text
    const char* class_  # UTF-8; NULL: no such attribute
    const char* style


cdef struct Script:
    int32_t above
    xmlNode* node


cdef struct Wide:
    int32_t index, count


cdef class Walk:
    cdef _Document document
    cdef _Element body
    # of each node; what they mean is said by `scrapy_tps.sequence.TagPathSequence`
    cdef xmlNode** nodes
    cdef int32_t* parent
    cdef int32_t* end
    cdef int32_t* symbols
    cdef int32_t* chars
    cdef uint8_t* kinds
    # of each symbol; parents come first
    cdef Symbol* alphabet
    cdef int32_t* slots
    cdef Script* scripts
    cdef Wide* wide
    cdef int32_t* path
    cdef readonly int32_t size, depth
    cdef int32_t room, alphabet_size, alphabet_room, slot_count, script_count, script_room, path_room
    cdef int32_t wide_count, wide_room
    cdef int32_t last  # the symbol of the last element
    cdef readonly bint closed

    cdef int walk(self, xmlNode* start) noexcept nogil
    cdef int enter(self, xmlNode* node, int32_t above, int32_t* index) noexcept nogil
    cdef int add_text(self, xmlNode* text, xmlNode* carrier, int32_t above, int kind) noexcept nogil
    cdef int add_wide(self, int32_t count) noexcept nogil
    cdef void add(self, xmlNode* node, int32_t above, int32_t symbol, int32_t chars, int kind) noexcept nogil
    cdef int reserve(self) noexcept nogil
    cdef int add_script(self, xmlNode* node, int32_t above) noexcept nogil
    cdef int32_t add_symbol(
        self, int32_t above, const char* tag, const char* class_, const char* style, uint64_t hash_
    ) noexcept nogil
    cdef int32_t intern(
        self, int32_t above, const char* tag, const char* class_, const char* style
    ) noexcept nogil
    cdef int rehash(self) noexcept nogil
    cdef list column(self, int32_t* values, int32_t size)
    cdef int check_open(self) except -1


cdef inline int grow(void** array, size_t room, size_t item) noexcept nogil:
    """Make room for so many items; -1: no memory."""
    cdef void* larger = realloc(array[0], room * item)
    if larger == NULL:
        return -1
    array[0] = larger
    return 0


cdef uint64_t key_hash(int32_t above, const char* tag, const char* class_, const char* style) noexcept nogil


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
