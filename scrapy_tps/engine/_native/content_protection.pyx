# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""What the rules that go by position alone must leave, on C columns: see ``scrapy_tps.engine.strategies.auto.protect.beside_records``."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset, strcmp

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk
from scrapy_tps.engine._native.columns cimport Columns

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


cdef enum:
    MOST_MAKES = 8


cdef struct Makes:
    # the symbols of records that items without a class are compared with, a bit for each record
    uint8_t* of_symbol
    int32_t* seen  # the last item in which a symbol was seen
    int32_t size[MOST_MAKES]
    int32_t count
    double share


def beside_records(
    Columns page not None,
    int32_t start,
    int32_t stop,
    tags not None,
    lists not None,
    int64_t subheading,
    int32_t near,
    double line,
    double links_worth,
    double list_worth,
    int32_t compared,
    double same_make,
):
    """Return the nodes that belong to the records [start, stop); see the rule `beside_records`.

    :param tags: those of running text.
    :param lists: those of lists.
    """
    cdef Walk walk = page.walk
    cdef const double* texts = page.text_before
    cdef const double* proses = page.prose_before
    cdef int32_t above, records, index, child, after, heading, own
    cdef bytearray of_texts, of_lists, of_records, of_makes
    cdef uint8_t* is_text
    cdef uint8_t* is_list
    cdef uint8_t* is_record
    cdef Makes makes
    cdef list found = []
    if not page.within(start) < page.within(stop):
        raise IndexError("no such part of the sequence")
    if compared > MOST_MAKES:
        raise ValueError("records are compared by the bits of a byte")
    above = page.parent[start]
    if above < 0:
        return found
    of_texts, of_lists = symbols_of(walk, tags), symbols_of(walk, lists)
    of_records, of_makes = bytearray(walk.alphabet_size), bytearray(walk.alphabet_size)
    is_text = <uint8_t*> PyByteArray_AS_STRING(of_texts)
    is_list = <uint8_t*> PyByteArray_AS_STRING(of_lists)
    is_record = <uint8_t*> PyByteArray_AS_STRING(of_records)
    makes.of_symbol = <uint8_t*> PyByteArray_AS_STRING(of_makes)
    makes.count, makes.share = 0, same_make
    makes.seen = <int32_t*> malloc((walk.alphabet_size + 1) * sizeof(int32_t))
    if makes.seen == NULL:
        raise MemoryError
    try:
        memset(makes.seen, 0xFF, (walk.alphabet_size + 1) * sizeof(int32_t))
        index = start
        while index < stop:
            if page.tags[index] == page.tags[start]:
                is_record[walk.symbols[index]] = True
                if makes.count < compared:
                    add_make(walk, &makes, index, page.end[index])
            index = page.end[index]
        child = above + 1
        while child < page.end[above]:
            after = page.end[child]
            index = walk.symbols[child]
            if (is_text[index] and proses[after] > proses[child]) or (
                is_list[index] and worth_per_character(page, child) > list_worth
            ):
                found.append(child)
            child = after
        records = start
        while above >= 0:
            heading = heading_of(page, records, subheading, near)
            child = above + 1
            while child < page.end[above]:
                after = page.end[child]
                own = heading_of(page, child, subheading, near)
                if child < records and own >= 0 and texts[after] - texts[child] <= line:
                    found.append(own)
                if records != start and child != records and (
                    holds_items(page, is_record, &makes, child, after, compared)
                    or (
                        heading >= 0
                        and walk.symbols[child] == walk.symbols[records]
                        and own >= 0
                        and page.tags[own] == page.tags[heading]
                        and worth_per_character(page, child) > links_worth
                    )
                ):
                    found.append(child)
                child = after
            records = above
            above = page.parent[above]
    finally:
        free(makes.seen)
    return found


cdef void add_make(Walk walk, Makes* makes, int32_t start, int32_t stop) noexcept:
    cdef int32_t index, symbol
    cdef uint8_t bit = <uint8_t> (1 << makes.count)
    makes.size[makes.count] = 0
    for index in range(start, stop):
        symbol = walk.symbols[index]
        if not makes.of_symbol[symbol] & bit:
            makes.of_symbol[symbol] |= bit
            makes.size[makes.count] += 1
    makes.count += 1


cdef bint holds_items(
    Columns page, const uint8_t* wanted, Makes* makes, int32_t start, int32_t stop, int32_t compared
) noexcept:
    """Whether there are items like the records in [start, stop), among the first few that may be."""
    cdef Walk walk = page.walk
    cdef const char* class_
    cdef int32_t index = start, tried = 0
    while tried < compared:
        while index < stop and not wanted[walk.symbols[index]]:
            index += 1
        if index >= stop:
            return False
        class_ = walk.alphabet[walk.symbols[index]].class_
        if class_ != NULL and class_[0]:
            return True
        if is_like_a_make(page, makes, index, page.end[index]):
            return True
        index = page.end[index]
        tried += 1
    return False


cdef bint is_like_a_make(Columns page, Makes* makes, int32_t start, int32_t stop) noexcept:
    """Whether the symbols of [start, stop) and of one of the makes overlap by the share."""
    cdef Walk walk = page.walk
    cdef int32_t common[MOST_MAKES]
    cdef int32_t index, symbol, number, own = 0
    for number in range(makes.count):
        common[number] = 0
    for index in range(start, stop):
        symbol = walk.symbols[index]
        if makes.seen[symbol] != start:
            makes.seen[symbol] = start
            own += 1
            for number in range(makes.count):
                common[number] += makes.of_symbol[symbol] >> number & 1
    for number in range(makes.count):
        if common[number] >= makes.share * (own + makes.size[number] - common[number]):
            return True
    return False


cdef inline double worth_per_character(Columns page, int32_t part) noexcept nogil:
    cdef int32_t stop = page.end[part]
    cdef double text = page.text_before[stop] - page.text_before[part]
    return (page.worth_before[stop] - page.worth_before[part]) / text if text != 0 else 0.0


cdef int32_t heading_of(Columns page, int32_t part, int64_t subheading, int32_t near) noexcept nogil:
    """The heading that a part starts with, or -1."""
    cdef int32_t node
    for node in range(part + 1, min(page.end[part], part + near)):
        if page.kinds[node] != ELEMENT:
            return -1
        if page.hints[node] & subheading:
            return node
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
