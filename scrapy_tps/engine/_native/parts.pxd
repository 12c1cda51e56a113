# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.parts`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Bytes
from scrapy_tps.engine._native.columns cimport Columns, Tally


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


@cython.locals(
    budget=int64_t, place=int32_t, few=bint, others=bint, own=int64_t, several=int64_t, link=int32_t,
    together=double, index=int32_t, stop=int32_t, count=int64_t, after=int32_t, rest=bytearray, alive=Bytes,
)
cpdef list link_lists(Columns page, limits, links, set whole, bytearray plain)

cdef int32_t _first_of(Bytes mask, int32_t place)

@cython.locals(
    least_nodes=int32_t, least_links=int32_t, characters=double, linked_share=double, most=double, measured=bint,
    link_column=object,
)
cdef list _short_link_lists(Columns page, limits, links, set whole)

@cython.locals(most_links=int32_t, label=double, link_column=object, leads=bint)
cpdef list linked_menus(Columns page, int64_t menu, links, int32_t least_nodes, limits, value_of)

@cython.locals(node=int32_t, place=int32_t, above=int64_t)
cpdef bint holds_records(
    Columns page, int32_t part, int32_t least, int32_t fields, ignored, bint linked
) except -1

@cython.locals(alive=Bytes)
cpdef list small_siblings(
    Columns page, int32_t inner, int32_t behind, int32_t before, double share, double links_share, double links_weight
)

cpdef int32_t text_core(Columns page, double share, double dominance, double least_prose) except -1

@cython.locals(link_column=object)
cpdef list standing_links(Columns page, links, int32_t least, double around)


@cython.locals(link=int32_t, address=str)
cpdef list leading_links(Columns page, links, value_of, str site, is_on_site)


cdef class Sides:
    cdef Columns page
    cdef int32_t first_heading, least_nodes, threshold
    cdef double size_ratio, most_prose
    cdef int64_t budget
    cdef bytearray alive
    cdef Tally tally

    @cython.locals(low=int32_t, high=int32_t, left=double, right=double, start=int32_t, stop=int32_t)
    cpdef list splits(self)

    @cython.locals(index=int32_t, begin=int32_t)
    cdef list _take(self, int32_t start, int32_t stop)
    cdef int32_t _first_border(self, int32_t low, int32_t high) except? -1
    cdef int32_t _border(self, int32_t low, int32_t high, int32_t size) noexcept

cpdef list kept_always(Columns page, int64_t wanted, int32_t most_nodes, int64_t most_chars)

@cython.locals(root=int32_t)
cpdef bint has_text_beside(Columns page, list kept)
