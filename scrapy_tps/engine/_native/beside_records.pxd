# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.beside_records`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.columns cimport Bytes, Columns, Counts, Doubles, Ints, Longs, Numbers


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # of what it was compiled from; see `scrapy_tps.engine.core`


@cython.locals(
    end=Ints, proses=Doubles, found=list, child=int32_t, stop=int32_t, prose=bint, rich=bint,
)
cpdef list texts_beside(Columns page, int32_t above, double list_worth)


cdef class Beside:
    cdef Columns page
    cdef int32_t start, near, compared, made
    cdef int64_t subheading
    cdef double line, links_worth, same_make
    cdef Numbers is_record, makes, seen, sizes, common

    @cython.locals(
        page=Columns, parent=Ints, end=Ints, tags=Ints, symbols=Ints, texts=Doubles, found=list, records=int32_t,
        above=int32_t, heading=int32_t, innermost=bint, child=int32_t, stop=int32_t, after=int32_t, own=int32_t,
    )
    cpdef list parts(self)

    @cython.locals(
        end=Ints, tags=Ints, symbols=Ints, is_record=Counts, makes=Counts, sizes=Counts, index=int32_t, bit=int32_t,
        node=int32_t, symbol=int32_t,
    )
    cdef void _read_records(self, int32_t start, int32_t stop) noexcept

    @cython.locals(page=Columns, is_record=Counts, end=Ints, symbols=Ints, tried=int32_t, index=int32_t)
    cdef bint _holds_items(self, int32_t start, int32_t stop) except -1

    @cython.locals(
        symbols=Ints, makes=Counts, seen=Counts, sizes=Counts, common=Counts, own=int32_t, number=int32_t, index=int32_t,
        symbol=int32_t,
    )
    cdef bint _is_like_a_make(self, int32_t start, int32_t stop) noexcept

    @cython.locals(page=Columns, hints=Longs, is_text=Bytes, node=int32_t)
    cdef int32_t _heading_of(self, int32_t part) noexcept


@cython.locals(end=Ints, worths=Doubles, texts=Doubles, text=double)
cdef double _worth_per_character(Columns page, int32_t part) noexcept
