# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""What the rules that go by position alone must leave, on C columns: see ``scrapy_tps.strategies.kept``."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset, strcmp

from scrapy_tps._core cimport CORE_REVISION, LXML_VERSION_STRING
from scrapy_tps._walk cimport ELEMENT, Walk
from scrapy_tps._workspace cimport Columns

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


def protect_beside(
    Columns page not None,
    int32_t start,
    int32_t stop,
    tags not None,
    int64_t subheading,
    int32_t near,
    double links_worth,
):
    """Protect what belongs to the records [start, stop); see `kept.protect_beside_records`. Return whether there is any.

    :param tags: those of running text.
    """
    cdef Walk walk = page.walk
    cdef uint8_t* protected = page.safe()
    cdef const double* worths = page.worth_before
    cdef const double* texts = page.text_before
    cdef const double* proses = page.prose_before
    cdef int32_t inner, above, index, child, after, heading
    cdef bytearray of_texts, of_records
    cdef uint8_t* is_text
    cdef uint8_t* is_record
    cdef bint found = False
    if not page.within(start) < page.within(stop):
        raise IndexError("no such part of the sequence")
    inner = page.parent[start]
    if inner < 0:
        return False
    of_texts, of_records = symbols_of(walk, tags), bytearray(walk.alphabet_size)
    is_text = <uint8_t*> PyByteArray_AS_STRING(of_texts)
    is_record = <uint8_t*> PyByteArray_AS_STRING(of_records)
    index = start
    while index < stop:
        if page.tag[index] == page.tag[start]:
            is_record[walk.symbols[index]] = True
        index = page.end[index]
    child = inner + 1
    while child < page.end[inner]:
        after = page.end[child]
        if is_text[walk.symbols[child]] and proses[after] > proses[child]:
            memset(protected + child, 1, after - child)
            found = True
        child = after
    above = page.parent[inner]
    while above >= 0:
        heading = heading_of(page, inner, subheading, near)
        child = above + 1
        while child < page.end[above]:
            after = page.end[child]
            if child != inner and (
                holds(walk.symbols, is_record, child, after)
                or (
                    heading >= 0
                    and walk.symbols[child] == walk.symbols[inner]
                    and heading_of(page, child, subheading, near) == heading
                    and worths[after] - worths[child] > links_worth * (texts[after] - texts[child])
                )
            ):
                memset(protected + child, 1, after - child)
                found = True
            child = after
        inner = above
        above = page.parent[above]
    return found


cdef bint holds(const int32_t* symbols, const uint8_t* wanted, int32_t start, int32_t stop) noexcept nogil:
    cdef int32_t index
    for index in range(start, stop):
        if wanted[symbols[index]]:
            return True
    return False


cdef int32_t heading_of(Columns page, int32_t part, int64_t subheading, int32_t near) noexcept nogil:
    """The path of tags of the heading that a part starts with, or -1."""
    cdef int32_t node
    for node in range(part + 1, min(page.end[part], part + near)):
        if page.kinds[node] != ELEMENT:
            return -1
        if page.hint[node] & subheading:
            return page.tag[node]
    return -1


cdef bytearray symbols_of(Walk walk, tags):
    """Return a byte for each symbol, 1 where it is an element with one of these tags."""
    cdef bytearray found = bytearray(walk.alphabet_size)
    cdef uint8_t* of_symbol = <uint8_t*> PyByteArray_AS_STRING(found)
    cdef const char* tag
    cdef const char* own
    cdef int32_t symbol
    cdef str name
    cdef bytes encoded
    walk.check_open()
    for name in tags:
        encoded = name.encode()
        tag = encoded
        for symbol in range(walk.alphabet_size):
            own = walk.alphabet[symbol].tag
            if own != NULL and own[0] == tag[0] and own[1] == tag[1] and strcmp(own, tag) == 0:
                of_symbol[symbol] = True
    return found
