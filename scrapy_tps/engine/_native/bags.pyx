# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""What records have in common, by the bags of the tag paths in them, and pages of a site, by those of texts and paths.

Results are those of ``scrapy_tps.records.regularity``, ``scrapy_tps.records.page`` and
``scrapy_tps.sites.fingerprints``, bit for bit; those modules say what and why.
"""

from cpython.array cimport array, clone
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort

from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION, grow
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport text_from
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk, text_at

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


cdef int by_value(const void* first, const void* second) noexcept nogil:
    cdef int32_t a = (<const int32_t*> first)[0], b = (<const int32_t*> second)[0]
    return (a > b) - (a < b)


cdef struct Pair:
    int32_t gram, count


cdef class Bags:
    """The bags of spans of a page.

    :param grams: the gram of each node, below `gram_count`; `paths`: its tag path.
    """

    cdef Walk walk
    cdef array kept_grams, kept_paths
    cdef const int32_t* grams
    cdef const int32_t* paths
    cdef int32_t gram_count
    # one entry per gram, and 0 between two calls
    cdef int32_t* stamps
    cdef int32_t* counts
    cdef int32_t* having
    cdef int32_t* most
    cdef int32_t* usual
    cdef int32_t* occurring
    cdef uint64_t* members  # bits of the clusters whose first member has it
    # the grams of the records looked at, record by record
    cdef Pair* pairs
    cdef Py_ssize_t pair_room
    cdef int32_t stamp

    def __init__(self, Walk walk not None, array grams not None, array paths not None, int32_t gram_count):
        if not len(grams) == len(paths) == walk.size:
            raise ValueError("a gram and a path for each node are needed")
        self.walk = walk
        self.kept_grams, self.kept_paths = grams, paths
        self.grams, self.paths = <const int32_t*> grams.data.as_ints, <const int32_t*> paths.data.as_ints
        self.gram_count = gram_count
        self.stamps = <int32_t*> calloc(self.gram_count, sizeof(int32_t))
        self.counts = <int32_t*> calloc(self.gram_count, sizeof(int32_t))
        self.having = <int32_t*> calloc(self.gram_count, sizeof(int32_t))
        self.most = <int32_t*> calloc(self.gram_count, sizeof(int32_t))
        self.usual = <int32_t*> calloc(self.gram_count, sizeof(int32_t))
        self.occurring = <int32_t*> calloc(self.gram_count, sizeof(int32_t))
        self.members = <uint64_t*> calloc(self.gram_count, sizeof(uint64_t))
        if (
            self.stamps == NULL or self.counts == NULL or self.having == NULL
            or self.most == NULL or self.usual == NULL or self.occurring == NULL or self.members == NULL
        ):
            raise MemoryError

    def __dealloc__(self):
        free(self.stamps)
        free(self.counts)
        free(self.having)
        free(self.most)
        free(self.usual)
        free(self.occurring)
        free(self.members)
        free(self.pairs)

    cdef inline int check_span(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if not 0 <= start < end <= self.walk.size:
            raise IndexError("no such span in the sequence")
        return 0

    cdef int count_record(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t* filled) except -1:
        """Append the bag of a span to the pairs."""
        cdef int32_t gram
        cdef Py_ssize_t place, first = filled[0], number
        self.check_span(start, end)
        if first + (end - start) > self.pair_room:
            self.pair_room = max(1024, 2 * self.pair_room, first + (end - start))
            if grow(<void**> &self.pairs, self.pair_room, sizeof(Pair)):
                self.pair_room = 0
                raise MemoryError
        self.stamp += 1
        for place in range(start, end):
            gram = self.grams[place]
            if self.stamps[gram] != self.stamp:
                self.stamps[gram] = self.stamp
                self.counts[gram] = 0
                self.pairs[filled[0]].gram = gram
                filled[0] += 1
            self.counts[gram] += 1
        for number in range(first, filled[0]):
            self.pairs[number].count = self.counts[self.pairs[number].gram]
        return 0

    cdef int32_t occurrences(self, Py_ssize_t filled) noexcept nogil:
        """Count in how many records each gram of the pairs is, and its largest count; the number of grams."""
        cdef int32_t found = 0, gram
        cdef Py_ssize_t number
        for number in range(filled):
            gram = self.pairs[number].gram
            if not self.having[gram]:
                self.occurring[found] = gram
                found += 1
                self.most[gram] = 0
            self.having[gram] += 1
            if self.pairs[number].count > self.most[gram]:
                self.most[gram] = self.pairs[number].count
        return found

    cdef void forget(self, int32_t found) noexcept nogil:
        cdef int32_t number
        for number in range(found):
            self.having[self.occurring[number]] = 0
            self.usual[self.occurring[number]] = 0

    def density(self, spans):
        """Return the mean share of the records that have a gram, over all grams that occur."""
        cdef Py_ssize_t filled = 0
        cdef int32_t found
        cdef double mean
        for start, end in spans:
            self.count_record(start, end, &filled)
        found = self.occurrences(filled)
        self.forget(found)
        mean = <double> filled / <double> len(spans)
        return mean / <double> max(1, found)

    def regularity(self, spans, chosen):
        """Return the typical bag, the density and the fit of each record; `chosen`: places, None for all."""
        cdef Py_ssize_t filled = 0, number, records, record
        cdef Py_ssize_t* borders
        cdef int32_t found, gram, size = 0
        cdef int64_t held
        cdef double density
        if chosen is not None:
            spans = [spans[place] for place in chosen]
        records = len(spans)
        borders = <Py_ssize_t*> malloc((records + 1) * sizeof(Py_ssize_t))
        if borders == NULL:
            raise MemoryError
        try:
            borders[0] = 0
            record = 0
            for start, end in spans:
                self.count_record(start, end, &filled)
                record += 1
                borders[record] = filled
            found = self.occurrences(filled)
            try:
                density = <double> filled / <double> records / <double> max(1, found)
                self.medians(found, filled, records)
                typical = {}
                for number in range(found):
                    gram = self.occurring[number]
                    if self.usual[gram]:
                        typical[gram] = self.usual[gram]
                        size += self.usual[gram]
                fits = []
                for record in range(records):
                    held = 0
                    for number in range(borders[record], borders[record + 1]):
                        held += min(self.usual[self.pairs[number].gram], self.pairs[number].count)
                    fits.append(<double> held / <double> max(1, size))
            finally:
                self.forget(found)
        finally:
            free(borders)
        return typical, density, fits

    cdef int medians(self, int32_t found, Py_ssize_t filled, Py_ssize_t records) except -1:
        """Find the median counts of the grams that at least half of the records have."""
        cdef int32_t number, gram, absent
        cdef Py_ssize_t total = 0, pair, at
        cdef int32_t* sorted_counts
        for number in range(found):
            gram = self.occurring[number]
            if 2 * <Py_ssize_t> self.having[gram] < records:
                continue
            self.usual[gram] = 1
            if self.most[gram] > 1:
                self.counts[gram] = <int32_t> total  # where its counts start
                total += self.having[gram]
            else:
                self.counts[gram] = -1
        if total == 0:
            return 0
        sorted_counts = <int32_t*> malloc(total * sizeof(int32_t))
        if sorted_counts == NULL:
            raise MemoryError
        for pair in range(filled):
            gram = self.pairs[pair].gram
            if self.usual[gram] and self.counts[gram] >= 0:
                sorted_counts[self.counts[gram]] = self.pairs[pair].count
                self.counts[gram] += 1
        for number in range(found):
            gram = self.occurring[number]
            if self.usual[gram] and self.counts[gram] >= 0:
                at = self.counts[gram] - self.having[gram]
                qsort(&sorted_counts[at], self.having[gram], sizeof(int32_t), by_value)
                absent = <int32_t> (records - self.having[gram])
                if records // 2 >= absent:
                    self.usual[gram] = sorted_counts[at + records // 2 - absent]
        free(sorted_counts)
        return 0

    def fit(self, dict typical, Py_ssize_t start, Py_ssize_t end):
        """Return the share of a typical bag that a span has, from 0 to 1."""
        cdef int32_t gram, usual, size = 0
        cdef int64_t held = 0
        cdef Py_ssize_t place
        self.check_span(start, end)
        for gram, usual in typical.items():
            if not 0 <= gram < self.gram_count:
                raise IndexError("no such gram")
            self.usual[gram] = usual
            size += usual
        for place in range(start, end):
            gram = self.grams[place]
            if self.usual[gram] > 0:
                self.usual[gram] -= 1
                held += 1
        for gram in typical:
            self.usual[gram] = 0
        return <double> held / <double> max(1, size)

    def clusters(self, list places, double least, int32_t most):
        """Cluster nodes by their subtrees; see the Python twin."""
        cdef int32_t[64] sizes, paths, shared, first
        cdef int32_t leaders = 0, leader, place, gram, size, number
        cdef Py_ssize_t filled, at
        cdef uint64_t bits
        cdef list clusters = []
        if not 0 < most <= 64:
            raise ValueError("1 to 64 clusters")
        try:
            for place in places:
                if not 0 <= place < self.walk.size:
                    raise IndexError("no such node in the sequence")
                filled = 0
                self.count_record(place, self.walk.end[place], &filled)
                size = <int32_t> filled
                for leader in range(leaders):
                    shared[leader] = 0
                for at in range(filled):
                    bits = self.members[self.pairs[at].gram]
                    leader = 0
                    while bits:
                        if bits & 1:
                            shared[leader] += 1
                        bits >>= 1
                        leader += 1
                number = leaders
                for leader in range(leaders):
                    if (
                        paths[leader] == self.paths[place]
                        and shared[leader] >= least * (size + sizes[leader] - shared[leader])
                    ):
                        number = leader
                        break
                if number == leaders and leaders < most:
                    first[leaders], sizes[leaders], paths[leaders] = place, size, self.paths[place]
                    for at in range(filled):
                        self.members[self.pairs[at].gram] |= <uint64_t> 1 << leaders
                    leaders += 1
                clusters.append(number)
        finally:
            for leader in range(leaders):
                for at in range(first[leader], self.walk.end[first[leader]]):
                    self.members[self.grams[at]] = 0
        return clusters


# pages of a site

cdef uint32_t SPREAD = 0x9E3779B1
cdef uint32_t TIMES = 0x85EBCA6B
cdef uint32_t CRC[256]
cdef uint8_t LETTER[256]  # what is read of a byte of a text; 0: nothing
cdef array SIGNED = array("i")
cdef array UNSIGNED = array("I")


cdef void make_tables() noexcept:
    cdef uint32_t number, value
    cdef int bit
    for number in range(256):
        value = number
        for bit in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        CRC[number] = value
        if number >= 0x80 or c"0" <= number <= c"9" or c"a" <= number <= c"z":
            LETTER[number] = number
        elif c"A" <= number <= c"Z":
            LETTER[number] = number + 32
        else:
            LETTER[number] = 0


make_tables()


cdef inline uint32_t step(uint32_t crc, uint8_t byte) noexcept nogil:
    return CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)


cdef uint32_t text_hash(xmlNode* node) noexcept nogil:
    """CRC-32 of the letters and digits of a text."""
    cdef uint32_t crc = 0xFFFFFFFF
    cdef const unsigned char* cursor
    cdef uint8_t byte
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                byte = LETTER[cursor[0]]
                if byte:
                    crc = step(crc, byte)
                cursor += 1
        node = text_from(node.next)
    return crc ^ <uint32_t> 0xFFFFFFFF


cdef uint32_t own_hash(const char* tag, const char* classes) noexcept nogil:
    """The hash of one step of a tag path: that of its tag, and those of its classes, digits read as 0."""
    cdef uint32_t crc = 0xFFFFFFFF, found
    cdef uint8_t byte
    cdef const unsigned char* cursor = <const unsigned char*> tag
    while cursor[0]:
        crc = step(crc, cursor[0])
        cursor += 1
    found = crc ^ <uint32_t> 0xFFFFFFFF
    cursor = <const unsigned char*> classes
    if cursor == NULL:
        return found
    while cursor[0]:
        if is_blank(cursor[0]):
            cursor += 1
            continue
        crc = 0xFFFFFFFF
        while cursor[0] and not is_blank(cursor[0]):
            byte = cursor[0]
            crc = step(crc, c"0" if c"0" <= byte <= c"9" else byte)
            cursor += 1
        found += (crc ^ <uint32_t> 0xFFFFFFFF) * SPREAD
    return found


cdef inline bint is_blank(uint8_t byte) noexcept nogil:
    return byte == 0x20 or 9 <= byte <= 13


cdef int ascending(const void* one, const void* other) noexcept nogil:
    cdef uint32_t left = (<const uint32_t*> one)[0], right = (<const uint32_t*> other)[0]
    return (left > right) - (left < right)


cdef struct TextPair:
    uint64_t key  # path and text; a text's hash is never 0
    uint32_t times


cdef inline TextPair* slot_of(TextPair* slots, uint32_t last, uint64_t key) noexcept nogil:
    cdef uint32_t slot = <uint32_t> ((key ^ (key >> 29)) * <uint64_t> 0x9E3779B97F4A7C15 >> 32) & last
    while slots[slot].key and slots[slot].key != key:
        slot = (slot + 1) & last
    return &slots[slot]


def page_texts(Walk walk not None):
    """Return places, sizes, texts, paths and pairs of the texts of a page, and its elements' tag paths, as arrays."""
    cdef int32_t index, count = 0, number, above
    cdef uint32_t room = 16, text
    cdef uint64_t key
    cdef uint32_t* paths_of
    cdef TextPair* slots = NULL
    cdef TextPair* slot
    walk.check_open()
    for index in range(walk.size):
        count += walk.kinds[index] != ELEMENT
    cdef array places = clone(SIGNED, count, False), lengths = clone(SIGNED, count, False)
    cdef array texts = clone(UNSIGNED, count, False)
    cdef array paths = clone(UNSIGNED, count, False), pairs = clone(UNSIGNED, count, False)
    cdef array elements = clone(UNSIGNED, walk.alphabet_size, False)
    while room < 2 * <uint32_t> count:
        room *= 2
    paths_of = <uint32_t*> malloc((walk.alphabet_size + 1) * sizeof(uint32_t))
    slots = <TextPair*> calloc(room, sizeof(TextPair))
    if paths_of == NULL or slots == NULL:
        free(paths_of)
        free(slots)
        raise MemoryError
    cdef int32_t* place_at = <int32_t*> places.data.as_ints
    cdef int32_t* length_at = <int32_t*> lengths.data.as_ints
    cdef uint32_t* text_at_ = <uint32_t*> texts.data.as_uints
    cdef uint32_t* path_at = <uint32_t*> paths.data.as_uints
    cdef uint32_t* pair_at = <uint32_t*> pairs.data.as_uints
    cdef uint32_t* element_at = <uint32_t*> elements.data.as_uints
    cdef int32_t element_count = 0, found = 0
    for number in range(walk.alphabet_size):
        above = walk.alphabet[number].above
        if walk.alphabet[number].tag == NULL:
            paths_of[number] = own_hash(b"#text", NULL)
        else:
            paths_of[number] = own_hash(walk.alphabet[number].tag, walk.alphabet[number].class_)
        if above >= 0:
            paths_of[number] += paths_of[above] * SPREAD
        if walk.alphabet[number].tag != NULL:
            element_at[element_count] = paths_of[number]
            element_count += 1
    for index in range(walk.size):
        if walk.kinds[index] == ELEMENT:
            continue
        text = text_hash(text_at(walk, index))
        if not text:
            continue
        place_at[found] = index
        length_at[found] = walk.chars[index]
        text_at_[found] = text
        path_at[found] = paths_of[walk.symbols[index]]
        key = <uint64_t> path_at[found] << 32 | text
        slot = slot_of(slots, room - 1, key)
        slot.key = key
        slot.times += 1
        found += 1
    for index in range(found):
        key = <uint64_t> path_at[index] << 32 | text_at_[index]
        slot = slot_of(slots, room - 1, key)
        pair_at[index] = path_at[index] * SPREAD ^ text_at_[index] ^ slot.times * TIMES
    free(paths_of)
    free(slots)
    qsort(element_at, element_count, sizeof(uint32_t), ascending)
    count = 0
    for index in range(element_count):
        if not count or element_at[count - 1] != element_at[index]:
            element_at[count] = element_at[index]
            count += 1
    return places[:found], lengths[:found], texts[:found], paths[:found], pairs[:found], elements[:count]


def common(array one not None, array other not None):
    """Return how many numbers two ascending arrays without repetitions share."""
    cdef Py_ssize_t left = 0, right = 0, lefts = len(one), rights = len(other), found = 0
    cdef const uint32_t* first = <const uint32_t*> one.data.as_uints
    cdef const uint32_t* second = <const uint32_t*> other.data.as_uints
    while left < lefts and right < rights:
        if first[left] == second[right]:
            found += 1
            left += 1
            right += 1
        elif first[left] < second[right]:
            left += 1
        else:
            right += 1
    return found


cdef bint holds(const uint32_t* numbers, Py_ssize_t count, uint32_t wanted) noexcept nogil:
    cdef Py_ssize_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < count and numbers[low] == wanted


def held_by(array numbers not None, list others not None, bint every):
    """Return a byte for each number, 1 where one of some ascending arrays, or every one, holds it."""
    cdef Py_ssize_t index, count = len(numbers), which, many = len(others)
    cdef bytearray found = bytearray(count)
    cdef array other
    cdef const uint32_t** starts = <const uint32_t**> malloc((many + 1) * sizeof(uint32_t*))
    cdef Py_ssize_t* sizes = <Py_ssize_t*> malloc((many + 1) * sizeof(Py_ssize_t))
    cdef const uint32_t* wanted = <const uint32_t*> numbers.data.as_uints
    cdef char* marks = found
    if starts == NULL or sizes == NULL:
        free(starts)
        free(sizes)
        raise MemoryError
    for which in range(many):
        other = others[which]
        starts[which] = <const uint32_t*> other.data.as_uints
        sizes[which] = len(other)
    for index in range(count):
        marks[index] = every
        for which in range(many):
            if holds(starts[which], sizes[which], wanted[index]) != every:
                marks[index] = not every
                break
    free(starts)
    free(sizes)
    return found
