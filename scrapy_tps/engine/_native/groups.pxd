# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.groups`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Bytes, Numbers, TagSets
from scrapy_tps.engine._native.columns cimport Columns


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


cdef class GroupSearch:
    cdef Columns page
    cdef bytearray alive, doubtful
    cdef int32_t main, main_end
    cdef double least_weight, suspect
    cdef int32_t least_nodes, min_symbols, rich, related_symbols, pair_symbols
    cdef double similar, related, pair_similar, pair_weight, pair_score, median_weight, weight_per_character
    cdef TagSets sets
    cdef Numbers place, following, listed, last, rich_children, run
    cdef tuple first
    cdef list protected

    @cython.locals(alive=Bytes)
    cpdef tuple groups(self)

    @cython.locals(alive=Bytes)
    cdef void _children(self, int32_t above) except *
    cdef void _runs(self, int32_t child, int32_t last) except *

    @cython.locals(poor=int32_t, poor_of_pair=int32_t)
    cdef void _add(self, int32_t count, int32_t similar) except *

    @cython.locals(doubtful=bint, ranked=tuple)
    cdef void _rank(self, int32_t start, int32_t stop, int32_t count, double total, double score) except *


cpdef bytearray suspects(Columns page, int64_t soft, int64_t main, int32_t first_heading, double largest_share)

cpdef list record_titles(
    Columns page, int32_t start, int32_t whole, int64_t subheading, int64_t facts, double longest, int32_t first_heading
)
