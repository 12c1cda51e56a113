# cython: language_level=3
"""Declarations that all modules of the native core share."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport realloc

cdef enum:
    # must equal the number in `scrapy_tps.engine.core`, so that a core left over from another version is not used;
    # every module of the core exports it as REVISION
    CORE_REVISION = 105

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


cdef inline int bit_count(uint64_t word) noexcept nogil:
    """Return the number of ones in a word. The C compiler calls a function for it, unless it knows the machine."""
    word -= word >> 1 & <uint64_t> 0x5555555555555555
    word = (word & <uint64_t> 0x3333333333333333) + (word >> 2 & <uint64_t> 0x3333333333333333)
    word = word + (word >> 4) & <uint64_t> 0x0F0F0F0F0F0F0F0F
    return <int> (word * <uint64_t> 0x0101010101010101 >> 56)
