# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""A salted hash of an element's tag path: no page can aim at a slot of a table."""

import os

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy, strlen

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef uint64_t SALT_0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SALT_1 = int.from_bytes(os.urandom(8), "little")


cdef inline uint64_t rotate(uint64_t word, int bits) noexcept nogil:
    return (word << bits) | (word >> (64 - bits))


cdef struct Sip:
    uint64_t a, b, c, d


cdef inline void sip_round(Sip* s) noexcept nogil:
    s.a += s.b
    s.b = rotate(s.b, 13) ^ s.a
    s.a = rotate(s.a, 32)
    s.c += s.d
    s.d = rotate(s.d, 16) ^ s.c
    s.a += s.d
    s.d = rotate(s.d, 21) ^ s.a
    s.c += s.b
    s.b = rotate(s.b, 17) ^ s.c
    s.c = rotate(s.c, 32)


cdef inline void sip_word(Sip* s, uint64_t word) noexcept nogil:
    s.d ^= word
    sip_round(s)
    s.a ^= word


cdef inline void sip_string(Sip* s, const char* text) noexcept nogil:
    """Feed a string with its length."""
    cdef uint64_t word = 0
    cdef size_t length = strlen(text), index = 0
    while index + 8 <= length:
        memcpy(&word, text + index, 8)
        sip_word(s, word)
        index += 8
    # up to seven bytes and the length in the eighth, as SipHash ends its messages
    word = <uint64_t> (length & 0x7F) << 56
    memcpy(&word, text + index, length - index)
    sip_word(s, word)


cdef uint64_t key_hash(int32_t above, const char* tag, const char* class_, const char* style) noexcept nogil:
    """SipHash-1-3 (Aumasson & Bernstein) with a salt drawn at import: no page can aim at a slot."""
    cdef Sip s
    s.a = SALT_0 ^ <uint64_t> 0x736F6D6570736575
    s.b = SALT_1 ^ <uint64_t> 0x646F72616E646F6D
    s.c = SALT_0 ^ <uint64_t> 0x6C7967656E657261
    s.d = SALT_1 ^ <uint64_t> 0x7465646279746573
    sip_word(&s, <uint64_t> <uint32_t> above | <uint64_t> (class_ != NULL) << 32 | <uint64_t> (style != NULL) << 33)
    sip_string(&s, tag)
    if class_ != NULL:
        sip_string(&s, class_)
    if style != NULL:
        sip_string(&s, style)
    s.c ^= 0xFF
    sip_round(&s)
    sip_round(&s)
    sip_round(&s)
    return s.a ^ s.b ^ s.c ^ s.d
