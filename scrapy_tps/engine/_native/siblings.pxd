# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.siblings`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.arrays cimport Bytes, Counts, Doubles, Ints, Longs, Numbers
from scrapy_tps.engine._native.columns cimport Columns


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


@cython.locals(
    parent=Ints, end=Ints, tags=Ints, cues=Longs, cued=Ints, texts=Doubles, wanted=int64_t, done=bytearray,
    room=Numbers, runs=Counts, found=list, number=int32_t, child=int32_t, above=int32_t, stop=int32_t,
    run=int32_t, after=int32_t, cue=int64_t, unmarked=int32_t, going=int64_t, share=double, one=int32_t,
    other=int32_t, most_nodes=int32_t, least_tags=int32_t, similar=double, similar_hidden=double,
)
cpdef list like_siblings(Columns page, int64_t marks, int64_t hidden, limits)

@cython.locals(
    parent=Ints, end=Ints, tags=Ints, cues=Longs, cued=Ints, texts=Doubles, proses=Doubles, room=Numbers,
    times=Counts, found=list, covered=int32_t, number=int32_t, index=int32_t, cue=int64_t, above=int32_t,
    begins=bint, closes=bint, kind=int32_t, least_nodes=int32_t, few_texts=int32_t, least=int32_t,
)
cpdef list hidden_parts(Columns page, int64_t hidden, int64_t covering, int32_t heading, limits)

@cython.locals(in_link=Bytes, is_text=Bytes, title=int32_t, links=int32_t, index=int32_t)
cdef bint _is_opened(Columns page, int32_t start, int32_t stop)

@cython.locals(in_link=Bytes, is_text=Bytes, count=int32_t, index=int32_t)
cdef bint _is_plain(Columns page, int32_t start, int32_t stop, int32_t few_texts)

@cython.locals(
    end=Ints, tags=Ints, cues=Longs, texts=Doubles, found=dict, child=int32_t,
)
cpdef dict first_shown(Columns page, int32_t above, int64_t hidden)

@cython.locals(
    end=Ints, cues=Longs, cued=Ints, texts=Doubles, in_link=Bytes, found=list, number=int32_t, index=int32_t,
    stop=int32_t, node=int32_t,
)
cpdef list small_texts(Columns page, int64_t wanted, int64_t controls, int32_t most_nodes)

@cython.locals(
    text_of=bytearray, entry_of=bytearray, cell_of=bytearray, parent=Ints, end=Ints, kinds=Ints, symbols=Ints,
    texts=Doubles, most=double, levels=int32_t, least=int32_t, found=set, beside=dict, in_rows=dict, node=int32_t,
    above=int64_t, row=int32_t, level=int32_t, key=object, count=int32_t, child=int32_t,
)
cpdef set own_edges(Columns page, list edges, list outline, tuple tags, limits)

@cython.locals(
    end=Ints, symbols=Ints, texts=Doubles, above=int32_t, place=int32_t, text=double, child=int32_t,
)
cpdef bint is_beside_text(Columns page, int32_t node, list outline, bytearray text_of, limits) except -1
