# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The pairing of an alignment: see :func:`scrapy_tps.records.alignment.pair_up`."""

from libc.stdlib cimport calloc, free, malloc

from scrapy_tps.engine._native.core cimport CORE_REVISION, LXML_VERSION_STRING

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


def pair_up(list similarities not None):
    """Return the pairing of rows and columns with the largest sum; see :func:`scrapy_tps.records.alignment.pair_up`."""
    cdef Py_ssize_t height = len(similarities), width = len(similarities[0]), down, right
    cdef double* values = <double*> malloc(max(1, height * width) * sizeof(double))
    cdef double* best = <double*> calloc((height + 1) * (width + 1), sizeof(double))
    cdef double* above
    cdef double* row
    cdef double left, value
    cdef list pairs = []
    try:
        if values == NULL or best == NULL:
            raise MemoryError
        for down in range(height):
            similar = <list?> similarities[down]
            if len(similar) != width:
                raise ValueError("rows of different lengths")
            for right in range(width):
                values[down * width + right] = similar[right]
        for down in range(height):
            above, row = best + down * (width + 1), best + (down + 1) * (width + 1)
            left = 0.0
            for right in range(width):
                value = values[down * width + right]
                if value != 0.0 and above[right] + value > left:
                    left = above[right] + value
                if above[right + 1] > left:
                    left = above[right + 1]
                row[right + 1] = left
        down, right = height, width
        while down and right:
            value = values[(down - 1) * width + right - 1]
            above, row = best + (down - 1) * (width + 1), best + down * (width + 1)
            if value != 0.0 and row[right] == above[right - 1] + value:
                down, right = down - 1, right - 1
                pairs.append((down, right))
            elif row[right] == above[right]:
                down -= 1
            else:
                right -= 1
    finally:
        free(values)
        free(best)
    return pairs
