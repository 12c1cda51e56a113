# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.search`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Arrays, Ints, Numbers


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


cdef class RegionSearch:
    cdef Arrays arrays
    cdef object column
    cdef Ints symbols
    cdef readonly int32_t low, high
    cdef int32_t once, least, order_size, part, position, threshold, left, right
    cdef int64_t visits
    cdef Numbers offsets, places, skipped, counts, firsts, lasts, order, active, moved, listed

    cdef _start(self, int32_t alphabet)

    @cython.locals(kept_left=bint)
    cpdef list run(self, double size_ratio, int64_t visits_per_node)

    @cython.locals(exclusive=bint, least=int32_t)
    cdef bint _split(self, double size_ratio, int64_t budget) noexcept
    cdef void _drop_right(self, int32_t position) noexcept
    cdef void _drop_left(self, int32_t position) noexcept
    cdef void _take(self, int32_t start, int32_t end) noexcept
