# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Parts that go by the sequence alone, on C columns: link lists, what surrounds the records, sides of splits.

Results are those of the rules `link_lists`, `record_surroundings` and `split_sides`, bit for bit; they say what and why,
and their thresholds are handed over.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from scrapy_tps.engine._native.core cimport CORE_REVISION, grow
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.walk cimport ELEMENT, Walk
from scrapy_tps.engine._native.columns cimport Columns

LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


cdef inline bint is_definition(const char* tag) noexcept nogil:
    return tag != NULL and tag[0] == c"d" and tag[1] == c"d" and tag[2] == 0


def link_lists(
    Columns page not None,
    int32_t least_links,
    double link_text_share,
    double chars_per_link,
    int64_t fields,
    double largest,
    int64_t visits_per_node,
    int32_t least_nodes,
):
    """Return (index, end, links) of lists of short links in markup of their own."""
    cdef Walk walk = page.walk
    cdef int32_t size = page.size, index, stop, place, tag, count, text_nodes
    cdef int64_t budget = visits_per_node * size
    cdef const uint8_t* alive = page.living()
    cdef const uint8_t* protected = page.safe()
    cdef const uint8_t[::1] linked = page.link_mask
    cdef const double* worths = page.worth_before
    cdef const double* texts = page.text_before
    cdef const double* protections = page.protection_before
    cdef double total = worths[size], text
    cdef double* link_text = <double*> malloc((size + 1) * sizeof(double))
    cdef int32_t* links = <int32_t*> malloc((size + 1) * sizeof(int32_t))
    cdef int32_t* first = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
    cdef int32_t* last = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
    cdef list found = []
    try:
        if link_text == NULL or links == NULL or first == NULL or last == NULL:
            raise MemoryError
        memset(first, 0xFF, (page.tag_count + 1) * sizeof(int32_t))
        link_text[0] = 0.0
        links[0] = 0
        for index in range(size):
            link_text[index + 1] = link_text[index]
            links[index + 1] = links[index]
            if alive[index]:
                tag = page.tags[index]
                if first[tag] < 0:
                    first[tag] = index
                last[tag] = index
                links[index + 1] += page.is_link[walk.symbols[index]]
                if linked[index]:
                    link_text[index + 1] += page.text_length[index]
        index = 1
        while index < size:
            stop = page.end[index]
            if stop - index < least_nodes:
                index = stop if stop - index == 1 else index + 1
                continue
            count = links[stop] - links[index]
            if count < least_links:
                index = stop
                continue
            if alive[index] and is_definition(walk.alphabet[walk.symbols[index]].tag):
                index = stop
                continue
            text = texts[stop] - texts[index]
            if (
                alive[index]
                and not linked[index]
                and not protected[index]
                and link_text[stop] - link_text[index] >= link_text_share * text
                and text < chars_per_link * count
                and worths[stop] - worths[index] <= largest * total
                and protections[stop] == protections[index]
            ):
                place = index
                text_nodes = 0
                while place < stop:
                    tag = page.tags[place]
                    if alive[place] and (first[tag] < index or last[tag] >= stop):
                        break
                    text_nodes += page.kinds[place] != 0
                    place += 1
                budget -= place - index + 1
                if place == stop and text_nodes < fields * count:
                    found.append((index, stop, count))
                    index = stop
                    continue
                if budget < 0:
                    break
            index += 1
        return found
    finally:
        free(link_text)
        free(links)
        free(first)
        free(last)


def record_surroundings(
    Columns page not None,
    int32_t start,
    int32_t first_heading,
    double largest,
    double largest_of_links,
    double links_worth,
    double most_prose,
):
    """Return (start, end) of small parts beside the ancestors of the parent of `start`, and their worth."""
    cdef const uint8_t* alive = page.living()
    cdef const double* worths = page.worth_before
    cdef const double* texts = page.text_before
    cdef const double* proses = page.prose_before
    cdef const double* protections = page.protection_before
    cdef double total = worths[page.size], all_of_it = 0.0, worth, text
    cdef int32_t inner = page.parent[page.within(start)], above, child, stop, after
    cdef list found = []
    above = page.parent[inner] if inner >= 0 else -1
    while above >= 0:
        child = above + 1
        stop = page.end[above]
        while child < stop:
            after = page.end[child]
            worth, text = worths[after] - worths[child], texts[after] - texts[child]
            if (
                child != inner
                and alive[child]
                and text != 0
                and worth <= (largest if worth > links_worth * text else largest_of_links) * total
                and protections[after] == protections[child]
                and proses[after] - proses[child] <= most_prose
                and not child <= first_heading < after
            ):
                found.append((child, after))
                all_of_it += worth
            child = after
        inner = above
        above = page.parent[above]
    return found, all_of_it


def text_core(Columns page not None, double share, double least_prose):
    """Return the smallest part with this share of the prose of a page with some, or 0."""
    cdef const double* proses = page.prose_before
    cdef double needed = share * proses[page.size]
    cdef const uint8_t* kinds = page.kinds
    cdef int32_t core = 0, child = 1, stop
    if proses[page.size] < least_prose:
        return 0
    while child < page.end[core]:
        stop = page.end[child]
        if kinds[child] == ELEMENT and proses[stop] - proses[child] >= needed:
            core = child
            child += 1
        else:
            child = stop
    return core


cdef struct Range:
    int32_t low, high


cdef struct Scratch:
    int32_t* first
    int32_t* last
    int32_t* count
    int32_t* active


def split_sides(
    Columns page not None,
    int32_t first_heading,
    double size_ratio,
    int64_t visits_per_node,
    int32_t least_nodes,
    double most_prose,
):
    """Return (low, border, high, threshold, left, right, parts) of each split, the parts those of its small side."""
    cdef uint8_t* alive = <uint8_t*> malloc(page.size + 1)
    cdef const double* worths = page.worth_before
    cdef const double* protections = page.protection_before
    cdef const double* proses = page.prose_before
    cdef int64_t budget = visits_per_node * page.size
    cdef int32_t waiting_count = 1, room = 64, low, high, border, threshold, start, stop
    cdef double left, right
    cdef Range* waiting = <Range*> malloc(room * sizeof(Range))
    cdef Scratch scratch
    cdef list splits = [], parts
    scratch.first = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
    scratch.last = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
    scratch.count = <int32_t*> calloc(page.tag_count + 1, sizeof(int32_t))
    scratch.active = <int32_t*> malloc((page.tag_count + 1) * sizeof(int32_t))
    try:
        if (
            alive == NULL or waiting == NULL or scratch.first == NULL or scratch.last == NULL or scratch.count == NULL
            or scratch.active == NULL
        ):
            raise MemoryError
        memcpy(alive, page.living(), page.size)
        waiting[0].low = 1
        waiting[0].high = page.size
        while waiting_count and budget > 0:
            waiting_count -= 1
            low, high = waiting[waiting_count].low, waiting[waiting_count].high
            border = first_split(
                page, alive, &scratch, low, high, size_ratio, least_nodes, &threshold, &budget
            )
            if border < 0:
                continue
            if waiting_count + 2 > room:
                room *= 2
                if grow(<void**> &waiting, room, sizeof(Range)):
                    raise MemoryError
            left, right = worths[border] - worths[low], worths[high] - worths[border]
            start, stop = (low, border) if left <= right else (border, high)
            if (
                protections[stop] - protections[start] != 0
                or proses[stop] - proses[start] > most_prose
                or start <= first_heading < stop
            ):
                waiting[waiting_count].low, waiting[waiting_count].high = low, border
                waiting[waiting_count + 1].low, waiting[waiting_count + 1].high = border, high
                waiting_count += 2
                continue
            parts = whole_parts(page, alive, start, stop)
            splits.append((low, border, high, threshold, left, right, parts))
            if left <= right:
                waiting[waiting_count].low, waiting[waiting_count].high = border, high
            else:
                waiting[waiting_count].low, waiting[waiting_count].high = low, border
            waiting_count += 1
        return splits
    finally:
        free(alive)
        free(waiting)
        free(scratch.first)
        free(scratch.last)
        free(scratch.count)
        free(scratch.active)


cdef list whole_parts(Columns page, uint8_t* alive, int32_t start, int32_t stop):
    """Take out the nodes [start, stop) without those that reach beyond; return (start, end) of each part."""
    cdef list parts = []
    cdef int32_t index = start, begin = start
    while index < stop:
        if page.end[index] > stop:
            if begin < index:
                parts.append((begin, index))
                memset(alive + begin, 0, index - begin)
            index += 1
            begin = index
        else:
            index = page.end[index]
    if begin < stop:
        parts.append((begin, stop))
        memset(alive + begin, 0, stop - begin)
    return parts


cdef int32_t first_split(
    Columns page,
    const uint8_t* alive,
    Scratch* scratch,
    int32_t low,
    int32_t high,
    double size_ratio,
    int32_t least_nodes,
    int32_t* threshold,
    int64_t* budget,
) noexcept nogil:
    """Return the border of the first uneven split, or -1; takes the visits made from the budget."""
    cdef const double* worths = page.worth_before
    cdef const int32_t* tags = page.tags
    cdef int32_t* first = scratch.first
    cdef int32_t* last = scratch.last
    cdef int32_t* count = scratch.count
    cdef int32_t* active = scratch.active
    cdef double whole = worths[high] - worths[low], before = worths[low], left
    cdef double smallest = (1.0 - size_ratio) / 2.0 * whole
    cdef int32_t place, tag, number, size = 0, kept, reach, least, places = 0, border = -1
    for place in range(low, high):
        places += alive[place]
    if places < least_nodes:
        return -1
    for place in range(low, high):
        if not alive[place]:
            continue
        tag = tags[place]
        if count[tag] == 0:
            first[tag] = place
            active[size] = tag
            size += 1
        count[tag] += 1
        last[tag] = place
    budget[0] -= places
    number = size
    threshold[0] = 0
    while border < 0:
        # tags that are left out lose their counts, which the next call finds all at 0
        kept = 0
        least = 0
        for number in range(size):
            tag = active[number]
            if count[tag] > threshold[0]:
                active[kept] = tag
                kept += 1
                if least == 0 or count[tag] < least:
                    least = count[tag]
            else:
                count[tag] = 0
        size = kept
        budget[0] -= size
        if size < 2:
            break
        reach = last[active[0]]
        for number in range(size):
            tag = active[number]
            if first[tag] > reach:
                left = worths[reach + 1] - before
                if left <= smallest or whole - left <= smallest:
                    border = reach + 1
                    break
            if last[tag] > reach:
                reach = last[tag]
        if border < 0:
            threshold[0] = least
    for number in range(size):
        count[active[number]] = 0
    return border
