# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The texts and tag paths of a page as stable hashes: the twin of `scrapy_tps.sites.fingerprints`, which says what they are."""

import os

cimport cython
from cpython.array cimport array, clone, resize
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.columns cimport mask_bytes
from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.texts cimport text_hash
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk, text_at

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef enum:
    FEW = 512
    WHOLE = 255  # what is kept of a text that stayed: see `scrapy_tps.sites.fingerprints`

cdef uint32_t SPREAD = 0x9E3779B1
cdef uint32_t TIMES = 0x85EBCA6B
# drawn at import, odd: no page can aim at a slot of a table; what comes out does not depend on it
cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
cdef array SIGNED = array("i")
cdef array UNSIGNED = array("I")


cdef int hash_all(Walk walk) except -1:
    """Hash the texts and tag paths of a page that was walked without: where few are compared, as after the cut."""
    cdef int32_t index
    if walk.hashing:
        return 0
    walk.hashes = <uint32_t*> malloc((<size_t> walk.size + 1) * sizeof(uint32_t))
    if walk.hashes == NULL or walk.reserve_paths():
        free(walk.hashes)
        walk.hashes = NULL
        raise MemoryError
    for index in range(walk.alphabet_size):
        walk.add_path(walk.alphabet[index].above, walk.alphabet[index].tag, walk.alphabet[index].class_)
    for index in range(walk.size):
        walk.hashes[index] = 0 if walk.kinds[index] == ELEMENT else text_hash(text_at(walk, index))
    walk.hashing = True
    return 0


cdef int sort_by_high_half(uint64_t* numbers, Py_ssize_t count) except -1:
    """Sort numbers by their upper 32 bits, equal ones in the order in which they are."""
    cdef uint64_t* other = <uint64_t*> malloc((count + 1) * sizeof(uint64_t))
    cdef uint64_t* unsorted = numbers
    cdef uint64_t* sorted_ = other
    cdef Py_ssize_t starts[256]
    cdef Py_ssize_t index, start, size
    cdef uint64_t number
    cdef int shift, byte
    if other == NULL:
        raise MemoryError
    # a few hashes are nearly in order after one pass; of many that someone chose to be alike, that would take long
    for shift in range(56 if count <= FEW else 32, 64, 8):
        memset(starts, 0, sizeof(starts))
        for index in range(count):
            starts[(unsorted[index] >> shift) & 0xFF] += 1
        start = 0
        for byte in range(256):
            size = starts[byte]
            starts[byte] = start
            start += size
        for index in range(count):
            byte = (unsorted[index] >> shift) & 0xFF
            sorted_[starts[byte]] = unsorted[index]
            starts[byte] += 1
        unsorted, sorted_ = sorted_, unsorted
    if count <= FEW:
        for index in range(count):
            number = unsorted[index]
            start = index
            while start > 0 and numbers[start - 1] >> 32 > number >> 32:
                numbers[start] = numbers[start - 1]
                start -= 1
            numbers[start] = number
    free(other)  # the loop above, or an even number of passes, has brought all back to where they were
    return 0


def smallest(array numbers not None, Py_ssize_t most):
    """Return the smallest of some numbers, ascending, each once."""
    return first_of(<const uint32_t*> numbers.data.as_uints, len(numbers), most)


cdef array first_of(const uint32_t* numbers, Py_ssize_t count, Py_ssize_t most):
    cdef uint64_t* wide = <uint64_t*> malloc((count + 1) * sizeof(uint64_t))
    cdef array found = clone(UNSIGNED, min(count, most), False)
    cdef uint32_t* found_at = <uint32_t*> found.data.as_uints
    cdef Py_ssize_t index, size = 0
    if wide == NULL:
        raise MemoryError
    try:
        for index in range(count):
            wide[index] = <uint64_t> numbers[index] << 32
        sort_by_high_half(wide, count)
        for index in range(count):
            if size == most:
                break
            if index == 0 or wide[index] != wide[index - 1]:
                found_at[size] = <uint32_t> (wide[index] >> 32)
                size += 1
    finally:
        free(wide)
    resize(found, size)
    return found


def kept_shares(
    array paths not None, array places not None, array lengths not None, mask not None, Py_ssize_t most
):
    """Return the smallest tag paths of texts, ascending, and how much of the text at each stayed, up to `WHOLE`.

    :param mask: a byte for each node, 1 where it stays.
    """
    cdef Py_ssize_t count = len(paths), index, size = 0
    cdef int64_t all_of_it = 0, kept = 0
    cdef uint64_t* wide
    cdef const uint32_t* path_at = <const uint32_t*> paths.data.as_uints
    cdef const int32_t* place_at = <const int32_t*> places.data.as_ints
    cdef const int32_t* length_at = <const int32_t*> lengths.data.as_ints
    cdef const uint8_t* stays = mask_bytes(mask, len(mask))
    cdef array found = clone(UNSIGNED, min(count, most), False)
    cdef bytearray shares = bytearray(min(count, most))
    cdef uint32_t text
    if len(places) != count or len(lengths) != count or (count and place_at[count - 1] >= len(mask)):
        raise ValueError("a path, a place and a length for each text")
    wide = <uint64_t*> malloc((count + 1) * sizeof(uint64_t))
    if wide == NULL:
        raise MemoryError
    try:
        for index in range(count):
            wide[index] = <uint64_t> path_at[index] << 32 | <uint32_t> index
        sort_by_high_half(wide, count)
        for index in range(count):
            text = <uint32_t> wide[index]
            if index == 0 or wide[index] >> 32 != wide[index - 1] >> 32:
                if size == most:
                    break
                all_of_it = kept = 0
                found.data.as_uints[size] = path_at[text]
                size += 1
            all_of_it += length_at[text]
            if stays[place_at[text]]:
                kept += length_at[text]
            shares[size - 1] = WHOLE * kept // max(1, all_of_it)
    finally:
        free(wide)
    resize(found, size)
    return found, bytes(shares[:size])


cdef struct Pair:
    uint32_t key  # of path and text
    uint32_t times  # 0: a free slot


cdef inline uint32_t pair_of(uint32_t path, uint32_t text) noexcept nogil:
    return path * SPREAD ^ text


cdef int hash_pairs(
    const uint32_t* path_at, const uint32_t* text_at_, const int32_t* wanted, Py_ssize_t count, uint32_t* found
) except -1:
    """Hash the pairs of tag path and text of some texts, each with how often it is there.

    :param wanted: the texts, by their numbers; NULL: the first so many.
    :param found: room for the hashes.
    """
    cdef Py_ssize_t index, text
    cdef uint32_t room = 16, slot, key
    cdef Pair* slots
    while room < 4 * count:  # where two seldom fall together, hardly any branch can't be foreseen
        room *= 2
    slots = <Pair*> calloc(room, sizeof(Pair))
    if slots == NULL:
        raise MemoryError
    for index in range(count):
        text = index if wanted == NULL else wanted[index]
        key = pair_of(path_at[text], text_at_[text])
        slot = <uint32_t> ((key * SECRET) >> 32) & (room - 1)
        while slots[slot].times and slots[slot].key != key:
            slot = (slot + 1) & (room - 1)
        slots[slot].key = key
        slots[slot].times += 1
        found[index] = slot
    for index in range(count):
        found[index] = slots[found[index]].key ^ slots[found[index]].times * TIMES
    free(slots)
    return 0


cdef array hashes_of_pairs(array paths, array texts):
    """The hash of each pair of tag path and text, and of how often it is there."""
    cdef array found = clone(UNSIGNED, len(paths), False)
    hash_pairs(
        <const uint32_t*> paths.data.as_uints, <const uint32_t*> texts.data.as_uints, NULL, len(paths),
        <uint32_t*> found.data.as_uints,
    )
    return found


def overlaps(array one not None, list others not None):
    """Return of each ascending array without repetitions how much of it and of the first is in both (Jaccard)."""
    return [overlap(one, len(one), other) for other in others]


cdef double overlap(array one, Py_ssize_t lefts, array other) except -1.0:
    cdef Py_ssize_t left = 0, right = 0, rights = len(other), shared = 0
    cdef const uint32_t* first = <const uint32_t*> one.data.as_uints
    cdef const uint32_t* second = <const uint32_t*> other.data.as_uints
    cdef uint32_t mine, theirs
    while left < lefts and right < rights:  # without a branch: which is smaller can't be foreseen
        mine = first[left]
        theirs = second[right]
        shared += mine == theirs
        left += mine <= theirs
        right += theirs <= mine
    return shared / <double> max(1, lefts + rights - shared)


@cython.final
cdef class Gathered:
    """The numbers that one of some pages holds, or each of them; made once, to be asked of many pages."""

    cdef array numbers  # ascending
    cdef array starts  # where those with these upper bits start
    cdef int shift
    cdef uint32_t count
    cdef uint32_t first_step  # of a search among those with the same upper bits: a power of two, or 0

    def __cinit__(self, list others not None, bint every):
        cdef Py_ssize_t index, count, bucket, before = 0
        cdef int bits = 0, steps = 0
        cdef uint32_t most = 0
        self.numbers = in_all(others) if every else in_any(others)
        count = len(self.numbers)
        while bits < 16 and count > 1 << bits:
            bits += 1
        self.shift = 32 - bits
        self.starts = clone(UNSIGNED, (1 << bits) + 1, False)
        for index in range(count):
            bucket = <Py_ssize_t> (<uint64_t> self.numbers.data.as_uints[index] >> self.shift) + 1
            while before < bucket:
                self.starts.data.as_uints[before] = <uint32_t> index
                before += 1
        while before <= 1 << bits:
            self.starts.data.as_uints[before] = <uint32_t> count
            before += 1
        for bucket in range(1 << bits):
            most = max(most, self.starts.data.as_uints[bucket + 1] - self.starts.data.as_uints[bucket])
        while most >> 1:
            most >>= 1
            steps += 1
        self.first_step = <uint32_t> most << steps
        # as many more than the longest search may pass over
        resize(self.numbers, count + 2 * self.first_step + 1)
        for index in range(count, count + 2 * self.first_step + 1):
            self.numbers.data.as_uints[index] = 0xFFFFFFFF
        self.count = count

    def __contains__(self, uint32_t wanted):
        return among(self, wanted)

    def __sizeof__(self):
        return 4 * (len(self.numbers) + len(self.starts)) + 64


cdef inline bint among(Gathered gathered, uint32_t wanted) noexcept:
    """Whether a number is held: in the same number of steps for each, without a branch that can't be foreseen."""
    cdef const uint32_t* numbers = <const uint32_t*> gathered.numbers.data.as_uints
    cdef uint32_t place = gathered.starts.data.as_uints[<uint64_t> wanted >> gathered.shift]
    cdef uint32_t step = gathered.first_step
    while step:
        place += step * (numbers[place + step - 1] < wanted)
        step >>= 1
    return (numbers[place] == wanted) & (place < gathered.count)


def gathered(list others not None, bint every):
    """Return the numbers that one of some ascending arrays, or every one of at least one, holds, to be asked for."""
    return Gathered(others, every)


cdef int64_t sum_of(array lengths, bytearray marks):
    """The sum of the lengths with a 1 among the marks."""
    cdef Py_ssize_t index
    cdef const int32_t* length_at = <const int32_t*> lengths.data.as_ints
    cdef const uint8_t* marked = <const uint8_t*> PyByteArray_AS_STRING(marks)
    cdef int64_t found = 0
    for index in range(len(marks)):
        found += length_at[index] if marked[index] else 0
    return found


cdef tuple kept_amounts(array paths, array lengths, list wanted, list others):
    """The characters of some texts, those whose tag path other pages have, and how much of these they kept."""
    cdef Py_ssize_t count = len(paths), place, rights
    cdef int32_t text, sum_, pages
    cdef int64_t size = 0, known = 0
    cdef double kept = 0.0, share = -1.0
    cdef uint32_t path, last = 0
    cdef bint some = False
    cdef array other
    cdef bytes shares
    cdef tuple pair
    cdef const uint32_t* other_at
    if len(lengths) != count:
        raise ValueError("a length for each text")
    for text in wanted:
        if not 0 <= text < count:
            raise IndexError("no such text on the page")
        path = paths.data.as_uints[text]
        if not some or path != last:
            sum_ = pages = 0
            for pair in others:
                other, shares = pair
                rights = min(<Py_ssize_t> len(other), <Py_ssize_t> len(shares))
                other_at = <const uint32_t*> other.data.as_uints
                place = first_at(other_at, rights, path)
                if place < rights and other_at[place] == path:
                    sum_ += <uint8_t> shares[place]
                    pages += 1
            share = sum_ / <double> (WHOLE * pages) if pages else -1.0
            last, some = path, True
        size += lengths.data.as_ints[text]
        if share >= 0.0:
            known += lengths.data.as_ints[text]
            kept += share * lengths.data.as_ints[text]
    return size, known, kept


cdef inline Py_ssize_t first_at(const uint32_t* numbers, Py_ssize_t count, uint32_t wanted) noexcept nogil:
    """The place of the first of ascending numbers that is not smaller."""
    cdef Py_ssize_t low = 0, middle
    while low < count:
        middle = (low + count) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            count = middle
    return low


cdef array in_any(list others):
    """The numbers that one of some ascending arrays holds, ascending, each once."""
    cdef list left = others, merged
    cdef Py_ssize_t index
    if not left:
        return clone(UNSIGNED, 0, False)
    while len(left) > 1:
        merged = [union(left[index - 1], left[index]) for index in range(1, len(left), 2)]
        if len(left) & 1:
            merged.append(left[len(left) - 1])
        left = merged
    return left[0][:] if left[0] is others[0] else left[0]


cdef array union(array one, array other):
    cdef Py_ssize_t left = 0, right = 0, lefts = len(one), rights = len(other), size = 0
    cdef array found = clone(UNSIGNED, lefts + rights, False)
    cdef const uint32_t* first = <const uint32_t*> one.data.as_uints
    cdef const uint32_t* second = <const uint32_t*> other.data.as_uints
    cdef uint32_t* found_at = <uint32_t*> found.data.as_uints
    cdef uint32_t number
    while left < lefts or right < rights:
        if right == rights or left < lefts and first[left] <= second[right]:
            number = first[left]
            right += right < rights and second[right] == number
            left += 1
        else:
            number = second[right]
            right += 1
        found_at[size] = number
        size += 1
    resize(found, size)
    return found


cdef array in_all(list others):
    """The numbers that each of some ascending arrays holds, ascending."""
    cdef array other
    cdef array found = others[0][:]
    cdef uint32_t* held = <uint32_t*> found.data.as_uints
    cdef const uint32_t* numbers
    cdef Py_ssize_t left, right, rights, size = len(found), kept
    for other in others[1:]:
        numbers = <const uint32_t*> other.data.as_uints
        left = right = kept = 0
        rights = len(other)
        while left < size and right < rights:
            if held[left] == numbers[right]:
                held[kept] = held[left]
                kept += 1
                left += 1
                right += 1
            elif held[left] < numbers[right]:
                left += 1
            else:
                right += 1
        size = kept
    resize(found, size)
    return found


cdef bytearray unheld(array texts, Gathered held):
    cdef Py_ssize_t index, count = len(texts)
    cdef bytearray found = PyByteArray_FromStringAndSize(NULL, count)
    cdef const uint32_t* text_at_ = <const uint32_t*> texts.data.as_uints
    cdef uint8_t* marks = <uint8_t*> PyByteArray_AS_STRING(found)
    for index in range(count):
        marks[index] = not among(held, text_at_[index])
    return found


cdef bytearray pairs_held(array paths, array texts, bytearray new, Gathered common):
    """Mark the texts that are among the pairs; what is new is on no page, and is not looked for."""
    cdef Py_ssize_t index, count = len(texts), size = 0
    cdef bytearray found = bytearray(count)
    cdef array known = clone(SIGNED, count, False), hashes = clone(UNSIGNED, count, False)
    cdef int32_t* known_at = <int32_t*> known.data.as_ints
    cdef const uint32_t* hash_at = <const uint32_t*> hashes.data.as_uints
    cdef const uint8_t* is_new = <const uint8_t*> PyByteArray_AS_STRING(new)
    cdef uint8_t* marks = <uint8_t*> PyByteArray_AS_STRING(found)
    for index in range(count):
        known_at[size] = <int32_t> index
        size += is_new[index] == 0
    hash_pairs(
        <const uint32_t*> paths.data.as_uints, <const uint32_t*> texts.data.as_uints, known_at, size,
        <uint32_t*> hashes.data.as_uints,
    )
    for index in range(size):
        marks[known_at[index]] = among(common, hash_at[index])
    return found


@cython.final
cdef class Texts:
    """The twin of the class with this name: texts of a page, and what other pages say of each."""

    cdef readonly array places, before, lengths, texts, paths
    cdef readonly object new, repeated
    cdef readonly int64_t new_length
    cdef list others  # of other pages the tag paths, ascending, and how much of the text at each stayed
    cdef array known_pairs

    @property
    def pairs(self):
        if self.known_pairs is None:
            self.known_pairs = hashes_of_pairs(self.paths, self.texts)
        return self.known_pairs

    def amounts_kept(self, list wanted not None):
        return kept_amounts(self.paths, self.lengths, wanted, self.others)


@cython.final
cdef class PageTexts:
    """The twin of the class with this name: the texts of a page, read when they are asked for."""

    cdef Walk walk
    cdef readonly array elements
    cdef Texts known

    def __init__(self, Walk walk not None):
        walk.check_open()
        hash_all(walk)
        self.walk = walk
        self.elements = first_of(walk.element_paths, walk.element_path_count, walk.element_path_count)

    def alike(self, list others not None, Py_ssize_t most, double share):
        cdef array other, elements = self.elements
        cdef Py_ssize_t count = min(len(elements), most)
        cdef list found = []
        for other in others:
            found.append(overlap(elements, count, other) >= share)
        return found

    def all(self):
        return self.compared(None, None, None, []) if self.known is None else self.known

    def compared(self, stays, Gathered held, Gathered common, list others not None):
        cdef Texts texts = read_texts(self.walk, stays)
        texts.others = others
        if held is not None:
            texts.new = unheld(texts.texts, held)
            texts.new_length = sum_of(texts.lengths, texts.new)
            if common is not None:
                texts.repeated = pairs_held(texts.paths, texts.texts, texts.new, common)
        if stays is None:
            self.known = texts
        return texts

    def new_characters(self, stays, Gathered held not None, int64_t found, double share, double amount):
        cdef int32_t index
        cdef uint32_t text
        cdef const uint8_t* read = mask_bytes(stays, self.walk.size)
        self.walk.check_open()
        for index in range(self.walk.size):
            if share * found > amount:
                break
            text = self.walk.hashes[index]
            if text and read[index] and not among(held, text):
                found += self.walk.chars[index]
        return found


cdef Texts read_texts(Walk walk, stays):
    """The texts of a page, or those with 0 of a byte for each node."""
    cdef int32_t index, found = 0
    cdef const uint8_t* skipped = NULL
    walk.check_open()
    if stays is not None:
        skipped = mask_bytes(stays, walk.size)
    cdef array places = clone(SIGNED, walk.size, False), before = clone(SIGNED, walk.size + 1, False)
    cdef int32_t* place_at = <int32_t*> places.data.as_ints
    cdef int32_t* before_at = <int32_t*> before.data.as_ints
    # without a branch: which nodes are texts can't be foreseen; elements have no hash
    if skipped == NULL:
        for index in range(walk.size):
            place_at[found] = index
            before_at[index] = found
            found += walk.hashes[index] != 0
    else:
        for index in range(walk.size):
            place_at[found] = index
            before_at[index] = found
            found += (walk.hashes[index] != 0) & (skipped[index] == 0)
    before_at[walk.size] = found
    resize(places, found)
    place_at = <int32_t*> places.data.as_ints
    cdef array lengths = clone(SIGNED, found, False), texts = clone(UNSIGNED, found, False)
    cdef array paths = clone(UNSIGNED, found, False)
    for index in range(found):
        lengths.data.as_ints[index] = walk.chars[place_at[index]]
        texts.data.as_uints[index] = walk.hashes[place_at[index]]
        paths.data.as_uints[index] = walk.paths[walk.symbols[place_at[index]]]
    cdef Texts all_of_it = Texts()
    all_of_it.places, all_of_it.before, all_of_it.lengths = places, before, lengths
    all_of_it.texts, all_of_it.paths = texts, paths
    all_of_it.new = all_of_it.repeated = b""
    return all_of_it
