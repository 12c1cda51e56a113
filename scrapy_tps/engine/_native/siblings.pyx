# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Marked parts that are like their siblings without marks: the native half of `scrapy_tps.engine.strategies.auto.correct.like_siblings`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from scrapy_tps.engine._native.core cimport CORE_REVISION, LXML_VERSION_STRING, tps_bits
from scrapy_tps.engine._native.page cimport Columns

LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


cdef struct Run:
    # of the children with one tag path: all of them, those without marks, and the first two of these
    int32_t all, unmarked, first, second


def like_siblings(
    Columns page not None,
    int64_t marks,
    int64_t hidden,
    int32_t least,
    int32_t most_nodes,
    int32_t least_tags,
    double alike,
    double alike_hidden,
):
    """Return (part, hints that may go, sibling like it, another one), -1 for siblings that are not like it."""
    cdef const double* texts = page.text_before
    cdef uint8_t* done = <uint8_t*> calloc(page.size + 1, 1)
    cdef Run* runs = <Run*> calloc(page.tag_count + 1, sizeof(Run))
    cdef int32_t place, above, child, stop, after, one, other
    cdef int64_t hint, wanted = marks | hidden
    cdef Run* run
    cdef list found = []
    try:
        if done == NULL or runs == NULL:
            raise MemoryError
        for place in range(page.hinted_count):
            child = page.place[place]
            above = page.parent[child]
            if above < 0 or done[above] or not page.hint[child] & wanted:
                continue
            done[above] = 1
            stop = page.end[above]
            child = above + 1
            while child < stop:
                run = &runs[page.tag[child]]
                after = page.end[child]
                run.all += 1
                if not page.hint[child] & wanted and texts[after] > texts[child]:
                    run.unmarked += 1
                    if run.unmarked == 1:
                        run.first = child
                    elif run.unmarked == 2:
                        run.second = child
                child = after
            child = above + 1
            while child < stop:
                hint = page.hint[child]
                run = &runs[page.tag[child]]
                if hint & wanted and run.unmarked and run.all >= least:
                    if hint & marks and 2 * run.unmarked >= run.all:
                        compare(page, child, marks, run, most_nodes, least_tags, alike, found)
                    if hint & hidden:
                        compare(page, child, hidden, run, most_nodes, least_tags, alike_hidden, found)
                child = page.end[child]
            child = above + 1
            while child < stop:
                run = &runs[page.tag[child]]
                run.all = run.unmarked = 0
                child = page.end[child]
        return found
    finally:
        free(done)
        free(runs)


cdef int compare(
    Columns page, int32_t index, int64_t going, Run* run, int32_t most_nodes, int32_t least_tags, double least,
    list found,
) except -1:
    cdef int32_t one = run.first if are_alike(page, index, run.first, most_nodes, least_tags, least) else -1
    cdef int32_t other = -1
    if run.unmarked > 1 and are_alike(page, index, run.second, most_nodes, least_tags, least):
        other = run.second
    if one >= 0 or other >= 0:
        found.append((index, going, one, other))
    return 0


cdef bint are_alike(
    Columns page, int32_t one, int32_t other, int32_t most_nodes, int32_t least_tags, double least
) noexcept nogil:
    cdef uint64_t of_one[2]
    cdef uint64_t of_other[2]
    cdef int32_t common, both
    if page.end[one] - one > most_nodes or page.end[other] - other > most_nodes:
        return False
    fill(page, one, of_one)
    if tps_bits(of_one[0]) + tps_bits(of_one[1]) < least_tags:
        return False
    fill(page, other, of_other)
    common = tps_bits(of_one[0] & of_other[0]) + tps_bits(of_one[1] & of_other[1])
    both = tps_bits(of_one[0] | of_other[0]) + tps_bits(of_one[1] | of_other[1])
    return common >= least * both


cdef void fill(Columns page, int32_t index, uint64_t* bits) noexcept nogil:
    """The tag paths in a subtree, modulo 128, as bits."""
    cdef int32_t stop = page.end[index], tag
    bits[0] = bits[1] = 0
    while index < stop:
        tag = page.tag[index] & 127
        bits[tag >> 6] |= <uint64_t> 1 << (tag & 63)
        index += 1


def recurring(Columns page not None, int64_t names, int64_t hidden, int64_t covering, int32_t least):
    """Return the nodes with one of these names and some text, not `hidden`, in nothing that is `covering`: by symbol.

    Only those whose tag path so many of them have.
    """
    cdef int32_t* times = <int32_t*> calloc(page.tag_count + 1, sizeof(int32_t))
    cdef int32_t* place = <int32_t*> malloc((page.hinted_count + 1) * sizeof(int32_t))
    cdef int32_t number, index, count = 0, covered = 0
    cdef int64_t hint
    cdef dict equal = {}
    cdef list some
    try:
        if times == NULL or place == NULL:
            raise MemoryError
        for number in range(page.hinted_count):
            index = page.place[number]
            hint = page.hint[index]
            if not hint & (names | covering) or index < covered:
                continue
            if hint & covering:
                covered = page.end[index]
            if hint & names and not hint & hidden and has_text(page, index):
                place[count] = index
                count += 1
                times[page.tag[index]] += 1
        for number in range(count):
            index = place[number]
            if times[page.tag[index]] >= least:
                symbol = page.walk.symbols[index]
                some = equal.get(symbol)
                if some is None:
                    some = equal[symbol] = []
                some.append(index)
        return list(equal.values())
    finally:
        free(times)
        free(place)


def hidden_parts(
    Columns page not None,
    int64_t hidden,
    int64_t covering,
    int32_t least_nodes,
    int32_t few_texts,
    int answer,
    int field,
    int32_t least,
):
    """Return (index, whether it is placed like an answer or a field, or 0) of hidden parts, small others left out.

    Of small answers and fields only those whose tag path so many answers and fields have.
    """
    cdef const double* texts = page.text_before
    cdef int32_t number, index, above, covered = 0
    cdef int64_t hint
    cdef int kind
    cdef bint begins, closes
    cdef dict times = {}  # by the number of a tag path
    cdef list found = []
    for number in range(page.hinted_count):
        index = page.place[number]
        hint = page.hint[index]
        if not hint & covering or index < covered:
            continue
        covered = page.end[index]
        if hint & covering != hidden or not has_text(page, index):
            continue
        above = page.parent[index]
        begins = texts[index] == texts[above]
        closes = texts[covered] == texts[page.end[above]]
        kind = 0
        if page.prose_before[covered] > page.prose_before[index] and closes and not begins:
            kind = answer
        elif covered - index < least_nodes and not (begins and closes) and is_plain(page, index, few_texts):
            kind = field
        if kind:
            times[page.tag[index]] = times.get(page.tag[index], 0) + 1
        if kind or covered - index >= least_nodes:
            found.append((index, kind))
    return [
        (index, kind) for index, kind in found
        if page.end[index] - index >= least_nodes or times[page.tag[index]] >= least
    ]


cdef bint is_plain(Columns page, int32_t index, int32_t few_texts) noexcept nogil:
    """Whether there are few texts in a part, and no links."""
    cdef int32_t stop = page.end[index], count = 0
    while index < stop:
        if page.in_link[index]:
            return False
        count += page.kinds[index] != 0
        index += 1
    return count <= few_texts


cdef bint has_text(Columns page, int32_t index) noexcept nogil:
    return page.text_before[page.end[index]] > page.text_before[index]
