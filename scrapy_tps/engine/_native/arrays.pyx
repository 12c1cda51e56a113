# cython: language_level=3
"""Numbers and masks of a page as C arrays; `scrapy_tps.engine.arrays` has the same in Python, and documents it.

Nothing here needs libxml2.
"""

import os

from cpython.array cimport array, clone
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memset

from scrapy_tps.engine._native.core cimport CORE_REVISION, bit_count

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef array INTEGERS = array("i")
cdef array REALS = array("d")

# secret to the process: no page can aim at a slot
cdef uint64_t SALT_OF_TAGS = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t SALT_OF_CUES = int.from_bytes(os.urandom(8), "little") | 1


cdef const uint8_t* mask_bytes(mask, Py_ssize_t size) except NULL:
    if len(mask) != size:
        raise ValueError("a mask has a byte for each node")
    if type(mask) is bytes:
        return <const uint8_t*> PyBytes_AS_STRING(mask)
    if type(mask) is bytearray:
        return <const uint8_t*> PyByteArray_AS_STRING(mask)
    raise TypeError("a mask is bytes or a bytearray")


cdef int start_pairs(Pairs* pairs, int32_t room) except -1:
    """Make a table that numbers up to `room` pairs of a tag and cues in order of appearance."""
    cdef int32_t slots = 16
    while 2 * slots < 3 * room:  # most pairs occur more than once
        slots *= 2
    pairs.count, pairs.mask = 0, slots - 1
    pairs.tag_salt, pairs.cue_salt = SALT_OF_TAGS, SALT_OF_CUES
    pairs.slots = <int32_t*> calloc(slots, sizeof(int32_t))
    pairs.tags = <int32_t*> malloc((room + 1) * sizeof(int32_t))
    pairs.cues = <int64_t*> malloc((room + 1) * sizeof(int64_t))
    if pairs.slots == NULL or pairs.tags == NULL or pairs.cues == NULL:
        free_pairs(pairs)
        raise MemoryError
    return 0


cdef void free_pairs(Pairs* pairs) noexcept nogil:
    free(pairs.slots)
    free(pairs.tags)
    free(pairs.cues)


cdef class Numbers:
    """Numbers, for which `Arrays` makes room."""

    def __dealloc__(self):
        free(self.values)


cdef class Amounts:
    """Numbers with fractions, for which `Arrays` makes room."""

    def __dealloc__(self):
        free(self.values)


cdef class TagSets:
    def __dealloc__(self):
        free(self.bits)

    cdef int32_t common(self, int32_t one, int32_t other) noexcept:
        cdef const uint64_t* left = self.bits + 2 * one
        cdef const uint64_t* right = self.bits + 2 * other
        return bit_count(left[0] & right[0]) + bit_count(left[1] & right[1])

    cdef int32_t both(self, int32_t one, int32_t other) noexcept:
        cdef const uint64_t* left = self.bits + 2 * one
        cdef const uint64_t* right = self.bits + 2 * other
        return bit_count(left[0] | right[0]) + bit_count(left[1] | right[1])

    cdef int32_t in_all(self, Numbers items, int32_t count) noexcept:
        cdef uint64_t low = 0, high = 0
        for number in range(count):
            low |= self.bits[2 * items.values[number]]
            high |= self.bits[2 * items.values[number] + 1]
        return bit_count(low) + bit_count(high)


cdef class Arrays:
    cpdef array column(self, values):
        """Return an array of 32-bit numbers: this one, if it is one."""
        return values if type(values) is array else array("i", values)

    cpdef array room(self, Py_ssize_t count, str kind):
        cdef array made = clone(REALS if kind == "d" else INTEGERS, count, False)
        if count:
            memset(made.data.as_chars, 0, min(count * made.ob_descr.itemsize, 8))
        return made

    cdef Counts integers(self, array column) except? NULL:
        if column.ob_descr.typecode != c"i":
            raise ValueError("a column is an array of 32-bit numbers")
        return <Counts> column.data.as_ints

    cdef Longs longs(self, array column) except? NULL:
        if column.ob_descr.typecode != c"q":
            raise ValueError("cues are an array of 64-bit numbers")
        return <Longs> column.data.as_longlongs

    cdef Totals reals(self, array column) except? NULL:
        if column.ob_descr.typecode != c"d":
            raise ValueError("sums are an array of numbers with fractions")
        return column.data.as_doubles

    cdef Numbers numbers(self, Py_ssize_t count, bint cleared=True):
        cdef Numbers made = Numbers.__new__(Numbers)
        made.values = <int32_t*> (
            calloc(count + 1, sizeof(int32_t)) if cleared else malloc((count + 1) * sizeof(int32_t))
        )
        if made.values == NULL:
            raise MemoryError
        return made

    cdef Amounts amounts(self, Py_ssize_t count):
        cdef Amounts made = Amounts.__new__(Amounts)
        made.values = <double*> calloc(count + 1, sizeof(double))
        if made.values == NULL:
            raise MemoryError
        return made

    cdef int fill(self, bytearray mask, Py_ssize_t start, Py_ssize_t end, int byte) except -1:
        """See the twin in Python, whose slices would cost 1,500 instructions."""
        if not 0 <= start <= end <= len(mask):
            raise IndexError("no such nodes in the sequence")
        memset(PyByteArray_AS_STRING(mask) + start, byte, end - start)
        return 0

    cdef int sort(self, Counts values, int32_t count) noexcept:
        qsort(values, count, sizeof(int32_t), compare)
        return 0

    cdef Py_ssize_t first_from(self, places, int32_t start) except -1:
        """See the twin in Python; `places` is a column, or a list of numbers."""
        cdef Py_ssize_t low = 0, high = len(places), middle
        cdef Ints column = NULL if type(places) is list else self.integers(places)
        cdef int32_t place
        while low < high:
            middle = (low + high) >> 1
            place = (<list> places)[middle] if column == NULL else column[middle]
            if place < start:
                low = middle + 1
            else:
                high = middle
        return low

    cdef Numbers pairs(self, Ints indexes, int32_t count, Longs cues, Ints tags, int64_t wanted, int weak):
        cdef Numbers found = self.numbers(count, False)
        cdef Pairs pairs
        start_pairs(&pairs, count)
        for number in range(count):
            index = indexes[number]
            cue = (cues[index] | cues[index] >> weak) & wanted
            found.values[number] = pair_number(&pairs, tags[index], cue) if cue else -1
        free_pairs(&pairs)
        return found

    cdef TagSets tag_sets(self, Ints parent, Ints tags, int32_t size, bytearray alive):
        cdef const uint8_t* present = mask_bytes(alive, size)
        cdef TagSets sets = TagSets.__new__(TagSets)
        cdef uint64_t* bits = <uint64_t*> malloc((2 * <size_t> size + 2) * sizeof(uint64_t))
        cdef uint64_t* above
        if bits == NULL:
            raise MemoryError
        sets.bits = bits
        for index in range(size):
            if present[index]:
                bits[2 * index] = bits[2 * index + 1] = 0
                bits[2 * index + (tags[index] >> 6 & 1)] = <uint64_t> 1 << (tags[index] & 63)
        for index in range(size - 1, 0, -1):
            if present[index]:
                above = bits + 2 * parent[index]
                above[0] |= bits[2 * index]
                above[1] |= bits[2 * index + 1]
        return sets

    cdef bint are_similar(
        self, Ints tags, int32_t one, int32_t one_end, int32_t other, int32_t other_end, int32_t least_tags, double least
    ) noexcept:
        cdef uint64_t of_one[2]
        cdef uint64_t of_other[2]
        fill_bits(tags, one, one_end, of_one)
        if bit_count(of_one[0]) + bit_count(of_one[1]) < least_tags:
            return False
        fill_bits(tags, other, other_end, of_other)
        common = bit_count(of_one[0] & of_other[0]) + bit_count(of_one[1] & of_other[1])
        both = bit_count(of_one[0] | of_other[0]) + bit_count(of_one[1] | of_other[1])
        return common >= least * both


cdef void fill_bits(Ints tags, int32_t index, int32_t stop, uint64_t* bits) noexcept:
    """Collect the tag paths of nodes, modulo 128, as bits."""
    bits[0] = bits[1] = 0
    while index < stop:
        tag = tags[index] & 127
        bits[tag >> 6] |= <uint64_t> 1 << (tag & 63)
        index += 1


cdef int compare(const void* left, const void* right) noexcept nogil:
    return (<int32_t*> left)[0] - (<int32_t*> right)[0]
