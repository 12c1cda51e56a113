# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.groups`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Bytes, Counts, Doubles, Ints, Longs, Numbers, TagSets
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

    @cython.locals(
        page=Columns, end=Ints, weights=Doubles, alive=Bytes, least_nodes=int32_t, least=double, above=int32_t,
        stop=int32_t,
    )
    cpdef tuple groups(self)

    @cython.locals(
        page=Columns, end=Ints, tags=Ints, weights=Doubles, is_text=Bytes, alive=Bytes, place=Counts,
        following=Counts, listed=Counts, last=Counts, rich=Counts, median=double, count=int32_t, child=int32_t,
        stop=int32_t, after=int32_t, which=int32_t,
    )
    cdef void _children(self, int32_t above) except *

    @cython.locals(
        sets=TagSets, following=Counts, run=Counts, count=int32_t, similar=int32_t, before=int32_t, common=int32_t,
        both=int32_t,
    )
    cdef void _runs(self, int32_t child, int32_t last) except *

    @cython.locals(
        page=Columns, sets=TagSets, run=Counts, end=Ints, weights=Doubles, texts=Doubles, total=double, chars=double,
        number=int32_t, item=int32_t, stop=int32_t, weight=double, median_weight=double, pair_weight=double, poor=int32_t,
        poor_of_pair=int32_t, both=int32_t, symbols=int32_t, score=double,
    )
    cdef void _add(self, int32_t count, int32_t similar) except *

    @cython.locals(doubtful=bint, rank=double, ranked=tuple)
    cdef void _rank(self, int32_t start, int32_t stop, int32_t count, double total, double score) except *


@cython.locals(
    end=Ints, cues=Longs, cued=Ints, weights=Doubles, found=bytearray, largest=double, room=Numbers, mains=Counts,
    count=int32_t, number=int32_t, index=int32_t, after=int32_t, place=int32_t, stop=int32_t,
)
cpdef bytearray suspects(Columns page, int64_t soft, int64_t main, int32_t first_heading, double largest_share)

@cython.locals(
    parent=Ints, end=Ints, cues=Longs, texts=Doubles, alive=bytearray, is_text=Bytes, in_link=Bytes, found=list,
    titled=bint, inner=int32_t, above=int32_t, child=int32_t, title=int32_t, stop=int32_t, count=int32_t, node=int32_t,
)
cpdef list record_titles(
    Columns page, int32_t start, int64_t subheading, int64_t facts, double longest, int32_t first_heading
)

@cython.locals(
    width=Py_ssize_t, above=list, best=list, similar=list, row=list, left=double, at=Py_ssize_t, value=double,
    pairs=list, down=Py_ssize_t, right=Py_ssize_t,
)
cpdef list pair_up(list similarities)
