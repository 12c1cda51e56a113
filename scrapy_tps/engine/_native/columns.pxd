# cython: language_level=3
"""The columns of a page, for the modules that use them (see `columns.pyx`)."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

ctypedef const int32_t* Ints
ctypedef const int64_t* Longs
ctypedef const double* Doubles
ctypedef const uint8_t* Bytes
ctypedef int32_t* Counts
ctypedef double* Totals


cdef struct Weights:
    # lengths in characters: limits of short and medium texts, and the start of prose
    int32_t short, medium, prose
    # the weight of a character
    double short_text, short_link, medium_link, long_link


cdef class Columns


cdef class Numbers:
    cdef Counts values
    cdef Counts own  # NULL if the numbers are those of `held`
    cdef array held


cdef class Amounts:
    cdef Totals values


# for each node, the set of the tag paths in its subtree (modulo 128)
cdef class TagSets:
    cdef uint64_t* bits
    cdef int32_t common(self, int32_t one, int32_t other) noexcept
    cdef int32_t both(self, int32_t one, int32_t other) noexcept
    cdef int32_t in_all(self, Numbers items, int32_t count) noexcept


# for the living nodes in a part of a page: the tag paths in order of appearance, with first and last place and the
# number of places of each
cdef class Tally:
    cdef Columns page
    cdef Counts first
    cdef Counts last
    cdef Counts count
    cdef Counts active
    cdef Counts listed
    cdef int32_t size, listed_size
    cdef int32_t take(self, int32_t low, int32_t high, bytearray alive, int32_t least) noexcept


cdef class Columns:
    cdef readonly object walk  # their source, if that was a walk
    cdef readonly int32_t size, tag_count, symbol_count, cued_count
    # the view for Python, which also owns the memory; no array is ever resized, `cued_array` is created again
    cdef readonly array parent_array, end_array, symbol_array, tag_array, cue_array, cued_array, text_length_array
    cdef readonly array weight_sums, text_sums, prose_sums, protection_sums
    cdef readonly bytearray link_mask, text_mask, alive, protected
    cdef uint8_t* measured  # alive at the last measuring; NULL before the first one
    cdef uint8_t* measured_protection  # protected and alive at the last measuring of protection
    # the same memory, by the names that `scrapy_tps.engine.strategies.auto.page.Page` uses
    cdef Ints parent
    cdef Ints end
    cdef Ints symbols
    cdef Ints tags
    cdef Longs cues
    cdef Ints cued
    cdef Ints text_length
    cdef Bytes in_link
    cdef Bytes is_text
    cdef Weights weights
    cdef Doubles weight_before
    cdef Doubles text_before
    cdef Doubles prose_before
    cdef Doubles protection_before
    # only for a walk: the kinds of nodes, and for each symbol whether it is an `a` or a `button`
    cdef Bytes kinds
    cdef uint8_t* is_link
    cdef uint8_t* is_button

    cdef bytearray digits  # for examined texts: 2 if they may have a digit, 1 if not; None at first
    # returns the stem of a node's class, None without one; by symbol, the numbers of those requested
    cdef public object read_stem
    cdef dict stems
    cdef Numbers stem_of

    cpdef count_cued(self)
    cdef Numbers numbers(self, Py_ssize_t count)
    cdef Numbers numbers_of(self, values)
    cdef Amounts amounts(self, Py_ssize_t count)
    cdef Numbers pairs(self, int64_t wanted, int weak)
    cdef Tally tally(self)
    cdef int fill(self, bytearray mask, Py_ssize_t start, Py_ssize_t end, int byte) except -1
    cdef Numbers sums_of(self, bytearray mask)
    cdef Numbers characters_in_links(self)
    cdef TagSets tag_sets(self, bytearray muted)
    cpdef bint of_one_class(self, int32_t one, int32_t other) except -1
    cdef int32_t stem_number(self, int32_t index) except -1
    cpdef bint are_similar(
        self, int32_t one, int32_t other, int32_t most_nodes, int32_t least_tags, double least
    ) noexcept
    cdef void fill_bits(self, int32_t index, uint64_t* bits) noexcept
    cdef void add_up(self, const uint8_t* alive, const uint8_t* protected, int32_t first) noexcept nogil
    cdef double weight_of(self, int32_t index) noexcept nogil
    cdef int32_t first_protection_change(self, const uint8_t* alive, const uint8_t* protected) noexcept nogil
    cdef uint8_t* living(self) except NULL
    cdef uint8_t* safe(self) except NULL
    cdef int32_t within(self, Py_ssize_t place) except -1


# the bytes of a mask with a byte for each of so many nodes
cdef const uint8_t* mask_bytes(mask, Py_ssize_t size) except NULL


cdef struct Pairs:
    int32_t* slots
    int32_t* tags
    int64_t* cues
    int32_t count
    int32_t mask


cdef int start_pairs(Pairs* pairs, int32_t room) except -1
cdef void free_pairs(Pairs* pairs) noexcept nogil
cdef int32_t pair_number(Pairs* pairs, int32_t tag, int64_t cue) noexcept nogil


cdef inline bint any_in(const int32_t* indexes, int32_t count, int32_t start, int32_t end) noexcept nogil:
    """Whether one of these ascending indexes is in [start, end)."""
    cdef int32_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) >> 1
        if indexes[middle] < start:
            low = middle + 1
        else:
            high = middle
    return low < count and indexes[low] < end
