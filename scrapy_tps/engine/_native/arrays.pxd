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
    cdef Counts own  # NULL if the numbers are those of `held`
    cdef array held


cdef class Amounts:
    cdef Totals values


# for each node, the set of the tag paths in its subtree (modulo 128)
cdef class TagSets:
    cdef uint64_t* bits
    cdef int32_t common(self, int32_t one, int32_t other) noexcept
    cdef int32_t both(self, int32_t one, int32_t other) noexcept
    cdef int32_t in_all(self, Numbers items, int32_t count) noexcept


cdef class Arrays:
    cdef Counts integers(self, array column) except? NULL
    cdef Longs longs(self, array column) except? NULL
    cdef Totals reals(self, array column) except? NULL
    cdef Numbers numbers(self, Py_ssize_t count)
    cdef Numbers numbers_of(self, values)
    cdef Amounts amounts(self, Py_ssize_t count)
    cdef int fill(self, bytearray mask, Py_ssize_t start, Py_ssize_t end, int byte) except -1
    cdef int sort(self, Counts values, int32_t count) noexcept
    cdef Numbers pairs(
        self, Ints indexes, int32_t count, Longs cues, Ints tags, int64_t wanted, int weak
    )
    cdef TagSets tag_sets(self, Ints parent, Ints tags, int32_t size, bytearray alive)
    cdef bint are_similar(
        self, Ints tags, int32_t one, int32_t one_end, int32_t other, int32_t other_end, int32_t least_tags, double least
    ) noexcept


# the bytes of a mask with a byte for each of so many nodes
cdef const uint8_t* mask_bytes(mask, Py_ssize_t size) except NULL
