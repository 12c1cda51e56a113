# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Record groups and what protects them, on C columns.

Results are those of `scrapy_tps.engine.strategies.auto.groups` and of the rules `record_groups` and `record_titles`, bit for
bit; they say what and why, and their thresholds are handed over.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort

from scrapy_tps.engine._native.core cimport CORE_REVISION, tps_bits
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport decode, is_space, same
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk
from scrapy_tps.engine._native.columns cimport Columns, any_in

cdef extern from "Python.h":
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character) nogil

LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


cdef struct Set:
    uint64_t low, high


cdef struct Rules:
    double alike, related, pair_alike, pair_worth, median_worth, worth_per_char, pair_score
    int32_t related_symbols, pair_symbols, min_symbols, rich


cdef inline int32_t common(const Set* one, const Set* other) noexcept nogil:
    return tps_bits(one.low & other.low) + tps_bits(one.high & other.high)


cdef inline int32_t both(const Set* one, const Set* other) noexcept nogil:
    return tps_bits(one.low | other.low) + tps_bits(one.high | other.high)


cdef int compare(const void* left, const void* right) noexcept nogil:
    cdef double one = (<const double*> left)[0], other = (<const double*> right)[0]
    return (one > other) - (one < other)


cdef uint32_t stem_character(const unsigned char** cursor) noexcept nogil:
    """The next character of a stem, runs of digits as one 0; 0 at its end."""
    cdef const unsigned char* before
    cdef uint32_t character
    if not cursor[0][0]:
        return 0
    before = cursor[0]
    character = decode(cursor)
    if is_space(character):
        cursor[0] = before
        return 0
    if not Py_UNICODE_ISDECIMAL(<Py_UCS4> character):
        return character
    while cursor[0][0]:
        before = cursor[0]
        if not Py_UNICODE_ISDECIMAL(<Py_UCS4> decode(cursor)):
            cursor[0] = before
            break
    return 48


cdef inline const unsigned char* skip_space(const char* text) noexcept nogil:
    cdef const unsigned char* cursor = <const unsigned char*> text
    cdef const unsigned char* before = cursor
    while cursor[0]:
        if not is_space(decode(&cursor)):
            break
        before = cursor
    return before


cdef bint same_class(Walk walk, int32_t one, int32_t other) noexcept nogil:
    """Whether the classes of two nodes are the same, or the stems of their first ones."""
    cdef const char* first = walk.alphabet[walk.symbols[one]].class_
    cdef const char* second = walk.alphabet[walk.symbols[other]].class_
    cdef const unsigned char* left
    cdef const unsigned char* right
    cdef uint32_t character
    if first == NULL or second == NULL or not first[0] or not second[0]:
        return False
    if same(first, second):
        return True
    left, right = skip_space(first), skip_space(second)
    while True:
        character = stem_character(&left)
        if character != stem_character(&right):
            return False
        if character == 0:
            return True


def of_same_class(Columns page not None, int32_t one, int32_t other):
    """Whether two nodes are of the same class, as items of a group have to be."""
    cdef Walk walk = page.walk
    walk.check_open()
    return same_class(walk, page.within(one), page.within(other))


def find_groups(Columns page not None, muted, int32_t least, tuple rules not None):
    """Return (start, end, items, worth, score) of each record group; `muted` nodes count as absent."""
    cdef const uint8_t[::1] absent = muted
    cdef Walk walk = page.walk
    cdef int32_t size = page.size, index, child, before, stop, tag, count, which, alike, run
    cdef int32_t* head  # for each tag, the place of its first child from 1 on, among the current children
    cdef int32_t* last  # of each of the tags that are listed
    cdef int32_t* listed
    cdef int32_t* following  # of each child, the next one of its tag
    cdef int32_t* items
    cdef double* worths
    cdef Set* sets
    cdef Rules rule
    cdef list groups = []
    walk.check_open()
    if absent.shape[0] != size:
        raise ValueError("a byte for each node is needed")
    (
        rule.alike, rule.related, rule.related_symbols, rule.pair_alike, rule.pair_symbols, rule.pair_worth,
        rule.pair_score, rule.median_worth, rule.min_symbols, rule.worth_per_char, rule.rich,
    ) = rules  # fmt: skip
    sets = <Set*> calloc(size + 1, sizeof(Set))
    head = <int32_t*> calloc(page.tag_count + 1, sizeof(int32_t))
    last = <int32_t*> malloc((size + 1) * sizeof(int32_t))
    listed = <int32_t*> malloc((size + 1) * sizeof(int32_t))
    following = <int32_t*> malloc((size + 1) * sizeof(int32_t))
    items = <int32_t*> malloc((size + 1) * sizeof(int32_t))
    worths = <double*> malloc((size + 1) * sizeof(double))
    try:
        if (
            sets == NULL or head == NULL or last == NULL or listed == NULL or following == NULL
            or items == NULL or worths == NULL
        ):
            raise MemoryError
        fill_sets(page, &absent[0], sets)
        for index in range(size):
            stop = page.end[index]
            if stop - index < least or absent[index]:
                continue
            count = 0
            child = index + 1
            while child < stop:
                if page.kinds[child] == ELEMENT and not absent[child]:
                    tag = page.tags[child]
                    which = head[tag] - 1
                    if which < 0:
                        listed[count] = last[count] = child
                        count += 1
                        head[tag] = count
                    else:
                        following[last[which]] = child
                        last[which] = child
                child = page.end[child]
            for which in range(count):
                child = listed[which]
                head[page.tags[child]] = 0
                if last[which] == child:
                    continue
                run = 1
                alike = 0
                items[0] = child
                while child != last[which]:
                    before = child
                    child = following[child]
                    if related(walk, sets, before, child, &rule, &alike):
                        items[run] = child
                        run += 1
                    else:
                        add_group(page, sets, items, run, alike, worths, &rule, groups)
                        items[0] = child
                        run = 1
                        alike = 0
                add_group(page, sets, items, run, alike, worths, &rule, groups)
        return groups
    finally:
        free(sets)
        free(head)
        free(last)
        free(listed)
        free(following)
        free(items)
        free(worths)


cdef void fill_sets(Columns page, const uint8_t* absent, Set* sets) noexcept nogil:
    """The tags in each node's subtree, as bits (modulo 128)."""
    cdef int32_t index, above, bit
    for index in range(page.size):
        bit = page.tags[index] & 127
        if bit < 64:
            sets[index].low = <uint64_t> 1 << bit
        else:
            sets[index].high = <uint64_t> 1 << (bit - 64)
    for index in range(page.size - 1, 0, -1):
        if not absent[index]:
            above = page.parent[index]
            sets[above].low |= sets[index].low
            sets[above].high |= sets[index].high


cdef inline bint related(
    Walk walk, const Set* sets, int32_t before, int32_t item, const Rules* rule, int32_t* alike
) noexcept nogil:
    """Whether two siblings belong to the same run; counts those that are alike."""
    cdef int32_t shared = common(&sets[before], &sets[item]), all_ = both(&sets[before], &sets[item])
    if shared >= rule.alike * all_:
        alike[0] += 1
        return True
    return (shared >= rule.related * all_ and shared >= rule.related_symbols) or same_class(walk, before, item)


cdef int add_group(
    Columns page,
    const Set* sets,
    const int32_t* items,
    int32_t count,
    int32_t alike,
    double* worths,
    const Rules* rule,
    list groups,
) except -1:
    cdef int32_t number, item, stop, symbols, all_
    cdef double total = 0.0, chars = 0.0, score
    cdef Set union_
    cdef Walk walk = page.walk
    if count < 2 or alike < (2 if count > 2 else 1):
        return 0
    for number in range(count):
        item = items[number]
        stop = page.end[item]
        worths[number] = page.worth_before[stop] - page.worth_before[item]
        total += worths[number]
        chars += page.text_before[stop] - page.text_before[item]
    if count == 2:
        all_ = both(&sets[items[0]], &sets[items[1]])
        if (
            all_ < rule.pair_symbols
            or common(&sets[items[0]], &sets[items[1]]) < rule.pair_alike * all_
            or worths[0] < rule.pair_worth
            or worths[1] < rule.pair_worth
            or not same_class(walk, items[0], items[1])
        ):
            return 0
    elif total < rule.worth_per_char * chars:
        return 0  # before the median, which takes longer
    else:
        qsort(worths, count, sizeof(double), compare)
        if worths[count // 2] < rule.median_worth:
            return 0
    union_.low = union_.high = 0
    for number in range(count):
        union_.low |= sets[items[number]].low
        union_.high |= sets[items[number]].high
    symbols = common(&union_, &union_)
    if symbols < rule.min_symbols or total < rule.worth_per_char * chars:
        return 0
    score = total * min(symbols, rule.rich) * (rule.pair_score if count == 2 else 1.0)
    groups.append((items[0], page.end[items[count - 1]], count, total, score))
    return 0


def suspects(
    Columns page not None, int64_t soft, int64_t main, int32_t first_heading, double largest_share
):
    """Return a byte for each node, 1 inside of marked parts that hold neither main element nor heading."""
    cdef bytearray found = bytearray(page.size)
    cdef uint8_t[::1] out = found
    cdef double largest = largest_share * page.worth_before[page.size]
    cdef int32_t number, index, stop, after = 0, count = 0, node
    cdef int32_t* mains = <int32_t*> malloc((page.hinted_count + 1) * sizeof(int32_t))
    if mains == NULL:
        raise MemoryError
    for number in range(page.hinted_count):
        if page.hints[page.hinted[number]] & main:
            mains[count] = page.hinted[number]
            count += 1
    for number in range(page.hinted_count):
        index = page.hinted[number]
        if index >= after and page.hints[index] & soft:
            stop = page.end[index]
            if (
                page.worth_before[stop] - page.worth_before[index] <= largest
                and not index <= first_heading < stop
                and not any_in(mains, count, index, stop)
            ):
                for node in range(index, stop):
                    out[node] = 1
                after = stop
    free(mains)
    return found


def record_titles(
    Columns page not None, int32_t start, int64_t subheading, double longest_title, int32_t first_heading
):
    """Return (start, end) of headings beside the ancestors of a group's start, and of a short line right above it."""
    cdef const uint8_t* alive = page.living()
    cdef const double* texts = page.text_before
    cdef const uint8_t[::1] text = page.text_mask, linked = page.link_mask
    cdef int32_t inner = page.within(start), above, child, title, stop, node, count
    cdef bint titled = False
    cdef list found = []
    above = page.parent[inner]
    while above >= 0:
        child = above + 1
        title = -1
        while child < inner:
            stop = page.end[child]
            if page.hints[child] & subheading:
                found.append((child, stop))
            if alive[child] and texts[stop] > texts[child]:
                title = child
            child = stop
        if title >= 0 and not titled:
            titled = True
            stop = page.end[title]
            if texts[stop] - texts[title] <= longest_title and not page.hints[title] and first_heading < 0:
                count = 0
                for node in range(title, stop):
                    count += text[node] + 2 * linked[node]
                if count == 1:
                    found.append((title, stop))
        inner = above
        above = page.parent[above]
    return found
