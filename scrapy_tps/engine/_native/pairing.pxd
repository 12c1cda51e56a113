# cython: language_level=3
"""The types of `scrapy_tps.engine.loops.pairing`."""

cimport cython


cdef extern from *:
    cpdef enum:
        SOURCE "SCRAPY_TPS_SOURCE"  # of what it was compiled from; see `scrapy_tps.engine.core`


@cython.locals(
    width=Py_ssize_t, above=list, best=list, similar=list, row=list, left=double, at=Py_ssize_t, value=double,
    pairs=list, down=Py_ssize_t, right=Py_ssize_t,
)
cpdef list pair_up(list similarities)
