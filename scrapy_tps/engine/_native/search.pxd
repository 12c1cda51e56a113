# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.search`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Arrays, Counts, Ints, Numbers


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

    @cython.locals(
        symbols=Ints, offset=Counts, places=Counts, order=Counts, count=Counts, first=Counts, last=Counts, seen=Counts,
        place=int32_t, symbol=int32_t, total=int32_t, size=int32_t,
    )
    cdef _start(self, int32_t alphabet)

    @cython.locals(budget=int64_t, splits=list, kept_left=bint)
    cpdef list run(self, double size_ratio, int64_t visits_per_node)

    @cython.locals(
        low=int32_t, top=int32_t, size=int32_t, first=Counts, last=Counts, count=Counts, active=Counts, filtered=Counts,
        frequencies=Counts, listed=Counts, exclusive=bint, thresholds=int32_t, index=int32_t, frequency=int32_t,
        number=int32_t, threshold=int32_t, least=int32_t, kept=int32_t, symbol=int32_t, end=int32_t, before=int32_t,
        nodes=int32_t, left=int32_t, right=int32_t,
    )
    cdef bint _split(self, double size_ratio, int64_t budget) noexcept

    @cython.locals(
        order=Counts, last=Counts, count=Counts, offset=Counts, skipped=Counts, places=Counts, kept=int32_t,
        number=int32_t, symbol=int32_t,
    )
    cdef void _drop_right(self, int32_t position) noexcept

    @cython.locals(
        skipped=Counts, symbols=Ints, order=Counts, staying=Counts, moved=Counts, first=Counts, count=Counts,
        offset=Counts, places=Counts, place=int32_t, kept=int32_t, gone=int32_t, number=int32_t, symbol=int32_t,
        index=int32_t, other=int32_t,
    )
    cdef void _drop_left(self, int32_t position) noexcept

    @cython.locals(symbols=Ints, count=Counts, place=int32_t, symbol=int32_t)
    cdef void _take(self, int32_t start, int32_t end) noexcept
