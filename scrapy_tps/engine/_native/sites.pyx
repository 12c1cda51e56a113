# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The texts and tag paths of a page as stable hashes: the twin of `scrapy_tps.sites.fingerprints`, which says what they are."""

cimport cython
from cpython.array cimport array, clone, resize
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.columns cimport mask_bytes
from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport text_hash
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk, path_hash, text_at

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef enum:
    FEW = 512

cdef uint32_t SPREAD = 0x9E3779B1
cdef uint32_t TIMES = 0x85EBCA6B
cdef array SIGNED = array("i")
cdef array UNSIGNED = array("I")


cdef inline uint32_t hash_at(Walk walk, int32_t index) noexcept nogil:
    """The hash of a text of a page: as it was walked, while the text was in the caches, or now."""
    return walk.hashes[index] if walk.hashing else text_hash(text_at(walk, index))


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
    array paths not None, array places not None, array lengths not None, mask not None, Py_ssize_t most, int32_t whole
):
    """Return the smallest tag paths of texts, ascending, and how much of the text at each stayed, up to `whole`.

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
            shares[size - 1] = whole * kept // max(1, all_of_it)
    finally:
        free(wide)
    resize(found, size)
    return found, bytes(shares[:size])


cdef struct Pair:
    uint64_t key  # path and text; a text's hash is never 0
    uint32_t times


cdef inline Pair* slot_of(Pair* slots, uint32_t last, uint64_t key) noexcept nogil:
    cdef uint32_t slot = <uint32_t> ((key ^ (key >> 29)) * <uint64_t> 0x9E3779B97F4A7C15 >> 32) & last
    while slots[slot].key and slots[slot].key != key:
        slot = (slot + 1) & last
    return &slots[slot]


def symbol_hashes(Walk walk not None):
    """Return the hash of each symbol's tag path, and those of elements, ascending, as arrays."""
    cdef int32_t number, above, count = 0
    walk.check_open()
    cdef array found = clone(UNSIGNED, walk.alphabet_size, False), elements
    cdef uint32_t* path_of = <uint32_t*> found.data.as_uints
    cdef uint32_t* element_at = <uint32_t*> malloc((<size_t> walk.alphabet_size + 1) * sizeof(uint32_t))
    if element_at == NULL:
        raise MemoryError
    try:
        for number in range(walk.alphabet_size):
            if walk.hashing:
                path_of[number] = walk.alphabet[number].path
            else:
                above = walk.alphabet[number].above
                path_of[number] = path_hash(
                    path_of[above] if above >= 0 else 0, walk.alphabet[number].tag, walk.alphabet[number].class_
                )
            if walk.alphabet[number].tag != NULL:
                element_at[count] = path_of[number]
                count += 1
        elements = first_of(element_at, count, count)
    finally:
        free(element_at)
    return found, elements


def page_texts(Walk walk not None, array of_symbols not None, stays):
    """Return places, lengths, texts and paths of the texts of a page, as arrays.

    :param of_symbols: the hash of each symbol's tag path.
    :param stays: None, or a byte for each node: only texts with 0 are read.
    """
    cdef int32_t index, count = 0, found = 0
    cdef uint32_t text
    cdef const uint8_t* skipped = NULL
    cdef const uint32_t* path_of = <const uint32_t*> of_symbols.data.as_uints
    walk.check_open()
    if len(of_symbols) != walk.alphabet_size:
        raise ValueError("a hash for each symbol")
    if stays is not None:
        skipped = mask_bytes(stays, walk.size)
    for index in range(walk.size):
        count += walk.kinds[index] != ELEMENT and (skipped == NULL or not skipped[index])
    cdef array places = clone(SIGNED, count, False), lengths = clone(SIGNED, count, False)
    cdef array texts = clone(UNSIGNED, count, False), paths = clone(UNSIGNED, count, False)
    cdef int32_t* place_at = <int32_t*> places.data.as_ints
    cdef int32_t* length_at = <int32_t*> lengths.data.as_ints
    cdef uint32_t* text_at_ = <uint32_t*> texts.data.as_uints
    cdef uint32_t* path_at = <uint32_t*> paths.data.as_uints
    for index in range(walk.size):
        if walk.kinds[index] == ELEMENT or (skipped != NULL and skipped[index]):
            continue
        text = hash_at(walk, index)
        if not text:
            continue
        place_at[found] = index
        length_at[found] = walk.chars[index]
        text_at_[found] = text
        path_at[found] = path_of[walk.symbols[index]]
        found += 1
    resize(places, found)
    resize(lengths, found)
    resize(texts, found)
    resize(paths, found)
    return places, lengths, texts, paths


def pairs(array paths not None, array texts not None):
    """Return the hash of each pair of tag path and text, and of how often it is there."""
    cdef Py_ssize_t index, count = len(paths)
    cdef uint32_t room = 16
    cdef uint64_t key
    cdef Pair* slots
    cdef Pair* slot
    cdef array found = clone(UNSIGNED, count, False)
    cdef const uint32_t* path_at = <const uint32_t*> paths.data.as_uints
    cdef const uint32_t* text_at_ = <const uint32_t*> texts.data.as_uints
    cdef uint32_t* pair_at = <uint32_t*> found.data.as_uints
    if len(texts) != count:
        raise ValueError("a tag path for each text")
    while room < 2 * count:
        room *= 2
    slots = <Pair*> calloc(room, sizeof(Pair))
    if slots == NULL:
        raise MemoryError
    for index in range(count):
        key = <uint64_t> path_at[index] << 32 | text_at_[index]
        slot = slot_of(slots, room - 1, key)
        slot.key = key
        slot.times += 1
    for index in range(count):
        key = <uint64_t> path_at[index] << 32 | text_at_[index]
        slot = slot_of(slots, room - 1, key)
        pair_at[index] = path_at[index] * SPREAD ^ text_at_[index] ^ slot.times * TIMES
    free(slots)
    return found


def overlaps(array one not None, list others not None):
    """Return of each ascending array without repetitions how much of it and of the first is in both (Jaccard)."""
    cdef Py_ssize_t left, right, lefts = len(one), rights, shared
    cdef const uint32_t* first = <const uint32_t*> one.data.as_uints
    cdef const uint32_t* second
    cdef uint32_t mine, theirs
    cdef array other
    cdef list found = []
    for other in others:
        rights = len(other)
        second = <const uint32_t*> other.data.as_uints
        left = right = shared = 0
        while left < lefts and right < rights:  # without a branch: which is smaller can't be foreseen
            mine = first[left]
            theirs = second[right]
            shared += mine == theirs
            left += mine <= theirs
            right += theirs <= mine
        found.append(shared / <double> max(1, lefts + rights - shared))
    return found


cdef inline bint holds(const uint32_t* numbers, Py_ssize_t low, Py_ssize_t high, uint32_t wanted) noexcept nogil:
    """Whether ascending numbers from one place to another have this one."""
    cdef Py_ssize_t middle, end = high
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < end and numbers[low] == wanted


@cython.final
cdef class Gathered:
    """The numbers that one of some pages holds, or each of them; made once, to be asked of many pages."""

    cdef array numbers  # ascending
    cdef array starts  # where those with these upper bits start: most answers take one or two steps
    cdef int shift

    def __cinit__(self, list others not None, bint every):
        cdef Py_ssize_t index, count, bucket, before = 0
        cdef int bits = 0
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

    def __sizeof__(self):
        return 4 * (len(self.numbers) + len(self.starts)) + 64


cdef inline bint among(Gathered gathered, uint32_t wanted) noexcept:
    cdef const uint32_t* start = <const uint32_t*> gathered.starts.data.as_uints + (<uint64_t> wanted >> gathered.shift)
    return holds(<const uint32_t*> gathered.numbers.data.as_uints, start[0], start[1], wanted)


def gathered(list others not None, bint every):
    """Return the numbers that one of some ascending arrays, or every one of at least one, holds, to be asked for."""
    return Gathered(others, every)


def held_by(array numbers not None, Gathered held not None):
    """Return a byte for each number, 1 where it is among those that were gathered."""
    cdef Py_ssize_t index, count = len(numbers)
    cdef bytearray found = PyByteArray_FromStringAndSize(NULL, count)
    cdef const uint32_t* wanted = <const uint32_t*> numbers.data.as_uints
    cdef uint8_t* marks = <uint8_t*> PyByteArray_AS_STRING(found)
    for index in range(count):
        marks[index] = among(held, wanted[index])
    return found


def new_characters(Walk walk not None, stays, Gathered held not None, int64_t found, double share, double amount):
    """Add to a number the characters of the texts that stay and that no other page has, until a share of it is more.

    :param stays: a byte for each node, 1 where it stays.
    :param held: the texts of the other pages.
    """
    cdef int32_t index
    cdef uint32_t text
    cdef const uint8_t* read = mask_bytes(stays, walk.size)
    walk.check_open()
    for index in range(walk.size):
        if share * found > amount:
            break
        if walk.kinds[index] != ELEMENT and read[index]:
            text = hash_at(walk, index)
            if text and not among(held, text):
                found += walk.chars[index]
    return found


def amounts_kept(array paths not None, array lengths not None, list wanted not None, list others not None, int32_t whole):
    """Return the characters of some texts, those whose tag path other pages have, and how much of these they kept.

    :param paths: the tag path of each text of the page.
    :param wanted: the texts, by their numbers.
    :param others: the tag paths of each other page, ascending, and how much of the text at each stayed, up to `whole`.
    """
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
            share = sum_ / <double> (whole * pages) if pages else -1.0
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
    return left[0]


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
