# cython: language_level=3
"""libxml2's strings: texts of a tree and their sizes, strings with meanings, and whether a page is UTF-8."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, strlen

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.headers cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.scan cimport after_ascii, characters, first_printed

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION
#: The lxml that the core was compiled with.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")

cdef extern from "string.h":
    size_t strnlen(const char* text, size_t limit) nogil

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef Py_ssize_t MOST_CHARACTERS = PY_SSIZE_T_MAX // 4  # of up to four bytes each


cdef int32_t count_wide(xmlNode* node) noexcept nogil:
    """Return the number of characters of East Asian scripts."""
    cdef const unsigned char* cursor
    cdef int32_t count = 0
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                character = decode(&cursor)
                if character >= 0x1100 and (
                    character <= 0x11FF
                    or 0x2E80 <= character <= 0x9FFF
                    or 0xAC00 <= character <= 0xD7FF
                    or 0xF900 <= character <= 0xFAFF
                    or 0xFF00 <= character <= 0xFF60
                ):
                    count += 1
        node = text_from(node.next)
    return count


cdef int32_t visible_chars(xmlNode* node, bint* not_ascii) noexcept nogil:
    """Return the characters of a text without surrounding white space; 0 if it is only white space.

    `not_ascii` stays False only if all of it is ASCII.
    """
    cdef const unsigned char* cursor
    cdef const unsigned char* stop
    cdef const unsigned char* before
    cdef int32_t seen = 0, upto = 0
    cdef bint wide = False
    cdef xmlNode* following
    node = text_from(node)
    if node == NULL:
        return 0
    following = text_from(node.next)
    if following == NULL:
        # the usual case, a single node: count the bytes that start a character
        cursor = <const unsigned char*> node.content
        if cursor == NULL:
            return 0
        # stripped white space also counts for `not_ascii`: it may be ideographic
        stop = cursor + strlen(<const char*> cursor)
        while True:
            cursor = before = first_printed(cursor, stop)
            if cursor == stop:
                return 0
            if not is_space(decode(&cursor)):
                break
            wide = wide or before[0] >= 0x80
        cursor = before
        while True:
            before = stop - 1
            while before[0] & 0xC0 == 0x80:
                before -= 1
            if not is_space(first_character(before)):
                break
            wide = wide or before[0] >= 0x80
            stop = before
        seen = <int32_t> characters(cursor, stop)
        not_ascii[0] = wide or seen != stop - cursor
        return seen
    not_ascii[0] = True
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                if not is_space(decode(&cursor)):
                    seen += 1
                    upto = seen
                elif seen:
                    seen += 1
        node = following
        following = NULL if node == NULL else text_from(node.next)
    return upto


cdef inline uint32_t first_character(const unsigned char* at) noexcept nogil:
    return decode(&at)


cdef bint has_text(xmlNode* node) noexcept nogil:
    node = text_from(node)
    while node != NULL:
        if node.content != NULL and node.content[0]:
            return True
        node = text_from(node.next)
    return False


cdef bint space_at_an_end(xmlNode* node) noexcept nogil:
    """Whether a text that is not empty starts or ends with white space."""
    cdef const unsigned char* cursor
    cdef bint first = True, space = False
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                space = is_space(decode(&cursor))
                if first and space:
                    return True
                first = False
        node = text_from(node.next)
    return space


cdef unicode start_of_text(xmlNode* node, Py_ssize_t limit):
    """Return the first `limit` characters of a text, without decoding megabytes of a script."""
    cdef list parts = []
    cdef const char* start
    node = text_from(node)
    while node != NULL:
        start = <const char*> node.content
        if start != NULL:
            parts.append(start[: strnlen(start, 4 * limit)].decode("utf-8", "ignore"))
        node = text_from(node.next)
    return (<unicode> parts[0] if len(parts) == 1 else "".join(parts))[:limit]


cdef unicode whole_text(xmlNode* node):
    return start_of_text(node, MOST_CHARACTERS)


# --- strings with meanings: looked up as a whole, or found in a text


@cython.final
cdef class Table:
    """Strings with their meanings. It never grows: the strings of a page are only looked up."""

    def __cinit__(self, dict meanings):
        """`meanings` has (cue, mask, flags) of each string."""
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
        for text, (cue, mask, marks) in meanings.items():
            encoded = text.encode("utf-8", "surrogatepass")
            self.kept.append(encoded)
            slot = slot_of(<Text> <const char*> encoded, len(encoded), False) & self.last_slot
            while self.slots[slot].text != NULL:
                slot = (slot + 1) & self.last_slot
            entry = &self.slots[slot]
            entry.text = <Text> <const char*> encoded
            entry.length = len(encoded)
            entry.cue, entry.mask, entry.marks = cue, mask, marks
            self.lengths[start_of(entry.text, entry.length)] |= length_bit(entry.length)

    def __dealloc__(self):
        free(self.slots)

    cdef Entry* find(self, Text text, Py_ssize_t length, bint folded) noexcept nogil:
        """Return the entry of a string, or of its ASCII lower case; NULL if there is none."""
        cdef Entry* entry
        # most strings of a page are not in any table
        if not self.lengths[start_of(text, length)] & length_bit(length):
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


cdef inline uint32_t length_bit(Py_ssize_t length) noexcept nogil:
    return <uint32_t> 1 << (length if length < 31 else 31)


cdef inline uint32_t slot_of(Text text, Py_ssize_t length, bint folded) noexcept nogil:
    """FNV-1a (Fowler, Noll & Vo)."""
    cdef uint32_t hash_ = 2166136261
    for index in range(length):
        hash_ = (hash_ ^ (lower(text[index]) if folded else text[index])) * 16777619
    return hash_ ^ hash_ >> 15


@cython.final
cdef class Pieces:
    """Lower-case ASCII strings to find anywhere in a text, in any case."""

    def __cinit__(self, dict cues):
        cdef bytes encoded
        if len(cues) > 32:
            raise ValueError("at most 32 pieces")
        self.kept = []
        for text, cue in cues.items():
            encoded = text.encode("ascii")
            if not encoded.islower():
                raise ValueError("pieces are in lower case")
            self.kept.append(encoded)
            self.pieces[self.count].text = <Text> <const char*> encoded
            self.pieces[self.count].length = len(encoded)
            self.pieces[self.count].cue = cue
            self.starts[encoded[0]] = True
            self.count += 1

    cdef int64_t search(self, Text text, Py_ssize_t length, bint* unsure) noexcept nogil:
        """Return the cues of the pieces in a text; `unsure` is set if only Python can decide."""
        cdef int64_t found = 0
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
                            found |= piece.cue
        return found


# --- bytes


def is_utf8(bytes body not None):
    """Whether Python's strict UTF-8 codec accepts these bytes."""
    cdef const uint8_t* at = <const uint8_t*> <const char*> body
    cdef const uint8_t* stop = at + len(body)
    cdef bint valid
    with nogil:
        valid = valid_utf8(at, stop)
    return valid


cdef bint valid_utf8(const uint8_t* at, const uint8_t* stop) noexcept nogil:
    """Table 3-7 of the Unicode standard: well-formed UTF-8 byte sequences."""
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
