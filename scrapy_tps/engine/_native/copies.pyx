# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Texts that may be copies of each other, found without reading them in Python.

Results are those of ``scrapy_tps.engine.strategies.auto.remove.copies``, bit for bit; that module says what and why.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort

from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport decode, is_space, text_from
from scrapy_tps.engine._native.walk cimport TEXT_OF, Walk
from scrapy_tps.engine._native.columns cimport Columns

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


cdef struct Text:
    int32_t size, place
    uint64_t start


def long_texts_alike(Columns page not None, int32_t least, int32_t start, int32_t most):
    """Return the living texts of at least `least` characters that have size and start in common with another.

    Those that have it in common with more than `most` are left out; `start` is in characters, white space not counted.
    """
    cdef const uint8_t* alive = page.living()
    cdef Walk walk = page.walk
    cdef Text* texts = <Text*> malloc((page.size + 1) * sizeof(Text))
    cdef int32_t index, count = 0, low = 0, high
    cdef xmlNode* node
    cdef list found = []
    if texts == NULL:
        raise MemoryError
    try:
        if walk.closed:
            raise RuntimeError("the tree has been cut: its sequence holds no nodes any more")
        for index in range(page.size):
            if alive[index] and page.text_length[index] >= least:
                texts[count].size = page.text_length[index]
                texts[count].place = index
                texts[count].start = 0
                count += 1
        qsort(texts, count, sizeof(Text), by_size_and_start)
        for index in range(count):
            if (index and texts[index - 1].size == texts[index].size) or (
                index + 1 < count and texts[index + 1].size == texts[index].size
            ):
                node = walk.nodes[texts[index].place]
                node = node.children if page.kinds[texts[index].place] == TEXT_OF else node.next
                texts[index].start = start_of(node, start)
        qsort(texts, count, sizeof(Text), by_size_and_start)
        while low < count:
            high = low + 1
            while high < count and by_size_and_start(&texts[low], &texts[high]) == 0:
                high += 1
            if 1 < high - low <= most:
                for index in range(low, high):
                    found.append(texts[index].place)
            low = high
    finally:
        free(texts)
    found.sort()
    return found


cdef int by_size_and_start(const void* one, const void* other) noexcept nogil:
    cdef const Text* left = <const Text*> one
    cdef const Text* right = <const Text*> other
    if left.size != right.size:
        return -1 if left.size < right.size else 1
    return (left.start > right.start) - (left.start < right.start)


cdef uint64_t start_of(xmlNode* node, int32_t left) noexcept nogil:
    """A number made of the first characters of a text that are no white space (FNV-1a)."""
    cdef const unsigned char* cursor
    cdef uint32_t character
    cdef uint64_t number = <uint64_t> 0xCBF29CE484222325
    node = text_from(node)
    while node != NULL and left:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0] and left:
                character = decode(&cursor)
                if not is_space(character):
                    number = (number ^ character) * <uint64_t> 0x100000001B3
                    left -= 1
        node = text_from(node.next)
    return number
