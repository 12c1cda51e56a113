# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.boilerplate`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Amounts, Numbers
from scrapy_tps.engine._native.columns cimport Columns


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


cdef class Boilerplate:
    cdef Columns page
    cdef int64_t sure, soft, top, bottom, landmark, consent, main, heading, dialog, hidden, footer, notice
    cdef double most_sure, most_edge, most_consent, most_notice, most_prose, most_dialog_prose
    cdef double edge_width, top_starts, bottom_starts, least, total, left, all_prose
    cdef int32_t edge_repeats, first_heading
    cdef bint enough_prose
    cdef bytearray alive
    cdef list removals, doubtful, mains, headings
    cdef object reason_of
    cdef dict reasons
    cdef Numbers soft_pair, sure_pair, times
    cdef Amounts together

    cpdef tuple run(self)
    cdef int _count(self) except -1
    cdef int _from_top(self) except -1

    @cython.locals(
        size=int64_t, number=int32_t, index=int32_t, reached=int32_t, done=int32_t, key=int64_t, stop=int32_t,
    )
    cdef int _from_bottom(self) except -1

    @cython.locals(doubtful=bint, key=object)
    cdef bint _take(self, int32_t number, int64_t cue, double cap, bint at_edge) except -1


@cython.locals(
    marked=int64_t, of_content=int64_t, header=int64_t, footer=int64_t, button=int64_t, prose_expected=int64_t,
    repeated=int64_t, main=int64_t, menu=int64_t, dialog=int64_t, weak=int32_t, edge=double, most_prose=double,
    text_weight=double, edge_width=double, footer_starts=double, protected_share=double, rare=int32_t, repeats=int32_t,
    titled=double, cue=int64_t, most=double, share=double,
)
cpdef list marked_parts(
    Columns page, tuple bits, limits, double rich, double poor, int32_t first_heading, int32_t zone_start, int32_t zone_end,
    bint enough_prose,
)

cpdef list holding(Columns page, int64_t outer, int64_t inner)

@cython.locals(
    read=int64_t, of_links=int64_t, of_controls=int64_t, sidebar=int64_t, aside=int64_t, frame=int64_t,
    of_pictures=int64_t, of_topics=int64_t, content=bint, button=int64_t, main=int64_t, article_column=object,
    least_text=double, least_line=double, most_linked=double, most_topics=int32_t, least_topic=double, off=int64_t,
)
cpdef list own_parts(Columns page, tuple bits, limits, tuple places)

cpdef list saying(Columns page, int64_t wanted, double most, double linked)
