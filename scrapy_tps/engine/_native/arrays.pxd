# cython: language_level=3
"""Numbers and masks of a page as C arrays, for the modules that use them (see `arrays.pyx`)."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

ctypedef const int32_t* Ints
ctypedef const int64_t* Longs
ctypedef const double* Doubles
ctypedef const uint8_t* Bytes
ctypedef int32_t* Counts
ctypedef double* Totals


cdef class Numbers:
    cdef Counts values


cdef class Amounts:
    cdef Totals values


# for each node, the set of the tag paths in its subtree (modulo 128)
cdef class TagSets:
    cdef uint64_t* bits
    cdef int32_t common(self, int32_t one, int32_t other) noexcept
    cdef int32_t both(self, int32_t one, int32_t other) noexcept
    cdef int32_t in_all(self, Numbers items, int32_t count) noexcept


cdef class Arrays:
    cpdef array column(self, values)
    cpdef array room(self, Py_ssize_t count, str kind)
    cdef Counts integers(self, array column) except? NULL
    cdef Longs longs(self, array column) except? NULL
    cdef Totals reals(self, array column) except? NULL
    cdef Numbers numbers(self, Py_ssize_t count, bint cleared=*)
    cdef Amounts amounts(self, Py_ssize_t count)
    cdef int fill(self, bytearray mask, Py_ssize_t start, Py_ssize_t end, int byte) except -1
    cdef int sort(self, Counts values, int32_t count) noexcept
    cdef Py_ssize_t first_from(self, places, int32_t start) except -1
    cdef Numbers pairs(
        self, Ints indexes, int32_t count, Longs cues, Ints tags, int64_t wanted, int weak
    )
    cdef TagSets tag_sets(self, Ints parent, Ints tags, int32_t size, bytearray alive)
    cdef bint are_similar(
        self, Ints tags, int32_t one, int32_t one_end, int32_t other, int32_t other_end, int32_t least_tags, double least
    ) noexcept


# pairs of a tag and cues, or of any two numbers, in order of appearance
cdef struct Pairs:
    int32_t* slots
    int32_t* tags
    int64_t* cues
    int32_t count, mask
    uint64_t tag_salt, cue_salt


cdef int start_pairs(Pairs* pairs, int32_t room) except -1
cdef void free_pairs(Pairs* pairs) noexcept nogil


cdef inline int32_t pair_number(Pairs* pairs, int32_t tag, int64_t cue) noexcept nogil:
    """Return the number of a pair, a new one if it has none."""
    cdef uint64_t hash_ = <uint64_t> (tag + 1) * pairs.tag_salt ^ <uint64_t> (cue + 1) * pairs.cue_salt
    cdef int32_t slot, number
    hash_ = (hash_ ^ hash_ >> 32) * <uint64_t> 0x9E3779B97F4A7C15
    slot = <int32_t> (hash_ >> 32) & pairs.mask
    while pairs.slots[slot]:
        number = pairs.slots[slot] - 1
        if pairs.tags[number] == tag and pairs.cues[number] == cue:
            return number
        slot = (slot + 1) & pairs.mask
    number = pairs.count
    pairs.tags[number], pairs.cues[number] = tag, cue
    pairs.count = pairs.slots[slot] = number + 1
    return number


# the bytes of a mask with a byte for each of so many nodes
cdef const uint8_t* mask_bytes(mask, Py_ssize_t size) except NULL
