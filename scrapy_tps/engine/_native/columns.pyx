# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The columns of a page under a strategy as C arrays, their sums, and the final spans.

Results are those of `scrapy_tps.engine.strategies.auto.page`, bit for bit; that module has the documentation, and
passes its constants. Nothing here needs libxml2.
"""

import os

cimport cython
from cpython.array cimport array, clone
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from scrapy_tps.engine._native.core cimport CORE_REVISION, LARGE, tps_bits

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(object)

cdef array INTEGERS = array("i")
cdef array DOUBLES = array("d")

# multipliers that are secret to the process: no page can aim at a slot
cdef uint64_t SALT_OF_TAGS = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t SALT_OF_CUES = int.from_bytes(os.urandom(8), "little") | 1


cdef const uint8_t* mask_bytes(mask, Py_ssize_t size) except NULL:
    if len(mask) != size:
        raise ValueError("a mask has a byte for each node")
    if type(mask) is bytes:
        return <const uint8_t*> PyBytes_AS_STRING(mask)
    if type(mask) is bytearray:
        return <const uint8_t*> PyByteArray_AS_STRING(mask)
    raise TypeError("a mask is bytes or a bytearray")


cdef int start_pairs(Pairs* pairs, int32_t room) except -1:
    """Make a table that numbers up to `room` pairs of a tag and cues in order of appearance."""
    cdef int32_t slots = 16
    while slots < 2 * room:
        slots *= 2
    pairs.count = 0
    pairs.mask = slots - 1
    pairs.slots = <int32_t*> calloc(slots, sizeof(int32_t))
    pairs.tags = <int32_t*> malloc((room + 1) * sizeof(int32_t))
    pairs.cues = <int64_t*> malloc((room + 1) * sizeof(int64_t))
    if pairs.slots == NULL or pairs.tags == NULL or pairs.cues == NULL:
        free_pairs(pairs)
        raise MemoryError
    return 0


cdef void free_pairs(Pairs* pairs) noexcept nogil:
    free(pairs.slots)
    free(pairs.tags)
    free(pairs.cues)
    pairs.slots = pairs.tags = NULL
    pairs.cues = NULL


cdef int32_t pair_number(Pairs* pairs, int32_t tag, int64_t cue) noexcept nogil:
    cdef uint64_t hash_ = <uint64_t> (tag + 1) * SALT_OF_TAGS ^ <uint64_t> cue * SALT_OF_CUES
    cdef int32_t slot, number
    hash_ = (hash_ ^ hash_ >> 32) * <uint64_t> 0x9E3779B97F4A7C15
    slot = <int32_t> (hash_ >> 32) & pairs.mask
    while pairs.slots[slot]:
        number = pairs.slots[slot] - 1
        if pairs.tags[number] == tag and pairs.cues[number] == cue:
            return number
        slot = (slot + 1) & pairs.mask
    number = pairs.count
    pairs.tags[number] = tag
    pairs.cues[number] = cue
    pairs.count = number + 1
    pairs.slots[slot] = number + 1
    return number


@cython.no_gc  # an array of numbers holds no objects
cdef class Numbers:
    """Room for numbers, 0 at first; none with a negative count, for numbers of an array that must not change
    meanwhile."""

    def __cinit__(self, Py_ssize_t count):
        if count >= 0:
            self.values = self.own = <int32_t*> calloc(count + 1, sizeof(int32_t))
            if self.own == NULL:
                raise MemoryError

    def __dealloc__(self):
        free(self.own)


cdef class Amounts:
    """Room for numbers with fractions, 0 at first."""

    def __cinit__(self, Py_ssize_t count):
        self.values = <double*> calloc(count + 1, sizeof(double))
        if self.values == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.values)


cdef class TagSets:
    """For each node, the set of the tag paths in its subtree; see `scrapy_tps.engine.strategies.auto.plain_columns`."""

    def __cinit__(self, Columns page not None, bytearray muted not None):
        cdef const uint8_t* absent = mask_bytes(muted, page.size)
        cdef int32_t index, above, tag
        self.bits = <uint64_t*> calloc(2 * <size_t> page.size + 2, sizeof(uint64_t))
        if self.bits == NULL:
            raise MemoryError
        for index in range(page.size):
            tag = page.tags[index] & 127
            self.bits[2 * index + (tag >> 6)] = <uint64_t> 1 << (tag & 63)
        for index in range(page.size - 1, 0, -1):
            if not absent[index]:
                above = page.parent[index]
                self.bits[2 * above] |= self.bits[2 * index]
                self.bits[2 * above + 1] |= self.bits[2 * index + 1]

    def __dealloc__(self):
        free(self.bits)

    cdef int32_t common(self, int32_t one, int32_t other) noexcept:
        cdef const uint64_t* left = self.bits + 2 * one
        cdef const uint64_t* right = self.bits + 2 * other
        return tps_bits(left[0] & right[0]) + tps_bits(left[1] & right[1])

    cdef int32_t both(self, int32_t one, int32_t other) noexcept:
        cdef const uint64_t* left = self.bits + 2 * one
        cdef const uint64_t* right = self.bits + 2 * other
        return tps_bits(left[0] | right[0]) + tps_bits(left[1] | right[1])

    cdef int32_t in_all(self, Numbers items, int32_t count) noexcept:
        cdef uint64_t low = 0, high = 0
        cdef int32_t number
        for number in range(count):
            low |= self.bits[2 * items.values[number]]
            high |= self.bits[2 * items.values[number] + 1]
        return tps_bits(low) + tps_bits(high)


cdef class Tally:
    """The tag paths in a part of a page; see `scrapy_tps.engine.strategies.auto.plain_columns`."""

    def __cinit__(self, Columns page not None):
        self.page = page
        self.first = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
        self.last = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
        self.count = <int32_t*> calloc(page.tag_count + 1, sizeof(int32_t))
        self.active = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
        self.listed = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
        if (
            self.first == NULL or self.last == NULL or self.count == NULL or self.active == NULL
            or self.listed == NULL
        ):
            raise MemoryError

    def __dealloc__(self):
        free(self.first)
        free(self.last)
        free(self.count)
        free(self.active)
        free(self.listed)

    cdef int32_t take(self, int32_t low, int32_t high, bytearray alive, int32_t least) noexcept:
        cdef const uint8_t* living = <const uint8_t*> PyByteArray_AS_STRING(alive)
        cdef int32_t places = 0, place, tag, size = 0
        for place in range(low, high):
            places += living[place]
        if places < least:
            return 0
        for place in range(self.listed_size):
            self.count[self.listed[place]] = 0
        for place in range(low, high):
            if living[place]:
                tag = self.page.tags[place]
                if self.count[tag] == 0:
                    self.first[tag] = place
                    self.active[size] = self.listed[size] = tag
                    size += 1
                self.count[tag] += 1
                self.last[tag] = place
        self.size = self.listed_size = size
        return places


cdef class Columns:
    """The columns of a `scrapy_tps.engine.strategies.auto.page.Page`: arrays of 32-bit numbers, masks, and `cues`.

    `cues` is an ``array("q")``. Python may write to `alive` and `protected`, but not replace or resize them.
    """

    def __cinit__(
        self,
        array parents not None,
        array ends not None,
        array symbols not None,
        array tags not None,
        int32_t tag_count,
        array cues not None,
        array text_lengths not None,
        bytearray link_mask not None,
        bytearray text_mask not None,
        tuple weights not None,
    ):
        cdef int32_t size = len(parents), index
        cdef Weights* of = &self.weights
        cdef array numbers
        self.size = size
        if cues.ob_descr.typecode != c"q" or len(cues) != size:
            raise ValueError("cues are an array of a 64-bit number for each node")
        for numbers in (parents, ends, symbols, tags, text_lengths):
            if numbers.ob_descr.typecode != c"i" or len(numbers) != size:
                raise ValueError("a column is an array of a 32-bit number for each node")
        self.parent_array, self.end_array, self.symbol_array, self.tag_array = parents, ends, symbols, tags
        self.cue_array, self.text_length_array = cues, text_lengths
        self.link_mask, self.text_mask = link_mask, text_mask
        self.parent, self.end = <const int32_t*> parents.data.as_ints, <const int32_t*> ends.data.as_ints
        self.symbols, self.tags = <const int32_t*> symbols.data.as_ints, <const int32_t*> tags.data.as_ints
        self.tag_count = tag_count
        self.cues = <const int64_t*> cues.data.as_longlongs
        self.text_length = <const int32_t*> text_lengths.data.as_ints
        self.in_link, self.is_text = mask_bytes(link_mask, size), mask_bytes(text_mask, size)
        of.short, of.medium, of.prose, of.short_text, of.short_link, of.medium_link, of.long_link = weights
        for index in range(size):
            self.symbol_count = max(self.symbol_count, self.symbols[index] + 1)
        self.count_cued()
        self.alive = bytearray(size)
        memset(PyByteArray_AS_STRING(self.alive), 1, size)
        self.protected = bytearray(size)

    cpdef count_cued(self):
        """List the nodes with cues again: a rule may give cues to nodes without any."""
        cdef int32_t index, count = 0
        for index in range(self.size):
            count += self.cues[index] != 0
        self.cued_array = clone(INTEGERS, count, False)
        self.cued_count = count
        self.cued = <const int32_t*> self.cued_array.data.as_ints
        count = 0
        for index in range(self.size):
            if self.cues[index]:
                self.cued_array.data.as_ints[count] = index
                count += 1

    def __dealloc__(self):
        free(self.is_link)
        free(self.is_button)
        free(self.measured)
        free(self.measured_protection)

    cdef Numbers numbers(self, Py_ssize_t count):
        return Numbers.__new__(Numbers, count)

    cdef Numbers numbers_of(self, values):
        """Return the numbers of a list, or those of an ``array("i")`` itself, which must not change meanwhile."""
        cdef Py_ssize_t place, count
        cdef Numbers found
        cdef list held
        if type(values) is array:
            if (<array> values).ob_descr.typecode != c"i":
                raise ValueError("an array of 32-bit numbers")
            found = Numbers.__new__(Numbers, -1)
            found.held = values
            found.values = <Counts> found.held.data.as_ints
            return found
        held = values
        count = len(held)
        found = Numbers.__new__(Numbers, count)
        for place in range(count):
            found.values[place] = held[place]
        return found

    cdef Amounts amounts(self, Py_ssize_t count):
        return Amounts.__new__(Amounts, count)

    cdef Numbers pairs(self, int64_t wanted, int weak):
        """Number the pairs of tags and cues; see `scrapy_tps.engine.strategies.auto.page.Page.pairs`."""
        cdef Numbers found = Numbers.__new__(Numbers, self.cued_count)
        cdef Pairs pairs
        cdef int32_t number, index
        cdef int64_t cue
        start_pairs(&pairs, self.cued_count)
        for number in range(self.cued_count):
            index = self.cued[number]
            cue = (self.cues[index] | self.cues[index] >> weak) & wanted
            found.values[number] = pair_number(&pairs, self.tags[index], cue) if cue else -1
        free_pairs(&pairs)
        return found

    cdef int fill(self, bytearray mask, Py_ssize_t start, Py_ssize_t end, int byte) except -1:
        """Write 0 or 1 for the nodes [start, end) into a mask of the page; a slice would cost 1,500 instructions."""
        if start < end:
            self.within(start)
            self.within(end)
            memset(<void*> (mask_bytes(mask, self.size) + start), byte, end - start)
        return 0

    cdef Tally tally(self):
        return Tally.__new__(Tally, self)

    cdef Numbers sums_of(self, bytearray mask):
        """Return the sums of a mask of the page before each node."""
        cdef const uint8_t* bytes_ = mask_bytes(mask, self.size)
        cdef Numbers found = Numbers.__new__(Numbers, self.size)
        cdef int32_t index
        for index in range(self.size):
            found.values[index + 1] = found.values[index] + bytes_[index]
        return found

    cdef Numbers characters_in_links(self):
        """Return the characters in links before each node."""
        cdef Numbers found = Numbers.__new__(Numbers, self.size)
        cdef int32_t index
        for index in range(self.size):
            found.values[index + 1] = found.values[index] + self.text_length[index] * (self.in_link[index] != 0)
        return found

    cdef TagSets tag_sets(self, bytearray muted):
        return TagSets.__new__(TagSets, self, muted)

    cpdef bint of_one_class(self, int32_t one, int32_t other) except -1:
        """Whether two nodes have classes with the same stem."""
        cdef int32_t number = self.stem_number(one)
        return number != 0 and number == self.stem_number(other)

    cdef int32_t stem_number(self, int32_t index) except -1:
        """Return a number for the stem of a node's class, 0 without a class."""
        cdef int32_t symbol = self.symbols[index], number
        if self.stem_of is None:
            self.stem_of = Numbers.__new__(Numbers, self.symbol_count)
            self.stems = {None: 1}  # 0 means not yet known
        number = self.stem_of.values[symbol]
        if not number:
            stem = self.read_stem(index)
            number = self.stem_of.values[symbol] = self.stems.setdefault(stem, len(self.stems) + 1)
        return number - 1

    cpdef bint are_similar(
        self, int32_t one, int32_t other, int32_t most_nodes, int32_t least_tags, double least
    ) noexcept:
        """Whether parts share their tag paths; see `scrapy_tps.engine.strategies.auto.page.Page.are_similar`."""
        cdef uint64_t of_one[2]
        cdef uint64_t of_other[2]
        cdef int32_t common, both
        if self.end[one] - one > most_nodes or self.end[other] - other > most_nodes:
            return False
        self.fill_bits(one, of_one)
        if tps_bits(of_one[0]) + tps_bits(of_one[1]) < least_tags:
            return False
        self.fill_bits(other, of_other)
        common = tps_bits(of_one[0] & of_other[0]) + tps_bits(of_one[1] & of_other[1])
        both = tps_bits(of_one[0] | of_other[0]) + tps_bits(of_one[1] | of_other[1])
        return common >= least * both

    cdef void fill_bits(self, int32_t index, uint64_t* bits) noexcept:
        """Collect the tag paths in a subtree, modulo 128, as bits."""
        cdef int32_t stop = self.end[index], tag
        bits[0] = bits[1] = 0
        while index < stop:
            tag = self.tags[index] & 127
            bits[tag >> 6] |= <uint64_t> 1 << (tag & 63)
            index += 1

    cdef uint8_t* living(self) except NULL:
        if PyByteArray_GET_SIZE(self.alive) != self.size:
            raise ValueError("`alive` has been resized")
        return <uint8_t*> PyByteArray_AS_STRING(self.alive)

    cdef uint8_t* safe(self) except NULL:
        if PyByteArray_GET_SIZE(self.protected) != self.size:
            raise ValueError("`protected` has been resized")
        return <uint8_t*> PyByteArray_AS_STRING(self.protected)

    def measure(self):
        """Compute the sums of living nodes again, from the first change on."""
        cdef const uint8_t* alive = self.living()
        cdef const uint8_t* protected = self.safe()
        cdef int32_t size = self.size, first = 0
        cdef array weights = self.weight_sums, texts = self.text_sums, proses = self.prose_sums, protections = self.protection_sums
        if self.measured == NULL:
            self.measured = <uint8_t*> malloc(size + 1)
            self.measured_protection = <uint8_t*> malloc(2 * size + 1)
            if self.measured == NULL or self.measured_protection == NULL:
                free(self.measured)
                self.measured = NULL
                raise MemoryError
        else:
            first = first_difference(self.measured, alive, size)
            if first == size:
                self.measure_protection()
                return
            first = min(first, self.first_protection_change(alive, protected))
        memcpy(self.measured, alive, size)
        memcpy(self.measured_protection, protected, size)
        memcpy(self.measured_protection + size, alive, size)
        self.weight_sums, self.text_sums = sums_from(weights, size, first), sums_from(texts, size, first)
        self.prose_sums, self.protection_sums = sums_from(proses, size, first), sums_from(protections, size, first)
        self.weight_before, self.text_before = self.weight_sums.data.as_doubles, self.text_sums.data.as_doubles
        self.prose_before, self.protection_before = self.prose_sums.data.as_doubles, self.protection_sums.data.as_doubles
        if size < LARGE:
            self.add_up(alive, protected, first)
        else:
            with nogil:
                self.add_up(alive, protected, first)

    cdef void add_up(self, const uint8_t* alive, const uint8_t* protected, int32_t first) noexcept nogil:
        cdef double* weights = <double*> self.weight_before
        cdef double* texts = <double*> self.text_before
        cdef double* proses = <double*> self.prose_before
        cdef double* protections = <double*> self.protection_before
        cdef double weight = weights[first], text = texts[first], prose = proses[first]
        cdef double protection = protections[first], one
        cdef int32_t index, chars
        # one loop: each sum waits for its last addition, but four sums wait no longer than one
        for index in range(first, self.size):
            chars = self.text_length[index]
            if chars and alive[index]:
                one = self.weight_of(index)
                weight += one
                text += chars
                if chars >= self.weights.prose and not self.in_link[index]:
                    prose += chars
                if protected[index]:
                    protection += one
            weights[index + 1] = weight
            texts[index + 1] = text
            proses[index + 1] = prose
            protections[index + 1] = protection

    cdef inline double weight_of(self, int32_t index) noexcept nogil:
        """Return the weight of a text: its characters, weighted by its size and whether it is in a link."""
        cdef const Weights* of = &self.weights
        cdef int32_t chars = self.text_length[index]
        if self.in_link[index]:
            return chars * (
                of.short_link if chars < of.short else of.medium_link if chars < of.medium else of.long_link
            )
        return chars * of.short_text if chars < of.short else chars

    cdef int32_t first_protection_change(self, const uint8_t* alive, const uint8_t* protected) noexcept nogil:
        """Return the first node that is newly alive, removed or protected since the last measuring, or the size."""
        return min(
            first_difference(self.measured_protection, protected, self.size),
            first_difference(self.measured_protection + self.size, alive, self.size),
        )

    def measure_protection(self):
        """Compute the sums of protected weight again, from the first change in protected or living nodes on."""
        cdef const uint8_t* alive = self.living()
        cdef const uint8_t* protected = self.safe()
        cdef double weight
        cdef double* sums
        cdef int32_t index, first
        cdef array protections = self.protection_sums
        if self.measured == NULL:
            self.measure()
            return
        first = self.first_protection_change(alive, protected)
        if first == self.size:
            return
        memcpy(self.measured_protection, protected, self.size)
        memcpy(self.measured_protection + self.size, alive, self.size)
        self.protection_sums = sums_from(protections, self.size, first)
        self.protection_before = sums = self.protection_sums.data.as_doubles
        weight = sums[first]
        for index in range(first, self.size):
            if self.text_length[index] and protected[index] and alive[index]:
                weight += self.weight_of(index)
            sums[index + 1] = weight

    def all_with(self, int64_t wanted):
        """Return the nodes with one of these cues, in document order."""
        cdef int32_t number
        found = []
        for number in range(self.cued_count):
            if self.cues[self.cued[number]] & wanted:
                found.append(self.cued[number])
        return found

    def first_with(self, int64_t wanted, mask=None):
        """Return the first node alive, now or by another mask, with one of these cues, or -1."""
        cdef const uint8_t* alive = self.living() if mask is None else mask_bytes(mask, self.size)
        cdef int32_t number, index
        for number in range(self.cued_count):
            index = self.cued[number]
            if self.cues[index] & wanted and alive[index]:
                return index
        return -1

    def share(self, Py_ssize_t start, Py_ssize_t stop):
        """Return the share of the living weight in the nodes [start, stop)."""
        cdef double total
        if self.measured == NULL:
            raise ValueError("nothing has been measured")
        total = self.weight_before[self.size]
        start, stop = self.within(start), self.within(stop)
        return (self.weight_before[stop] - self.weight_before[start]) / total if total else 0.0

    def characters_in(self, Py_ssize_t start, Py_ssize_t stop, mask not None):
        """Return the characters of the nodes in [start, stop) whose byte in the mask is 1."""
        cdef const uint8_t* wanted = mask_bytes(mask, self.size)
        cdef int64_t found = 0
        cdef int32_t index
        for index in range(self.within(start), self.within(stop)):
            if wanted[index]:
                found += self.text_length[index]
        return found

    def length_of(self, Py_ssize_t start, Py_ssize_t stop):
        """Return the characters of the nodes in [start, stop), alive or not."""
        cdef int64_t found = 0
        cdef int32_t index
        for index in range(self.within(start), self.within(stop)):
            found += self.text_length[index]
        return found

    def spans(self, list removed not None, list roots not None, list records not None, list pages not None):
        """Return start, end and owner of runs of nodes, one after the other.

        An owner is the number of the first removal, from 1 on; -1 means records; -2, -3 and so on mean the first,
        second … of the pages. Runs of nodes without an owner are omitted.
        """
        cdef int32_t* owner = <int32_t*> calloc(self.size + 1, sizeof(int32_t))
        cdef int32_t number, start, end, index
        cdef tuple entry
        cdef array found
        cdef int32_t* run
        if owner == NULL:
            raise MemoryError
        try:
            number = 0
            for entry in removed:
                number += 1
                for index in range(self.within(entry[0]), self.within(entry[1])):
                    if owner[index] == 0:
                        owner[index] = number
            for start in roots:
                for index in range(self.within(start), self.end[start]):
                    owner[index] = 0
            for entry in records:
                for index in range(self.within(entry[0]), self.within(entry[1])):
                    if owner[index] == 0:
                        owner[index] = -1
            number = -1
            for start in pages:
                number -= 1
                for index in range(self.within(start), self.end[start]):
                    if owner[index] == 0:
                        owner[index] = number
            number = 0
            for index in range(self.size):
                number += owner[index] != 0 and (index == 0 or owner[index] != owner[index - 1])
            found = clone(INTEGERS, 3 * number, False)
            run = <int32_t*> found.data.as_ints
            start = 0
            while start < self.size:
                number = owner[start]
                end = start
                while end < self.size and owner[end] == number:
                    end += 1
                if number:
                    run[0], run[1], run[2] = start, end, number
                    run += 3
                start = end
        finally:
            free(owner)
        return found

    cdef int32_t within(self, Py_ssize_t place) except -1:
        if not 0 <= place <= self.size:
            raise IndexError("no such node in the sequence")
        return <int32_t> place


def clear(array runs not None, bytearray mask not None):
    """Write 0 to the bytes of the removed nodes in runs, which `Columns.spans` returns."""
    cdef const int32_t* run = <const int32_t*> runs.data.as_ints
    cdef int32_t number
    cdef Py_ssize_t size = len(mask)
    cdef char* bytes_ = PyByteArray_AS_STRING(mask)
    for number in range(len(runs) // 3):
        if not 0 <= run[0] <= run[1] <= size:
            raise IndexError("no such node in the sequence")
        if run[2] > 0:
            memset(bytes_ + run[0], 0, run[1] - run[0])
        run += 3


cdef array sums_from(array sums, int32_t size, int32_t first):
    """Return room for sums that change after a place: the same memory (fresh memory is expensive), unless a rule holds
    it too."""
    cdef array made
    # two references: the caller and the columns
    if sums is not None and Py_REFCNT(sums) <= 2:
        return sums
    made = clone(DOUBLES, size + 1, False)
    if sums is None:
        made.data.as_doubles[0] = 0.0
    else:
        memcpy(made.data.as_doubles, sums.data.as_doubles, (first + 1) * sizeof(double))
    return made


cdef int32_t first_difference(const uint8_t* one, const uint8_t* other, int32_t size) noexcept nogil:
    """Return the first place where two masks differ, or their size."""
    cdef int32_t place = 0
    cdef uint64_t first, second
    while size - place >= 8:
        memcpy(&first, one + place, 8)
        memcpy(&second, other + place, 8)
        if first != second:
            break
        place += 8
    while place < size and one[place] == other[place]:
        place += 1
    return place
