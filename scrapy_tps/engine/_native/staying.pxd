# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.staying`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.columns cimport Columns, Ints, Longs


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # of what it was compiled from; see `scrapy_tps.engine.core`


@cython.locals(
    end=Ints, hints=Longs, hinted=Ints, lengths=Ints, found=list, number=int32_t, index=int32_t, chars=int64_t,
    node=int32_t,
)
cpdef list kept_always(Columns page, int64_t wanted, int32_t most_nodes, int64_t most_chars)

@cython.locals(end=Ints, lengths=Ints, left=bytearray, root=int32_t, some=bint, index=int32_t)
cpdef bint has_text_beside(Columns page, list kept)

@cython.locals(few=int32_t, unit=bytearray, start=int32_t, end=int32_t, node=int32_t)
cpdef fill(bytearray mask, parts, int byte)
