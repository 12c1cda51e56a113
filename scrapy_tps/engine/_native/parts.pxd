# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.parts`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Bytes, Counts, Doubles, Ints, Longs, Numbers
from scrapy_tps.engine._native.columns cimport Columns, Tally


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


@cython.locals(
    least_nodes=int32_t, least_links=int32_t, most_fields=int64_t, characters=double, linked_share=double,
    end=Ints, tags=Ints, alive=bytearray, protected=bytearray, in_link=Bytes, symbols=Ints, is_text=Bytes, size=int32_t,
    weights=Doubles, texts=Doubles, protections=Doubles, most=double, budget=int64_t, found=list, marks=bytearray,
    living=int32_t, counts=Numbers, linked_room=Numbers, tally=Tally, before=Counts, linked=Counts, first=Counts,
    last=Counts, index=int32_t, stop=int32_t, count=int32_t, text=double, place=int32_t, fields=int32_t,
    tag=int32_t, few=bint, places=Ints, link_column=object, number=int32_t,
)
cpdef list link_lists(Columns page, limits, links, set definitions, bytearray plain)

@cython.locals(
    most_links=int32_t, label=double, end=Ints, cues=Longs, cued=Ints, texts=Doubles,
    count=int32_t, places=Ints, link_column=object, found=list, first=int32_t, asked=int32_t, href=str, leads=bint, last=int32_t, number=int32_t, index=int32_t, stop=int32_t,
)
cpdef list linked_menus(Columns page, int64_t menu, links, int32_t least_nodes, limits, value_of)

@cython.locals(
    parent=Ints, end=Ints, tags=Ints, in_link=Bytes, stop=int32_t, text_room=Numbers, link_room=Numbers, texts=Counts,
    links=Counts, counted=bytearray, times=dict, node=int32_t, place=int32_t, above=int64_t, key=object,
)
cpdef bint holds_records(
    Columns page, int32_t part, int32_t least, int32_t fields, ignored, bint linked
) except -1

@cython.locals(
    parent=Ints, end=Ints, alive=Bytes, weights=Doubles, texts=Doubles, total=double, found=list, above=int32_t,
    child=int32_t, stop=int32_t, after=int32_t, weight=double, text=double,
)
cpdef list small_siblings(
    Columns page, int32_t inner, int32_t behind, int32_t before, double share, double links_share, double links_weight
)

@cython.locals(
    end=Ints, proses=Doubles, weights=Doubles, is_text=Bytes, needed=double, core=int32_t, child=int32_t, stop=int32_t,
)
cpdef int32_t text_core(Columns page, double share, double dominance, double least_prose) except -1

@cython.locals(
    parent=Ints, end=Ints, alive=bytearray, lengths=Ints, in_link=Bytes, room=Numbers, before=Counts, index=int32_t,
    found=list, link=int32_t, above=int32_t, size=int32_t, places=Ints, link_column=object, number=int32_t,
)
cpdef list standing_links(Columns page, links, int32_t least, double around)


@cython.locals(found=list, address=str, link=int32_t)
cpdef list leading_links(Columns page, links, value_of, str host, host_of, Py_ssize_t most)


cdef class Sides:
    cdef Columns page
    cdef int32_t first_heading, least_nodes, threshold
    cdef double size_ratio, most_prose
    cdef int64_t budget
    cdef bytearray alive
    cdef Tally tally

    @cython.locals(
        page=Columns, weights=Doubles, protections=Doubles, proses=Doubles, found=list, waiting=list, low=int32_t,
        high=int32_t, border=int32_t, left=double, right=double, start=int32_t, stop=int32_t,
    )
    cpdef list splits(self)

    @cython.locals(page=Columns, end=Ints, alive=bytearray, parts=list, index=int32_t, begin=int32_t)
    cdef list _take(self, int32_t start, int32_t stop)

    @cython.locals(
        tally=Tally, places=int32_t, active=Counts, size=int32_t, border=int32_t, count=Counts, least=int32_t,
        number=int32_t, kept=int32_t, tag=int32_t,
    )
    cdef int32_t _first_border(self, int32_t low, int32_t high) except? -1

    @cython.locals(
        weights=Doubles, tally=Tally, first=Counts, last=Counts, active=Counts, before=double, whole=double,
        smallest=double, reach=int32_t, number=int32_t, tag=int32_t, left=double,
    )
    cdef int32_t _border(self, int32_t low, int32_t high, int32_t size) noexcept

@cython.locals(
    end=Ints, cues=Longs, cued=Ints, lengths=Ints, found=list, number=int32_t, index=int32_t, chars=int64_t,
    node=int32_t,
)
cpdef list kept_always(Columns page, int64_t wanted, int32_t most_nodes, int64_t most_chars)

@cython.locals(end=Ints, lengths=Ints, left=bytearray, root=int32_t, some=bint, index=int32_t)
cpdef bint has_text_beside(Columns page, list kept)
