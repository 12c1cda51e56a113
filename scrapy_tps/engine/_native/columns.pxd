# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.columns`."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from scrapy_tps.engine._native.arrays cimport (
    Amounts, Arrays, Bytes, Counts, Doubles, Ints, Longs, Numbers, TagSets, Totals
)


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

    @cython.locals(cues=Longs, cued=Counts, count=int32_t, index=int32_t)
    cdef count_cued(self)

    @cython.locals(cues=Longs, more=bint, node=int32_t, off=int64_t, on=int64_t)
    cpdef correct(self, corrections)

    @cython.locals(
        alive=Bytes, protected=Bytes, in_link=Bytes, lengths=Ints, weights=Totals, texts=Totals, proses=Totals,
        protections=Totals, weight=double, text=double, prose=double, protection=double, one=double, index=int32_t,
        chars=int32_t,
    )
    cpdef measure(self, int32_t first)

    @cython.locals(first=int32_t, start=int32_t, end=int32_t)
    cpdef write(self, bytearray mask, parts, int byte)

    @cython.locals(weights=Totals, total=double)
    cpdef double share(self, Py_ssize_t start, Py_ssize_t end) except? -1.0

    @cython.locals(lengths=Ints, wanted=Bytes, found=int64_t, index=int32_t)
    cpdef int64_t characters_in(self, Py_ssize_t start, Py_ssize_t end, mask) except? -1

    @cython.locals(lengths=Ints, in_link=Bytes, alive=Bytes, found=int64_t, index=int32_t)
    cpdef int64_t characters_linked(self, Py_ssize_t start, Py_ssize_t end) except? -1

    @cython.locals(lengths=Ints, found=int64_t, index=int32_t)
    cpdef int64_t length_of(self, Py_ssize_t start, Py_ssize_t end) except? -1

    @cython.locals(lengths=Ints, index=int32_t)
    cpdef list texts_in(self, Py_ssize_t start, Py_ssize_t end, int32_t longest)

    @cython.locals(end=Ints, found=list, child=int32_t)
    cpdef list children(self, int32_t node)

    @cython.locals(cues=Longs, cued=Counts, alive=Bytes, number=int32_t, index=int32_t)
    cpdef int32_t first_with(self, int64_t wanted) except? -1

    @cython.locals(cues=Longs, cued=Counts, found=list, number=int32_t, index=int32_t)
    cpdef list all_with(self, int64_t wanted)

    @cython.locals(end=Ints, cues=Longs, cued=Counts, found=list, after=int32_t, number=int32_t, index=int32_t)
    cpdef list outermost_with(self, int64_t wanted)

    cpdef bint any_in(self, places, int32_t start, int32_t end) except -1

    @cython.locals(low=int32_t, high=int32_t)
    cpdef between(self, places, int32_t start, int32_t end)

    @cython.locals(parent=Ints, cues=Longs)
    cpdef int32_t around(self, int32_t node, int64_t wanted) except -1

    @cython.locals(found=Numbers, wanted=Bytes, total=int32_t, values=Counts, index=int32_t)
    cdef Numbers sums_of(self, bytearray mask)

    @cython.locals(found=Numbers, lengths=Ints, in_link=Bytes, values=Counts, alive=Bytes, index=int32_t)
    cdef Numbers characters_in_links(self)

    @cython.locals(one_end=int32_t, other_end=int32_t)
    cpdef bint are_similar(
        self, int32_t one, int32_t other, int32_t most_nodes, int32_t least_tags, double least
    ) except -1

    @cython.locals(number=int32_t)
    cpdef bint of_one_class(self, int32_t one, int32_t other) except -1

    @cython.locals(numbers=Counts, symbol=int32_t)
    cdef int32_t _stem_number(self, int32_t index) except -1

    @cython.locals(cues=Longs, found=list, start=int32_t)
    cpdef list removed_with(self, list removed, int64_t wanted)

    @cython.locals(part=tuple)
    cpdef list removed_by(self, list removed, str rule)

    @cython.locals(parent=Ints, cues=Longs, alive=Bytes)
    cpdef bint is_removed_with(self, int32_t node, int64_t wanted, int32_t weak) except -1

    @cython.locals(
        owners=Numbers, end=Ints, owner=Counts, number=int32_t, start=int32_t, index=int32_t, parts=Py_ssize_t,
        runs=Counts, count=Py_ssize_t, low=int32_t, high=int32_t,
    )
    cpdef spans(self, list removed, list roots, list records, list pages)

    @cython.locals(owner=Counts, index=int32_t)
    cdef _own(self, Numbers owners, Py_ssize_t start, Py_ssize_t end, int32_t number)
    cdef int check(self, Py_ssize_t start, Py_ssize_t end) except -1
    cdef Tally tally(self)
    cdef TagSets tag_sets(self, bytearray alive)
    cdef Numbers pairs(self, int64_t wanted, int weak)


cdef class Tally:
    cdef Columns page
    cdef Numbers first, last, count, active, listed
    cdef int32_t size, listed_size

    @cython.locals(
        places=int32_t, size=int32_t, place=int32_t, tags=Ints, first=Counts, last=Counts, count=Counts, active=Counts,
        listed=Counts, tag=int32_t,
    )
    cdef int32_t take(self, int32_t low, int32_t high, bytearray alive, int32_t least) except? -1


@cython.locals(run=Counts, number=Py_ssize_t)
cpdef clear(Arrays arrays, runs, bytearray mask)
