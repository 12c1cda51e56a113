# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The texts and tag paths of a page as stable hashes: the twin of `scrapy_tps.sites.fingerprints`, which says what they are."""

from cpython.array cimport array, clone
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort

from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport text_from
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk, text_at

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef uint32_t SPREAD = 0x9E3779B1
cdef uint32_t TIMES = 0x85EBCA6B
cdef uint32_t CRC[256]
cdef uint8_t LETTER[256]  # what is read of a byte of a text; 0: nothing
cdef array SIGNED = array("i")
cdef array UNSIGNED = array("I")


cdef void make_tables() noexcept:
    cdef uint32_t number, value
    cdef int bit
    for number in range(256):
        value = number
        for bit in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        CRC[number] = value
        if number >= 0x80 or c"0" <= number <= c"9" or c"a" <= number <= c"z":
            LETTER[number] = number
        elif c"A" <= number <= c"Z":
            LETTER[number] = number + 32
        else:
            LETTER[number] = 0


make_tables()


cdef inline uint32_t step(uint32_t crc, uint8_t byte) noexcept nogil:
    return CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)


cdef uint32_t text_hash(xmlNode* node) noexcept nogil:
    """CRC-32 of the letters and digits of a text."""
    cdef uint32_t crc = 0xFFFFFFFF
    cdef const unsigned char* cursor
    cdef uint8_t byte
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                byte = LETTER[cursor[0]]
                if byte:
                    crc = step(crc, byte)
                cursor += 1
        node = text_from(node.next)
    return crc ^ <uint32_t> 0xFFFFFFFF


cdef uint32_t own_hash(const char* tag, const char* classes) noexcept nogil:
    """The hash of one step of a tag path: that of its tag, and those of its classes, digits read as 0."""
    cdef uint32_t crc = 0xFFFFFFFF, found
    cdef uint8_t byte
    cdef const unsigned char* cursor = <const unsigned char*> tag
    while cursor[0]:
        crc = step(crc, cursor[0])
        cursor += 1
    found = crc ^ <uint32_t> 0xFFFFFFFF
    cursor = <const unsigned char*> classes
    if cursor == NULL:
        return found
    while cursor[0]:
        if is_blank(cursor[0]):
            cursor += 1
            continue
        crc = 0xFFFFFFFF
        while cursor[0] and not is_blank(cursor[0]):
            byte = cursor[0]
            crc = step(crc, c"0" if c"0" <= byte <= c"9" else byte)
            cursor += 1
        found += (crc ^ <uint32_t> 0xFFFFFFFF) * SPREAD
    return found


cdef inline bint is_blank(uint8_t byte) noexcept nogil:
    return byte == 0x20 or 9 <= byte <= 13


cdef int ascending(const void* one, const void* other) noexcept nogil:
    cdef uint32_t left = (<const uint32_t*> one)[0], right = (<const uint32_t*> other)[0]
    return (left > right) - (left < right)


cdef struct Pair:
    uint64_t key  # path and text; a text's hash is never 0
    uint32_t times


cdef inline Pair* slot_of(Pair* slots, uint32_t last, uint64_t key) noexcept nogil:
    cdef uint32_t slot = <uint32_t> ((key ^ (key >> 29)) * <uint64_t> 0x9E3779B97F4A7C15 >> 32) & last
    while slots[slot].key and slots[slot].key != key:
        slot = (slot + 1) & last
    return &slots[slot]


def page_texts(Walk walk not None):
    """Return places, sizes, texts, paths and pairs of the texts of a page, and its elements' tag paths, as arrays."""
    cdef int32_t index, count = 0, number, above
    cdef uint32_t room = 16, text
    cdef uint64_t key
    cdef uint32_t* paths_of
    cdef Pair* slots = NULL
    cdef Pair* slot
    walk.check_open()
    for index in range(walk.size):
        count += walk.kinds[index] != ELEMENT
    cdef array places = clone(SIGNED, count, False), lengths = clone(SIGNED, count, False)
    cdef array texts = clone(UNSIGNED, count, False)
    cdef array paths = clone(UNSIGNED, count, False), pairs = clone(UNSIGNED, count, False)
    cdef array elements = clone(UNSIGNED, walk.alphabet_size, False)
    while room < 2 * <uint32_t> count:
        room *= 2
    paths_of = <uint32_t*> malloc((walk.alphabet_size + 1) * sizeof(uint32_t))
    slots = <Pair*> calloc(room, sizeof(Pair))
    if paths_of == NULL or slots == NULL:
        free(paths_of)
        free(slots)
        raise MemoryError
    cdef int32_t* place_at = <int32_t*> places.data.as_ints
    cdef int32_t* length_at = <int32_t*> lengths.data.as_ints
    cdef uint32_t* text_at_ = <uint32_t*> texts.data.as_uints
    cdef uint32_t* path_at = <uint32_t*> paths.data.as_uints
    cdef uint32_t* pair_at = <uint32_t*> pairs.data.as_uints
    cdef uint32_t* element_at = <uint32_t*> elements.data.as_uints
    cdef int32_t element_count = 0, found = 0
    for number in range(walk.alphabet_size):
        above = walk.alphabet[number].above
        if walk.alphabet[number].tag == NULL:
            paths_of[number] = own_hash(b"#text", NULL)
        else:
            paths_of[number] = own_hash(walk.alphabet[number].tag, walk.alphabet[number].class_)
        if above >= 0:
            paths_of[number] += paths_of[above] * SPREAD
        if walk.alphabet[number].tag != NULL:
            element_at[element_count] = paths_of[number]
            element_count += 1
    for index in range(walk.size):
        if walk.kinds[index] == ELEMENT:
            continue
        text = text_hash(text_at(walk, index))
        if not text:
            continue
        place_at[found] = index
        length_at[found] = walk.chars[index]
        text_at_[found] = text
        path_at[found] = paths_of[walk.symbols[index]]
        key = <uint64_t> path_at[found] << 32 | text
        slot = slot_of(slots, room - 1, key)
        slot.key = key
        slot.times += 1
        found += 1
    for index in range(found):
        key = <uint64_t> path_at[index] << 32 | text_at_[index]
        slot = slot_of(slots, room - 1, key)
        pair_at[index] = path_at[index] * SPREAD ^ text_at_[index] ^ slot.times * TIMES
    free(paths_of)
    free(slots)
    qsort(element_at, element_count, sizeof(uint32_t), ascending)
    count = 0
    for index in range(element_count):
        if not count or element_at[count - 1] != element_at[index]:
            element_at[count] = element_at[index]
            count += 1
    return places[:found], lengths[:found], texts[:found], paths[:found], pairs[:found], elements[:count]


def common(array one not None, array other not None):
    """Return how many numbers two ascending arrays without repetitions share."""
    cdef Py_ssize_t left = 0, right = 0, lefts = len(one), rights = len(other), found = 0
    cdef const uint32_t* first = <const uint32_t*> one.data.as_uints
    cdef const uint32_t* second = <const uint32_t*> other.data.as_uints
    while left < lefts and right < rights:
        if first[left] == second[right]:
            found += 1
            left += 1
            right += 1
        elif first[left] < second[right]:
            left += 1
        else:
            right += 1
    return found


cdef bint holds(const uint32_t* numbers, Py_ssize_t count, uint32_t wanted) noexcept nogil:
    cdef Py_ssize_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < count and numbers[low] == wanted


def held_by(array numbers not None, list others not None, bint every):
    """Return a byte for each number, 1 where one of some ascending arrays, or every one, holds it."""
    cdef Py_ssize_t index, count = len(numbers), which, many = len(others)
    cdef bytearray found = bytearray(count)
    cdef array other
    cdef const uint32_t** starts = <const uint32_t**> malloc((many + 1) * sizeof(uint32_t*))
    cdef Py_ssize_t* sizes = <Py_ssize_t*> malloc((many + 1) * sizeof(Py_ssize_t))
    cdef const uint32_t* wanted = <const uint32_t*> numbers.data.as_uints
    cdef char* marks = found
    if starts == NULL or sizes == NULL:
        free(starts)
        free(sizes)
        raise MemoryError
    for which in range(many):
        other = others[which]
        starts[which] = <const uint32_t*> other.data.as_uints
        sizes[which] = len(other)
    for index in range(count):
        marks[index] = every
        for which in range(many):
            if holds(starts[which], sizes[which], wanted[index]) != every:
                marks[index] = not every
                break
    free(starts)
    free(sizes)
    return found
