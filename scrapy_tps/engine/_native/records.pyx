# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The columns of a page that record extraction needs, what is counted in spans of them, and what records have in
common, by the bags of the tag paths in them.

Results are those of ``scrapy_tps.records.page`` and ``scrapy_tps.records.regularity``, bit for bit; those modules say
what and why.
"""

from cpython cimport array
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport strlen

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport tree
from lxml.includes.tree cimport xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION, grow
from scrapy_tps.engine._native.texts cimport is_ascii_space, text_from
from scrapy_tps.engine._native.walk cimport ELEMENT, TAIL_OF, Walk

import array

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef array.array INTEGERS = array.array("i")
cdef array.array DOUBLES = array.array("d")


cdef array.array integers(Py_ssize_t size):
    return array.clone(INTEGERS, size, zero=True)


cdef int32_t number_of(dict numbers, key) except -1:
    """The number of a key, a new one if it has none."""
    number = numbers.get(key)
    if number is None:
        number = numbers[key] = len(numbers)
    return number


cdef unicode collapsed(const unsigned char* text):
    """A text without white space around it and with single blanks inside, as split and join make it."""
    cdef const unsigned char* start = text
    cdef const unsigned char* stop
    cdef const unsigned char* cursor
    while is_ascii_space(start[0]):
        start += 1
    stop = start + strlen(<const char*> start)
    while stop > start and is_ascii_space((stop - 1)[0]):
        stop -= 1
    cursor = start
    while cursor < stop:
        # white space other than single blanks; white space beyond ASCII starts with one of four bytes
        if cursor[0] == 32:
            if is_ascii_space(cursor[1]):
                break
        elif is_ascii_space(cursor[0]) or cursor[0] == 0xC2 or 0xE1 <= cursor[0] <= 0xE3:
            break
        cursor += 1
    found = (<const char*> start)[: stop - start].decode("utf-8")
    return found if cursor == stop else " ".join(found.split())


cdef class Columns:
    """The columns of a walk that :class:`scrapy_tps.records.page.RecordPage` describes.

    :param read_class: returns the normalised classes of a ``class`` attribute, and whether it names furniture.
    :param flags_of_tag: bits of tags, by name.
    :param bits: the bits of links, furniture tags, furniture classes and of all tags that may stay open.
    :param weights: what texts count: (limit, weight) of short links, weight of longer ones, limit and weight of
        short texts.
    """

    cdef Walk walk
    cdef readonly array.array paths, kinds, signatures, grams, flags
    cdef readonly array.array weight, text, link_text, links, texts, text_nodes
    cdef readonly array.array count_of_path, count_of_kind
    cdef readonly list signature_class, signature_of_symbol
    cdef readonly set nested_tags
    cdef list known
    cdef int32_t furniture_tag, furniture_class
    cdef readonly int32_t gram_count

    def __init__(self, Walk walk not None, read_class, dict flags_of_tag, tuple bits, tuple weights):
        walk.check_open()
        self.walk = walk
        self.known = [None] * walk.size
        self.derive(read_class, flags_of_tag, bits)
        self.sum_up(weights, bits[0])

    cdef int derive(self, read_class, dict flags_of_tag, tuple bits) except -1:
        cdef Walk walk = self.walk
        cdef int32_t count = walk.alphabet_size, symbol, parent, tag, normal, signature, flags, place, open_bits
        cdef dict tags = {}, classes = {None: 0}, normals = {"": 0}, signatures = {}
        cdef dict paths = {}, kinds = {}, pairs = {}, grams = {}
        cdef list names = [], of_class = [(0, 0)], own_flags = [], of_symbol = [0] * count
        cdef array.array tag_of = integers(count), path_of = integers(count), kind_of = integers(count)
        cdef array.array pair_of = integers(count), gram_of = integers(count), flags_of = integers(count)
        cdef array.array signature_of = integers(count)
        cdef int64_t above_path, above_kind, above_pair, above_tag
        cdef const char* name
        self.signature_class = []
        self.nested_tags = set()
        self.furniture_tag, self.furniture_class, open_bits = bits[1], bits[2], bits[3]
        for symbol in range(count):
            parent = walk.alphabet[symbol].above
            name = walk.alphabet[symbol].tag
            key = None if name == NULL else <bytes> name
            tag = number_of(tags, key)
            if tag == len(names):
                names.append("#text" if name == NULL else name.decode("utf-8"))
            name = walk.alphabet[symbol].class_
            normal, flags = 0, 0
            if name != NULL and name[0]:
                key = <bytes> name
                known = classes.get(key)
                if known is None:
                    classes_text, is_furniture = read_class(name.decode("utf-8"))
                    known = classes[key] = (
                        number_of(normals, classes_text), self.furniture_class if is_furniture else 0, classes_text
                    )
                normal, flags = (<tuple> known)[0], (<tuple> known)[1]
            signature = number_of(signatures, (<int64_t> tag << 32) | normal)
            if signature == len(own_flags):
                self.signature_class.append((<tuple> known)[2] if normal else "")
                own_flags.append(<int32_t> flags_of_tag.get(names[tag], 0) | flags)
            of_symbol[symbol] = signature
            flags = own_flags[signature]
            if parent < 0:
                above_path = above_kind = above_pair = above_tag = -1
            else:
                above_path, above_kind = path_of.data.as_ints[parent], kind_of.data.as_ints[parent]
                above_pair, above_tag = pair_of.data.as_ints[parent], tag_of.data.as_ints[parent]
                if flags & flags_of.data.as_ints[parent] & open_bits:
                    self.nested_tags.add(names[tag])
                flags |= flags_of.data.as_ints[parent]
            tag_of.data.as_ints[symbol] = tag
            path_of.data.as_ints[symbol] = number_of(paths, (above_path << 32) + tag)
            kind_of.data.as_ints[symbol] = number_of(kinds, (above_kind << 32) + signature)
            pair_of.data.as_ints[symbol] = number_of(pairs, (above_tag << 32) + tag)
            gram_of.data.as_ints[symbol] = number_of(grams, (above_pair << 32) + tag)
            signature_of.data.as_ints[symbol] = signature
            flags_of.data.as_ints[symbol] = flags
        self.signature_of_symbol = of_symbol
        self.gram_count = len(grams)
        self.flags = flags_of
        self.paths, self.kinds = integers(walk.size), integers(walk.size)
        self.signatures, self.grams = integers(walk.size), integers(walk.size)
        self.count_of_path, self.count_of_kind = integers(len(paths)), integers(len(kinds))
        for place in range(walk.size):
            symbol = walk.symbols[place]
            self.paths.data.as_ints[place] = path_of.data.as_ints[symbol]
            self.kinds.data.as_ints[place] = kind_of.data.as_ints[symbol]
            self.signatures.data.as_ints[place] = signature_of.data.as_ints[symbol]
            self.grams.data.as_ints[place] = gram_of.data.as_ints[symbol]
            self.count_of_path.data.as_ints[path_of.data.as_ints[symbol]] += 1
            self.count_of_kind.data.as_ints[kind_of.data.as_ints[symbol]] += 1
        return 0

    cdef int sum_up(self, tuple weights, int32_t in_link) except -1:
        cdef Walk walk = self.walk
        cdef int32_t place, size, chars, symbol, text = 0, linked = 0, links = 0, texts = 0
        cdef int32_t shortest, shorter, short_text
        cdef double shortest_weight, shorter_weight, link_weight, short_weight, weight = 0.0
        cdef volatile double part  # no compiler may round it together with the sum
        (shortest, shortest_weight), (shorter, shorter_weight), link_weight, short_text, short_weight = weights
        size = walk.size
        self.weight = array.clone(DOUBLES, size + 1, zero=True)
        self.text, self.link_text, self.links = integers(size + 1), integers(size + 1), integers(size + 1)
        self.texts = integers(size + 1)
        for place in range(size):
            texts += walk.chars[place] != 0
        self.text_nodes = integers(texts)
        texts = 0
        for place in range(size):
            chars, symbol = walk.chars[place], walk.symbols[place]
            if chars:
                self.text_nodes.data.as_ints[texts] = place
                texts += 1
                text += chars
                if self.flags.data.as_ints[symbol] & in_link:
                    linked += chars
                    if chars < shortest:
                        part = chars * shortest_weight
                    elif chars < shorter:
                        part = chars * shorter_weight
                    else:
                        part = chars * link_weight
                elif chars < short_text:
                    part = chars * short_weight
                else:
                    part = chars
                weight = weight + part
            elif walk.alphabet[symbol].tag != NULL:
                links += walk.alphabet[symbol].tag[0] == c"a" and walk.alphabet[symbol].tag[1] == 0
            self.weight.data.as_doubles[place + 1] = weight
            self.text.data.as_ints[place + 1] = text
            self.link_text.data.as_ints[place + 1] = linked
            self.links.data.as_ints[place + 1] = links
            self.texts.data.as_ints[place + 1] = texts
        return 0

    # --- texts

    def string(self, Py_ssize_t place):
        """Return the text of a text node, white space collapsed."""
        cdef Walk walk = self.walk
        cdef xmlNode* node
        if not 0 <= place < walk.size or walk.kinds[place] == ELEMENT:
            raise IndexError("no text node in the sequence")
        string = self.known[place]
        if string is not None:
            return string
        walk.check_open()
        node = walk.nodes[place]
        node = text_from(node.next if walk.kinds[place] == TAIL_OF else node.children)
        if text_from(node.next) == NULL:
            string = collapsed(<const unsigned char*> node.content)
        else:
            parts = []
            while node != NULL:
                if node.content != NULL:
                    parts.append((<const char*> node.content).decode("utf-8"))
                node = text_from(node.next)
            string = " ".join("".join(parts).split())
        self.known[place] = string
        return string

    def strings(self, Py_ssize_t start, Py_ssize_t end):
        """Return the texts of the text nodes of a span, in document order."""
        cdef Py_ssize_t number
        cdef list found = []
        if not 0 <= start <= end <= self.walk.size:
            raise IndexError("no such span in the sequence")
        for number in range(self.texts.data.as_ints[start], self.texts.data.as_ints[end]):
            found.append(self.string(self.text_nodes.data.as_ints[number]))
        return found

    def different_texts(self, list spans):
        """Return how many spans there are that don't hold the same texts as an earlier one."""
        cdef Py_ssize_t start, end
        cdef int32_t first, last
        cdef dict alike = {}
        different = 0
        for start, end in spans:
            self.check_span(start, end)
            first, last = self.texts.data.as_ints[start], self.texts.data.as_ints[end]
            head = self.string(self.text_nodes.data.as_ints[first]) if first < last else ""
            key = (last - first, head)
            same = alike.get(key)
            if same is None:
                alike[key] = [(start, end)]
            else:
                (<list> same).append((start, end))
        for (length, _), same in alike.items():
            if length > 1 and len(<list> same) > 1:
                different += len({tuple(self.strings(start, end)) for start, end in same})
            else:
                different += 1
        return different

    cdef inline int check_span(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if not 0 <= start < end <= self.walk.size:
            raise IndexError("no such span in the sequence")
        return 0

    # --- what is counted in records

    def totals(self, list spans):
        """Return the weighted text, the characters, those in links and the records with a link."""
        cdef Py_ssize_t start, end
        cdef int64_t chars = 0, linked = 0
        cdef int32_t with_link = 0
        cdef double weight = 0.0
        for start, end in spans:
            self.check_span(start, end)
            weight += self.weight.data.as_doubles[end] - self.weight.data.as_doubles[start]
            chars += self.text.data.as_ints[end] - self.text.data.as_ints[start]
            linked += self.link_text.data.as_ints[end] - self.link_text.data.as_ints[start]
            with_link += self.links.data.as_ints[end] > self.links.data.as_ints[start]
        return weight, chars, linked, with_link

    def spread(self, list spans):
        """Return mean, standard deviation and maximum of the records' weighted texts."""
        cdef Py_ssize_t start, end
        cdef double weight = 0.0, one, mean, largest = 0.0, squares = 0.0
        cdef volatile double square  # no compiler may round it together with the sum
        cdef Py_ssize_t count = len(spans)
        for start, end in spans:
            self.check_span(start, end)
            one = self.weight.data.as_doubles[end] - self.weight.data.as_doubles[start]
            weight += one
            if one > largest:
                largest = one
        mean = weight / <double> count
        for start, end in spans:
            one = self.weight.data.as_doubles[end] - self.weight.data.as_doubles[start] - mean
            square = one * one
            squares += square
        return mean, sqrt(squares / <double> count), largest

    def kinship(self, list spans):
        """Return the records of the first one's kind, those of its tag path, those in furniture by tag, by class."""
        cdef Py_ssize_t start, end
        cdef int32_t kind = -1, path = -1, kinds = 0, paths = 0, tags = 0, classes = 0, flags
        for start, end in spans:
            self.check_span(start, end)
            if kind < 0:
                kind, path = self.kinds.data.as_ints[start], self.paths.data.as_ints[start]
            kinds += self.kinds.data.as_ints[start] == kind
            paths += self.paths.data.as_ints[start] == path
            flags = self.flags.data.as_ints[self.walk.symbols[start]]
            tags += (flags & self.furniture_tag) != 0
            classes += (flags & self.furniture_class) != 0
        return kinds, paths, tags, classes

    def places(self, int32_t path, int32_t signature):
        """Return the nodes of a tag path and those of a signature (-1: of none), in document order."""
        cdef int32_t place
        return [
            place
            for place in range(self.walk.size)
            if self.paths.data.as_ints[place] == path or self.signatures.data.as_ints[place] == signature
        ]


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
    cdef array.array kept_grams, kept_paths
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

    def __init__(self, Walk walk not None, array.array grams not None, array.array paths not None, int32_t gram_count):
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
