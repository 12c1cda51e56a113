# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The columns of a page from those of a walk.

Results are those of `scrapy_tps.engine.strategies.auto.page`, bit for bit; that module says what and why, and its
constants are handed over.
"""

from cpython.array cimport array, clone
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, strcmp, strstr

from scrapy_tps.engine._native.columns cimport Columns
from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport attribute
from scrapy_tps.engine._native.walk cimport ELEMENT, Symbol, Walk, key_hash

LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef array INTEGERS = array("i")


def columns(Walk walk not None, array hints not None, tuple weights not None):
    """Return the columns of a walk; `hints` is an ``array("q")``."""
    cdef int32_t size = walk.size, alphabet = walk.alphabet_size, count = 0, index, above
    cdef array parents = copied(walk.parent, size), ends = copied(walk.end, size)
    cdef array symbols = copied(walk.symbols, size), chars = copied(walk.chars, size)
    cdef array tags = clone(INTEGERS, size, False)
    cdef bytearray link_mask = bytearray(size), text_mask = bytearray(size)
    cdef uint8_t* linked = <uint8_t*> PyByteArray_AS_STRING(link_mask)
    cdef uint8_t* text = <uint8_t*> PyByteArray_AS_STRING(text_mask)
    cdef uint8_t* is_link = <uint8_t*> calloc(alphabet + 1, 1)
    cdef uint8_t* is_button = <uint8_t*> calloc(alphabet + 1, 1)
    cdef uint8_t* linked_of = <uint8_t*> malloc(alphabet + 1)
    cdef Columns made
    try:
        if is_link == NULL or is_button == NULL or linked_of == NULL:
            raise MemoryError
        count = number_tags(walk, <int32_t*> tags.data.as_ints, is_link, is_button)
        for index in range(alphabet):
            above = walk.alphabet[index].above
            linked_of[index] = is_link[index] or (above >= 0 and linked_of[above])
        for index in range(walk.wide_count):
            chars.data.as_ints[walk.wide[index].index] += walk.wide[index].count
        for index in range(size):
            linked[index] = linked_of[walk.symbols[index]]
            text[index] = walk.kinds[index] != ELEMENT
        made = Columns(parents, ends, symbols, tags, count, hints, chars, link_mask, text_mask, weights)
        made.walk = walk
        made.kinds = walk.kinds
        made.is_link, is_link = is_link, NULL
        made.is_button, is_button = is_button, NULL
        return made
    finally:
        free(is_link)
        free(is_button)
        free(linked_of)


def of_class(Columns page not None, int64_t wanted, bytes part not None):
    """Return the nodes with one of these hints whose class attribute has a part, in document order."""
    cdef Walk walk = page.walk
    cdef int32_t number, index
    cdef const char* class_
    cdef list found = []
    walk.check_open()
    for number in range(page.hinted_count):
        index = page.hinted[number]
        if page.hints[index] & wanted:
            class_ = walk.alphabet[walk.symbols[index]].class_
            if class_ != NULL and strstr(class_, part) != NULL:
                found.append(index)
    return found


def headed_parts(Columns page not None, int64_t headings, int64_t marks):
    """Return the nodes with an ``id`` and one of the marks that start with a heading, or an empty element and one."""
    cdef Walk walk = page.walk
    cdef int32_t number, heading, index
    cdef list found = []
    walk.check_open()
    for number in range(page.hinted_count):
        heading = page.hinted[number]
        index = page.parent[heading]
        if (
            page.hints[heading] & headings
            and index >= 0
            and page.hints[index] & marks
            and (heading == index + 1 or (page.end[index + 1] == heading == index + 2))
            and attribute(walk.nodes[index], b"id") != NULL
        ):
            found.append(index)
    return found


cdef array copied(const int32_t* column, int32_t size):
    cdef array made = clone(INTEGERS, size, False)
    memcpy(made.data.as_ints, column, size * sizeof(int32_t))
    return made


cdef int32_t number_tags(Walk walk, int32_t* tags, uint8_t* is_link, uint8_t* is_button) except -1:
    """Number the paths of tags, return how many there are; see `scrapy_tps.engine.hints.reading.tag_symbols`."""
    cdef int32_t alphabet = walk.alphabet_size, slots = 16, symbol, above, slot, number, index, count = 0
    cdef const char* tag
    cdef int32_t* slot_of
    cdef int32_t* of_symbol
    cdef int32_t* sample  # of each number: the first symbol that has it
    cdef uint64_t* hashes
    walk.check_open()
    while slots < 2 * alphabet:
        slots *= 2
    slot_of = <int32_t*> calloc(slots, sizeof(int32_t))
    of_symbol = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    sample = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    hashes = <uint64_t*> malloc((alphabet + 1) * sizeof(uint64_t))
    try:
        if slot_of == NULL or of_symbol == NULL or sample == NULL or hashes == NULL:
            raise MemoryError
        for symbol in range(alphabet):
            tag = tag_of(&walk.alphabet[symbol])
            above = walk.alphabet[symbol].above
            if above >= 0:
                above = of_symbol[above]
            hashes[count] = key_hash(above, tag, NULL, NULL)
            slot = <int32_t> (hashes[count] & <uint64_t> (slots - 1))
            while slot_of[slot]:
                number = slot_of[slot] - 1
                if (
                    hashes[number] == hashes[count]
                    and above == number_above(walk, of_symbol, sample[number])
                    and strcmp(tag, tag_of(&walk.alphabet[sample[number]])) == 0
                ):
                    break
                slot = (slot + 1) & (slots - 1)
            else:
                number = count
                sample[number] = symbol
                slot_of[slot] = number + 1
                count += 1
            of_symbol[symbol] = number
            is_link[symbol] = tag[0] == c"a" and tag[1] == 0
            is_button[symbol] = tag[0] == c"b" and strcmp(tag, b"button") == 0
        for index in range(walk.size):
            tags[index] = of_symbol[walk.symbols[index]]
    finally:
        free(slot_of)
        free(of_symbol)
        free(sample)
        free(hashes)
    return count


cdef inline const char* tag_of(const Symbol* symbol) noexcept nogil:
    if symbol.tag == NULL:
        return b"#text"
    return symbol.tag


cdef inline int32_t number_above(Walk walk, const int32_t* of_symbol, int32_t symbol) noexcept nogil:
    cdef int32_t above = walk.alphabet[symbol].above
    return of_symbol[above] if above >= 0 else -1
