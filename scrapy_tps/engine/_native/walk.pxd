# cython: language_level=3
"""The columns of a walk, for the modules that use them (see `walk.pyx`)."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Document, _Element
from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.texts cimport text_from

cdef enum:
    ELEMENT = 0
    TEXT_OF = 1
    TAIL_OF = 2


cdef struct Symbol:
    int32_t above
    int32_t text  # the symbol of the texts below, -1 if there are none yet
    int32_t next  # the symbol of the element after the last one, -1 if there was none
    uint64_t hash, class_hash, style_hash
    const char* tag  # NULL for a text
    const char* class_  # UTF-8; NULL if there is no such attribute
    const char* style


cdef struct Script:
    int32_t above
    xmlNode* node
    uint8_t data  # 1 if it holds data, 2 if not, 0 if not yet known


cdef struct Wide:
    int32_t index, count


cdef enum:
    OF_CUES = 1  # `id`, `role`, `rel`, `hidden`, `aria-*`
    LABELLING = 2  # `itemprop`, `itemref`, `itemtype`, `property`, `datetime`, `rel`


cdef struct Telling:
    int32_t index
    int says


cdef class Walk:
    cdef _Document document
    cdef _Element body
    cdef list owned  # what keeps the pointers valid in a tree that changes
    # for each node; `scrapy_tps.engine.sequence.columns.TagPathSequence` documents them
    cdef xmlNode** nodes
    cdef int32_t* parent
    cdef int32_t* end
    cdef int32_t* symbols
    cdef int32_t* chars
    cdef uint8_t* kinds
    # for each symbol; parents come first
    cdef Symbol* alphabet
    cdef int32_t* slots
    cdef Script* scripts
    cdef Wide* wide
    cdef Telling* telling  # elements that may have relevant attributes other than class and style
    cdef const char* class_name  # as stored by the parser for this page: compared by pointer first
    cdef const char* style_name
    cdef int32_t* path
    cdef readonly int32_t size, depth
    cdef int32_t room, alphabet_size, alphabet_room, slot_count, script_count, script_room, path_room
    cdef int32_t wide_count, wide_room, telling_count, telling_room
    cdef int32_t last  # the symbol of the last element
    # for each symbol, including texts, the number of its tag, and for each number its tag; NULL until needed
    cdef int32_t* tag_of
    cdef const char** tags
    cdef int32_t tag_count
    # the nodes sorted by tag, and the start of each tag's nodes
    cdef int32_t* by_tag
    cdef int32_t* tag_start
    cdef readonly bint closed

    cdef int walk(self, xmlNode* start) except -1 nogil
    cdef int enter(self, xmlNode* node, int32_t above, int32_t* index) except -1 nogil
    cdef int add_text(self, xmlNode* text, xmlNode* carrier, int32_t above, int kind) except -1 nogil
    cdef int add_wide(self, int32_t count) except -1 nogil
    cdef int add_telling(self, int32_t index, int says) except -1 nogil
    cdef int read_attributes(
        self, xmlNode* node, const char** class_, const char** style, int* says
    ) noexcept nogil
    cdef void add(self, xmlNode* node, int32_t above, int32_t symbol, int32_t chars, int kind) noexcept nogil
    cdef int reserve(self) except -1 nogil
    cdef int add_script(self, xmlNode* node, int32_t above) except -1 nogil
    cdef int32_t add_symbol(
        self, int32_t above, const char* tag, const char* class_, const char* style, uint64_t hash_
    ) except -1 nogil
    cdef int32_t intern(
        self, int32_t above, const char* tag, const char* class_, const char* style
    ) except -1 nogil
    cdef int rehash(self) except -1 nogil
    cdef int number_tags(self) except -1
    cdef int sort_by_tag(self) except -1
    cdef int32_t tag_number(self, const char* tag, int32_t* by_name, int32_t room) noexcept nogil
    cdef int check_open(self) except -1
    cdef const char* own(self, const char* text) except? NULL


# whether a script holds data rather than code; the result for a script in a walk, computed once
cdef bint is_data(xmlNode* node) except -1
cdef bint holds_data(Script* script) except -1


cdef inline bint is_element(xmlNode* node) noexcept nogil:
    """Whether lxml has an element for a node. Its own macro, which reads the type four times, costs a walk 4 %."""
    return (
        node.type == tree.XML_ELEMENT_NODE
        or node.type == tree.XML_COMMENT_NODE
        or node.type == tree.XML_ENTITY_REF_NODE
        or node.type == tree.XML_PI_NODE
    )


cdef inline xmlNode* element_from(xmlNode* node) noexcept nogil:
    """Return the first node from here on for which lxml has an element: also a comment, for example."""
    while node != NULL and not is_element(node):
        node = node.next
    return node


cdef inline xmlNode* text_at(Walk walk, int32_t index) noexcept nogil:
    """Return the first of the text nodes that a text of the sequence stands for."""
    cdef xmlNode* node = walk.nodes[index]
    return text_from(node.children if walk.kinds[index] == TEXT_OF else node.next)


cdef enum:
    # kinds of hashed texts
    OF_CLASS = 0  # or of an id
    OF_STYLE = 1

# a hash that stands for a text, unless two in 2 ** 64 share it
cpdef uint64_t text_hash(const char* text, uint64_t seed) noexcept nogil
