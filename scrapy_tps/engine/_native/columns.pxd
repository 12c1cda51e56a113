# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.columns`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Arrays, Bytes, Counts, Ints, Longs, Numbers, Totals


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


cdef class Tally


cdef class Columns:
    cdef Arrays arrays
    cdef public object walk
    cdef readonly int32_t size, tag_count, symbol_count, cued_count
    cdef readonly object parent_column, end_column, symbol_column, tag_column, length_column, cue_column, cued_column
    cdef readonly object weight_sums, text_sums, prose_sums, protection_sums
    cdef readonly bytearray link_mask, text_mask, alive, protected
    cdef Ints parent, end, symbols, tags, text_length
    cdef Counts cued
    cdef Longs cues
    cdef Bytes in_link, is_text
    cdef Totals weight_before, text_before, prose_before, protection_before
    cdef int32_t short, medium, prose
    cdef double short_text, short_link, medium_link, long_link
    cdef object read_stem
    cdef dict stems
    cdef Numbers stem_of
    # only for a walk: the kinds of nodes, and for each symbol whether it is an `a` or a `button`
    cdef Bytes kinds
    cdef bytearray link_symbols, button_symbols

    cdef count_cued(self)

    @cython.locals(more=bint, node=int32_t, off=int64_t, on=int64_t)
    cpdef correct(self, corrections)

    @cython.locals(alive=Bytes, protected=Bytes)
    cpdef measure(self, int32_t first)

    @cython.locals(first=int32_t, start=int32_t, end=int32_t)
    cpdef write(self, bytearray mask, parts, int byte)
    cpdef double share(self, Py_ssize_t start, Py_ssize_t end) except? -1.0

    @cython.locals(wanted=Bytes)
    cpdef int64_t characters_in(self, Py_ssize_t start, Py_ssize_t end, mask) except? -1

    @cython.locals(alive=Bytes)
    cpdef int64_t characters_linked(self, Py_ssize_t start, Py_ssize_t end) except? -1
    cpdef int64_t length_of(self, Py_ssize_t start, Py_ssize_t end) except? -1
    cpdef list texts_in(self, Py_ssize_t start, Py_ssize_t end, int32_t longest)
    cpdef list children(self, int32_t node)

    @cython.locals(alive=Bytes)
    cpdef int32_t first_with(self, int64_t wanted) except? -1
    cpdef list all_with(self, int64_t wanted)
    cpdef list outermost_with(self, int64_t wanted)
    cpdef bint any_in(self, places, int32_t start, int32_t end) except -1
    cpdef between(self, places, int32_t start, int32_t end)
    cpdef int32_t around(self, int32_t node, int64_t wanted) except -1

    @cython.locals(alive=Bytes)
    cdef Numbers characters_in_links(self)
    cpdef bint are_similar(
        self, int32_t one, int32_t other, int32_t most_nodes, int32_t least_tags, double least
    ) except -1

    cpdef bint of_one_class(self, int32_t one, int32_t other) except -1
    cdef int32_t _stem_number(self, int32_t index) except -1

    @cython.locals(start=int32_t)
    cpdef list removed_with(self, list removed, int64_t wanted)

    @cython.locals(alive=Bytes)
    cpdef bint is_removed_with(self, int32_t node, int64_t wanted, int32_t weak) except -1

    @cython.locals(number=int32_t, start=int32_t, index=int32_t)
    cpdef spans(self, list removed, list retained, list records, list pages)
    cdef _own(self, Numbers owners, Py_ssize_t start, Py_ssize_t end, int32_t number)
    cdef int check(self, Py_ssize_t start, Py_ssize_t end) except -1
    cdef Tally tally(self)
    cdef Numbers pairs(self, int64_t wanted, int weak)


cdef class Tally:
    cdef Columns page
    cdef Numbers first, last, count, active, listed
    cdef int32_t size, listed_size

    cdef int32_t take(self, int32_t low, int32_t high, bytearray alive, int32_t least) except? -1


cpdef clear(Arrays arrays, runs, bytearray mask)
