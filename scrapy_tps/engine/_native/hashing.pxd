# cython: language_level=3
"""The salted hash of tag paths (see `_hashing.pyx`)."""

from libc.stdint cimport int32_t, uint64_t

cdef uint64_t key_hash(int32_t above, const char* tag, const char* class_, const char* style) noexcept nogil
