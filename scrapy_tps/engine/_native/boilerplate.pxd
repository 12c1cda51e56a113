# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.boilerplate`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Amounts, Bytes, Counts, Doubles, Ints, Longs, Numbers, Totals
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

    @cython.locals(
        page=Columns, end=Ints, cued=Ints, proses=Doubles, soft_pair=Counts, sure_pair=Counts, times=Counts,
        together=Totals, after=int32_t, number=int32_t, index=int32_t,
    )
    cdef int _count(self) except -1

    @cython.locals(
        page=Columns, end=Ints, cues=Longs, cued=Ints, texts=Doubles, all_text=double, near=double,
        inside_main=int32_t, after=int32_t, taken=double, number=int32_t, index=int32_t, cue=int64_t,
        before=double, stop=int32_t, main=bint, cap=double,
    )
    cdef int _from_top(self) except -1

    @cython.locals(
        page=Columns, end=Ints, cues=Longs, cued=Ints, texts=Doubles, size=int64_t, count=int32_t,
        alive=bytearray, near=double, closing=list, number=int32_t, index=int32_t, behind=int64_t,
        reached=int32_t, done=int32_t, key=int64_t, stop=int32_t,
    )
    cdef int _from_bottom(self) except -1

    @cython.locals(
        page=Columns, index=int32_t, end=int32_t, weight=double, doubtful=bint, prose=double, together=double,
        key=object,
    )
    cdef bint _take(self, int32_t number, int64_t cue, double cap, bint at_edge) except -1


@cython.locals(
    marked=int64_t, of_content=int64_t, header=int64_t, footer=int64_t, button=int64_t, prose_expected=int64_t,
    repeated=int64_t, main=int64_t, menu=int64_t, dialog=int64_t, refused=int32_t, weak=int32_t, edge=double, most_prose=double,
    text_weight=double, edge_width=double, footer_starts=double, protected_share=double,
    rare=int32_t, repeats=int32_t, few=int32_t, titled=double, parent=Ints, end=Ints, cues=Longs, cued=Ints, weights=Doubles,
    texts=Doubles, proses=Doubles, protections=Doubles, size=int32_t, count=int32_t, alive=bytearray,
    protected=bytearray, all_text=double, all_protected=double, pair_room=Numbers, time_room=Numbers,
    beside_room=Amounts, pairs=Counts, times=Counts, beside=Totals, mains=list, number=int32_t, index=int32_t,
    pair=int32_t, above=int32_t, found=list, after=int32_t, cue=int64_t,
    stop=int32_t, weight=double, text=double, most=double, share=double,
)
cpdef list marked_parts(
    Columns page, tuple bits, limits, double rich, double poor, int32_t first_heading, int32_t zone_start, int32_t zone_end,
    bint enough_prose,
)

@cython.locals(mask=bytearray, part=tuple)
cpdef list starting(Columns page, list removed, places)

@cython.locals(found=list, number=Py_ssize_t, part=tuple, start=Py_ssize_t)
cpdef list numbers_of(Columns page, list removed, set back)

@cython.locals(parent=Ints, end=Ints, part=int32_t)
cpdef int32_t part_around(Columns page, int32_t node, double share) except? -1

@cython.locals(end=Ints, cues=Longs, cued=Ints, found=list, nearest=int32_t, number=int32_t, index=int32_t)
cpdef list holding(Columns page, int64_t outer, int64_t inner)

@cython.locals(
    read=int64_t, of_links=int64_t, of_controls=int64_t, sidebar=int64_t, aside=int64_t, header=int64_t, frame=int64_t,
    of_pictures=int64_t, of_topics=int64_t, content=bint, button=int64_t, main=int64_t, buttons=object, articles=object, article_column=object, controls=object,
    pictures=list, figures=object, shown=object, links=object, least_text=double, least_line=double, most_linked=double, most_topics=int32_t, least_topic=double, end=Ints, cues=Longs, cued=Ints,
    texts=Doubles, in_link=Bytes, place=int32_t, linked_room=Numbers, measured=bint, linked_before=Counts, starts=Ints, found=list, next_article=int32_t,
    in_article=int32_t, in_content=int32_t, number=int32_t, index=int32_t, cue=int64_t, after=int32_t, off=int64_t,
    text=double, linked=double, count=int32_t,
)
cpdef list own_parts(Columns page, tuple bits, limits, tuple places)

@cython.locals(
    end=Ints, cues=Longs, cued=Ints, texts=Doubles, found=list, after=int32_t, number=int32_t, index=int32_t,
    text=double,
)
cpdef list saying(Columns page, int64_t wanted, double most, double linked, controls)
