# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Strings that mean something: looked up whole, or looked for in a text."""

cimport cython
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport calloc, free

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport lower

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


@cython.final
cdef class Table:
    """Strings with what they mean. It never grows: the strings of a page are only looked up."""

    def __cinit__(self, dict meanings):
        """`meanings` has (hint, mask, marks) of each string."""
        cdef uint32_t count = 16, slot
        cdef bytes encoded
        cdef Entry* entry
        while count < 4 * len(meanings):
            count *= 2
        self.slots = <Entry*> calloc(count, sizeof(Entry))
        if self.slots == NULL:
            raise MemoryError
        self.last_slot = count - 1
        self.kept = []
        for text, (hint, mask, marks) in meanings.items():
            encoded = text.encode("utf-8", "surrogatepass")
            self.kept.append(encoded)
            slot = slot_of(<Text> <const char*> encoded, len(encoded), False) & self.last_slot
            while self.slots[slot].text != NULL:
                slot = (slot + 1) & self.last_slot
            entry = &self.slots[slot]
            entry.text = <Text> <const char*> encoded
            entry.length = len(encoded)
            entry.hint, entry.mask, entry.marks = hint, mask, marks
            self.longest = max(self.longest, entry.length)
            self.lengths[start_of(entry.text, entry.length)] |= length_bit(entry.length)

    def __dealloc__(self):
        free(self.slots)

    cdef Entry* find(self, Text text, Py_ssize_t length, bint folded) noexcept nogil:
        """Return the entry of a string, or of its ASCII lower case; NULL where there is none."""
        cdef uint32_t slot
        cdef Py_ssize_t index
        cdef Entry* entry
        # most strings of a page are in no table
        if length > self.longest or not self.lengths[start_of(text, length)] & length_bit(length):
            return NULL
        slot = slot_of(text, length, folded) & self.last_slot
        while self.slots[slot].text != NULL:
            entry = &self.slots[slot]
            if entry.length == length:
                index = 0
                if folded:
                    while index < length and lower(text[index]) == entry.text[index]:
                        index += 1
                else:
                    while index < length and text[index] == entry.text[index]:
                        index += 1
                if index == length:
                    return entry
            slot = (slot + 1) & self.last_slot
        return NULL


cdef inline uint32_t start_of(Text text, Py_ssize_t length) noexcept nogil:
    """The first two bytes of a string as a number below 1024, the same in capitals and in small letters."""
    return ((text[0] & 31) << 5 | (text[1] & 31 if length > 1 else 0)) if length else 0


cdef inline uint32_t length_bit(Py_ssize_t length) noexcept nogil:
    return <uint32_t> 1 << (length if length < 31 else 31)


cdef inline uint32_t slot_of(Text text, Py_ssize_t length, bint folded) noexcept nogil:
    """FNV-1a (Fowler, Noll & Vo)."""
    cdef uint32_t hash_ = 2166136261
    cdef Py_ssize_t index
    for index in range(length):
        hash_ = (hash_ ^ (lower(text[index]) if folded else text[index])) * 16777619
    return hash_ ^ hash_ >> 15


@cython.final
cdef class Pieces:
    """Lower-case ASCII strings that are looked for anywhere in a text, in any case."""

    def __cinit__(self, dict hints):
        cdef bytes encoded
        if len(hints) > 32:
            raise ValueError("at most 32 pieces")
        self.kept = []
        for text, hint in hints.items():
            encoded = text.encode("ascii")
            if not encoded.isalpha() or not encoded.islower():
                raise ValueError("pieces are lower-case letters")
            self.kept.append(encoded)
            self.pieces[self.count].text = <Text> <const char*> encoded
            self.pieces[self.count].length = len(encoded)
            self.pieces[self.count].hint = hint
            self.starts[encoded[0]] = True
            self.count += 1

    cdef int64_t search(self, Text text, Py_ssize_t length, bint* unsure) noexcept nogil:
        """Return the hints of the pieces in a text; `unsure` is set where only Python can tell."""
        cdef int64_t found = 0
        cdef Py_ssize_t start, index
        cdef int number
        cdef unsigned char first
        cdef Entry* piece
        for start in range(length):
            first = lower(text[start])
            if first >= 0x80:
                if (first == 0xC4 and start + 1 < length and text[start + 1] == 0xB0) or (
                    first == 0xE2 and start + 2 < length
                    and text[start + 1] == 0x84 and text[start + 2] == 0xAA
                ):
                    unsure[0] = True
            elif self.starts[first]:
                for number in range(self.count):
                    piece = &self.pieces[number]
                    if start + piece.length <= length:
                        index = 0
                        while index < piece.length and lower(text[start + index]) == piece.text[index]:
                            index += 1
                        if index == piece.length:
                            found |= piece.hint
        return found
