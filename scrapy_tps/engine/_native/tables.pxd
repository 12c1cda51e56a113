# cython: language_level=3
"""Strings that mean something, for the readers of hints (see `_tables.pyx`)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

ctypedef const unsigned char* Text


cdef struct Entry:
    Text text  # NULL: a free slot
    Py_ssize_t length
    int64_t hint
    int64_t mask
    uint8_t marks


cdef class Table:
    cdef Entry* slots
    cdef uint32_t last_slot
    cdef Py_ssize_t longest
    cdef uint32_t lengths[1024]  # of the strings with these first two bytes (`start_of`): bit 31 for 31 and more
    cdef list kept

    cdef Entry* find(self, Text text, Py_ssize_t length, bint folded) noexcept nogil


cdef class Pieces:
    cdef Entry pieces[32]
    cdef uint8_t starts[256]
    cdef int count
    cdef list kept

    cdef int64_t search(self, Text text, Py_ssize_t length, bint* unsure) noexcept nogil
