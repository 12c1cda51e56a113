# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.siblings`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.columns cimport Columns


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # hash of the compiled source; see `scrapy_tps.engine.core`


@cython.locals(going=int64_t, share=double, most_nodes=int32_t, least_tags=int32_t, similar=double, similar_hidden=double)
cpdef list like_siblings(Columns page, int64_t marks, int64_t hidden, limits)

@cython.locals(begins=bint, closes=bint, least_nodes=int32_t, few_texts=int32_t, least=int32_t)
cpdef list hidden_parts(Columns page, int64_t hidden, int64_t covering, int32_t heading, limits)

cdef bint _is_opened(Columns page, int32_t start, int32_t stop)

cdef bint _is_plain(Columns page, int32_t start, int32_t stop, int32_t few_texts)

cpdef list small_texts(Columns page, int64_t wanted, int64_t controls, int32_t most_nodes)

@cython.locals(
    most=double, levels=int32_t, least=int32_t, node=int32_t, above=int64_t, heading=int64_t, last=int64_t,
    row=int32_t, count=int32_t, child=int32_t,
)
cpdef set own_edges(Columns page, list edges, tuple places, list outline, tuple tags, limits)

cpdef bint is_beside_text(Columns page, int32_t node, list outline, bytearray text_of, limits) except -1
