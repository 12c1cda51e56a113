# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.novelty`."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from scrapy_tps.engine._native.columns cimport Bytes, Columns, Counts, Ints, Longs, Numbers


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # of what it was compiled from; see `scrapy_tps.engine.core`


@cython.locals(
    least=double, share=double, least_new=double, end=Ints, alive=bytearray, size=int32_t, count=int32_t,
    new=bytearray, repeated=bytearray, place_room=Numbers, length_room=Numbers, places=Counts, lengths=Counts,
    before_room=Numbers, before=Counts, all_room=Numbers, new_room=Numbers, living_room=Numbers,
    repeated_room=Numbers, all_before=Counts, new_before=Counts, living_before=Counts, repeated_before=Counts, found=list, text=int32_t, length=int32_t,
    inside=bytearray, inside_room=Numbers, inside_before=Counts, start=int32_t, stop=int32_t, low=int32_t,
    high=int32_t, node=int32_t, here=int32_t,
)
cpdef tuple repeated_parts(Columns page, texts, list records, int32_t first_heading, limits)

@cython.locals(
    found=list, least=double, parts=list, owners=Numbers, pools=dict, part=tuple, back=dict, pool=int32_t, alike=list,
    size=double, new=double, unlinked=double, own_size=double, own_new=double, own_unlinked=double, share=double,
    enough=bint, why=int32_t, root=int32_t,
)
cpdef list vetoed(
    Columns page, site, texts, list removed, list retained, tuple rules, int64_t muted, limits
)

cdef bint _is_much(site, Py_ssize_t parts, double new, double unlinked, double share, limits) except -1

@cython.locals(
    values=Counts, wanted=list, part=tuple, number=int32_t, owner=int32_t, low=int32_t, high=int32_t, text=int32_t, size=double,
    known=double, kept=double,
)
cdef double _kept(texts, Numbers owners, list parts, double least) except -1.0

@cython.locals(
    end=Ints, taken=bytearray, noted=int32_t, root=int32_t, first=int32_t, last=int32_t, number=int32_t, part=tuple,
    why=int32_t, share=double, node=int32_t, stop=int32_t, after=int32_t, some=int32_t,
)
cdef _whole(Columns page, list removed, list retained, dict back, list found)

@cython.locals(some=int32_t, node=int32_t)
cdef int32_t _count(bytearray mask, int32_t low, int32_t high) noexcept

@cython.locals(
    place_room=Numbers, length_room=Numbers, places=Counts, lengths=Counts, new=bytearray, before_room=Numbers,
    before=Counts, end=Ints, hints=Longs,
    symbols=Ints, in_link=Bytes, count=int32_t, owner_room=Numbers, owners=Counts, size_room=Numbers, fresh_room=Numbers,
    size_of=Counts, fresh_of=Counts, found=list, root=int32_t, text=int32_t, number=int32_t, node=int32_t, stop=int32_t,
    first=int32_t, last=int32_t, odd=bint, skipped=bint, low=int32_t, high=int32_t, after=int32_t, size=int32_t, fresh=int32_t,
    unlinked=int32_t, some=int32_t, own=int32_t, length=int32_t, pool=int32_t,
)
cdef tuple _new_parts(Columns page, texts, list removed, list retained, tuple rules, int64_t muted, double least)

@cython.locals(
    before_room=Numbers, before=Counts, end=Ints, taken=bytearray, found=list, noted=int32_t, matters=bint,
    root=int32_t, number=int32_t, node=int32_t, stop=int32_t, after=int32_t,
    first=int32_t, last=int32_t,
)
cdef list _silent_parts(Columns page, texts_before, list removed, list retained, rules)
