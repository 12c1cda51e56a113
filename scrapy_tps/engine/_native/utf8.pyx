# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Whether the bytes of a page are UTF-8."""

from libc.stdint cimport uint8_t

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.scan cimport after_ascii

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


def is_utf8(bytes body not None):
    """Whether Python's strict UTF-8 codec reads these bytes."""
    cdef const uint8_t* at = <const uint8_t*> <const char*> body
    cdef const uint8_t* stop = at + len(body)
    cdef bint valid
    with nogil:
        valid = valid_utf8(at, stop)
    return valid


cdef bint valid_utf8(const uint8_t* at, const uint8_t* stop) noexcept nogil:
    """Table 3-7 of the Unicode standard: well-formed UTF-8 byte sequences."""
    cdef uint8_t first, low, high
    cdef int more
    while at < stop:
        first = at[0]
        if first < 0x80:
            at = after_ascii(at + 1, stop)
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= first <= 0xDF:
            more = 1
        elif 0xE0 <= first <= 0xEF:
            more = 2
            if first == 0xE0:
                low = 0xA0
            elif first == 0xED:
                high = 0x9F
        elif 0xF0 <= first <= 0xF4:
            more = 3
            if first == 0xF0:
                low = 0x90
            elif first == 0xF4:
                high = 0x8F
        else:
            return False
        if stop - at <= more or not low <= at[1] <= high:
            return False
        if more > 1 and at[2] & 0xC0 != 0x80:
            return False
        if more > 2 and at[3] & 0xC0 != 0x80:
            return False
        at += more + 1
    return True
