# cython: language_level=3
"""Declarations that all modules of the native core share."""

from libc.stdlib cimport realloc

cdef enum:
    # must equal the number in `scrapy_tps.engine.core`, so that a core left over from another version is not used;
    # every module of the core exports it as REVISION
    CORE_REVISION = 101

cdef enum:
    # from so many nodes on, other threads may run while the core works on its columns: releasing the lock costs half a
    # microsecond, a call for a page of this size half a millisecond
    LARGE = 20_000


cdef inline int grow(void** array, size_t room, size_t item) except -1 nogil:
    """Make room for so many items."""
    cdef void* larger = realloc(array[0], room * item)
    if larger == NULL:
        with gil:
            raise MemoryError
    array[0] = larger
    return 0


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define tps_bits(word) __builtin_popcountll(word)
    #else
    static int tps_bits(unsigned long long word) {
        int count = 0;
        for (; word; word &= word - 1) count++;
        return count;
    }
    #endif
    """
    int tps_bits(unsigned long long word) nogil
