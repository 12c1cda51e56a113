# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Metadata in the body, on libxml2's nodes: see ``scrapy_tps.engine.metadata``, which says what and why."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset, strcmp

from lxml.includes cimport etreepublic as cetree
from lxml.includes.etreepublic cimport import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk

import_lxml__etree()

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef enum:
    # what a tag is
    TITLE = 1
    META = 2
    LINK = 3
    BASE = 4
    KINDS = 7
    DRAWN = 8  # in a drawing

cdef enum:
    # what becomes of a node
    GOES = 0
    STAYS = 1
    OF_ITEM = 2
    MAY_BE_OF_ITEM = 3  # where it is in one

cdef enum:
    # of what an element stands in
    UNKNOWN = 0
    KEPT = 1
    GONE = 2


cdef int kind_of(const char* tag) noexcept nogil:
    if tag == NULL:
        return 0
    if tag[0] == c"t":
        return TITLE if strcmp(tag, b"title") == 0 else 0
    if tag[0] == c"m":
        return META if strcmp(tag, b"meta") == 0 else 0
    if tag[0] == c"l":
        return LINK if strcmp(tag, b"link") == 0 else 0
    return BASE if tag[0] == c"b" and strcmp(tag, b"base") == 0 else 0


cdef inline bint is_drawing(const char* tag) noexcept nogil:
    return tag != NULL and tag[0] == c"s" and strcmp(tag, b"svg") == 0


cdef xmlAttr* attribute(xmlNode* node, const char* name) noexcept nogil:
    cdef xmlAttr* one = node.properties
    while one != NULL and (one.ns != NULL or strcmp(<const char*> one.name, name) != 0):
        one = one.next
    return one


cdef int fate(xmlNode* node, int kind, is_resource) except -1:
    """What becomes of a ``meta`` or ``link``."""
    cdef xmlAttr* rel
    cdef bint named
    if kind == META:
        named = (
            attribute(node, b"name") != NULL
            or attribute(node, b"http-equiv") != NULL
            or attribute(node, b"charset") != NULL
        )
    else:
        rel = attribute(node, b"rel")
        value = None if rel == NULL else cetree.attributeValue(node, rel)
        named = bool(value)
        if named and is_resource(value):
            return OF_ITEM if attribute(node, b"itemprop") != NULL else GOES
    if named:
        return STAYS
    if attribute(node, b"itemprop") != NULL:
        return OF_ITEM
    return MAY_BE_OF_ITEM if attribute(node, b"property") != NULL else STAYS


cdef class Items:
    """The items of a page, each looked at once."""

    cdef Walk walk
    cdef int32_t* at  # the nearest item at or above an element, -1: none, -2: nobody has asked
    cdef int32_t* next_text  # from each node on
    cdef uint8_t* stays

    def __cinit__(self, Walk walk not None):
        cdef int32_t index
        self.walk = walk
        self.at = <int32_t*> malloc((walk.size + 1) * sizeof(int32_t))
        self.next_text = <int32_t*> malloc((walk.size + 1) * sizeof(int32_t))
        self.stays = <uint8_t*> calloc(walk.size + 1, 1)
        if self.at == NULL or self.next_text == NULL or self.stays == NULL:
            raise MemoryError
        self.next_text[walk.size] = walk.size
        for index in range(walk.size - 1, -1, -1):
            self.at[index] = -2
            self.next_text[index] = self.next_text[index + 1] if walk.kinds[index] == ELEMENT else index

    def __dealloc__(self):
        free(self.at)
        free(self.next_text)
        free(self.stays)

    cdef int32_t above(self, int32_t place) noexcept nogil:
        """The nearest item above a node, -1 where there is none."""
        cdef int32_t first = self.walk.parent[place]
        cdef int32_t above = first, found = -1
        while above >= 0:
            if self.at[above] != -2:
                found = self.at[above]
                break
            if (
                attribute(self.walk.nodes[above], b"itemscope") != NULL
                or attribute(self.walk.nodes[above], b"typeof") != NULL
            ):
                found = above
                break
            above = self.walk.parent[above]
        while first != above:
            self.at[first] = found
            first = self.walk.parent[first]
        if above >= 0:
            self.at[above] = found
        return found

    cdef inline int32_t around(self, int32_t place) noexcept nogil:
        cdef int32_t item = self.above(place)
        return self.walk.parent[place] if item < 0 else item

    cdef bint stays_with(self, int32_t place, const uint8_t* mask) noexcept nogil:
        """Whether a node stays with what it stands in."""
        cdef int32_t first = self.around(place)
        cdef int32_t box = first, last
        cdef uint8_t found
        while not self.stays[box] and box and (
            self.next_text[box] >= self.walk.end[box] or attribute(self.walk.nodes[box], b"itemprop") != NULL
        ):
            box = self.around(box)
        found = self.stays[box]
        if not found:
            found = KEPT if mask[box] else GONE
        last = box
        while first != last:
            self.stays[first] = found
            first = self.around(first)
        self.stays[last] = found
        return found == KEPT


def keep_metadata(Walk walk not None, mask, dropped, bint keep_head, is_resource, add_ancestors):
    """Keep metadata in `mask`; see `metadata.keep_metadata`.

    :param add_ancestors: called before items are looked at.
    """
    cdef uint8_t[::1] bytes_ = mask
    cdef const uint8_t[::1] gone = dropped
    cdef int32_t index, symbol, above
    cdef int kind, becomes
    cdef bint some = False
    cdef Items items = None
    cdef list of_items = []
    cdef list kept = []
    cdef uint8_t* kinds = NULL  # of each symbol
    walk.check_open()
    if bytes_.shape[0] != walk.size or (gone.shape[0] and gone.shape[0] != walk.size):
        raise ValueError("a byte for each node is needed")
    try:
        kinds = <uint8_t*> malloc(walk.alphabet_size + 1)
        if kinds == NULL:
            raise MemoryError
        for symbol in range(walk.alphabet_size):
            kind = kind_of(walk.alphabet[symbol].tag)
            kinds[symbol] = kind if keep_head or kind == BASE else 0
            some |= kinds[symbol] != 0
            # those above come first
            above = walk.alphabet[symbol].above
            if is_drawing(walk.alphabet[symbol].tag) or (above >= 0 and kinds[above] & DRAWN):
                kinds[symbol] |= DRAWN
        if not some:
            return
        for index in range(walk.size):
            kind = kinds[walk.symbols[index]] & KINDS
            if not kind or bytes_[index] or (gone.shape[0] and gone[index]):
                continue
            becomes = STAYS
            if kind == TITLE:
                becomes = GOES if kinds[walk.symbols[index]] & DRAWN else STAYS
            elif kind != BASE:
                becomes = fate(walk.nodes[index], kind, is_resource)
            if becomes == OF_ITEM or becomes == MAY_BE_OF_ITEM:
                if items is None:
                    items = Items(walk)
                if becomes == MAY_BE_OF_ITEM and items.above(index) <= 0:
                    becomes = STAYS
                else:
                    of_items.append(index)
            if becomes == STAYS:
                kept.append(index)
        if of_items:
            add_ancestors()
            kept += [index for index in of_items if items.stays_with(index, &bytes_[0])]
        for index in kept:
            memset(&bytes_[index], 1, walk.end[index] - index)
    finally:
        free(kinds)
