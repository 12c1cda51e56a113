# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The region search over C arrays: ``scrapy_tps.engine.sequence.region_search`` documents it."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memset

from scrapy_tps.engine._native.core cimport CORE_REVISION, grow
from scrapy_tps.engine._native.walk cimport Walk

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION


cdef struct Split:
    int32_t start, position, end, threshold, left, right


cdef struct Level:
    const int32_t* symbols
    int32_t low, high, least, once, order_size
    int32_t* offset  # start of each symbol's places
    int32_t* places
    int32_t* skipped
    int32_t* count
    int32_t* first
    int32_t* last
    int32_t* order
    int32_t* active
    int32_t* moved
    int32_t* frequencies
    int32_t* stamp  # for each frequency, the level that has listed it
    int32_t level


def search_region(Walk walk not None, double size_ratio, bint inclusive, int64_t visits_per_node):
    """Return start and end of the region, and the fields of each `Split`."""
    cdef Level level
    cdef Split* splits = NULL
    cdef int32_t count = 0, index
    cdef int result
    memset(&level, 0, sizeof(Level))
    try:
        with nogil:
            result = run_search(
                &level, walk.symbols, walk.size, walk.alphabet_size, size_ratio, inclusive, visits_per_node, &splits,
                &count,
            )
        if result:
            raise MemoryError
        found = [
            (
                splits[index].start,
                splits[index].position,
                splits[index].end,
                splits[index].threshold,
                splits[index].left,
                splits[index].right,
                splits[index].left > splits[index].right,
            )
            for index in range(count)
        ]
        return level.low, level.high, found
    finally:
        free(splits)
        free(level.offset)
        free(level.places)
        free(level.skipped)
        free(level.count)
        free(level.first)
        free(level.last)
        free(level.order)
        free(level.active)
        free(level.moved)
        free(level.frequencies)
        free(level.stamp)


cdef int run_search(
    Level* level,
    const int32_t* symbols,
    int32_t total,
    int32_t alphabet,
    double size_ratio,
    bint inclusive,
    int64_t visits_per_node,
    Split** splits,
    int32_t* count,
) noexcept nogil:
    cdef int64_t budget = visits_per_node * max(1, total), visits
    cdef int32_t room = 0
    cdef Split split
    if start_level(level, symbols, total, alphabet, inclusive):
        return -1
    while first_split(level, size_ratio, budget, &split, &visits):
        budget -= visits
        if count[0] == room:
            room = max(64, room * 2)
            if grow(<void**> splits, room, sizeof(Split)):
                return -1
        splits[0][count[0]] = split
        count[0] += 1
        if split.left > split.right:
            drop_right(level, split.position)
        else:
            drop_left(level, split.position)
    return 0


cdef int start_level(
    Level* level, const int32_t* symbols, int32_t total, int32_t alphabet, bint inclusive
) noexcept nogil:
    cdef int32_t place, symbol, sum_ = 0
    level.symbols = symbols
    level.high = total
    level.least = 1 if inclusive else 2
    level.offset = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    level.places = <int32_t*> malloc((total + 1) * sizeof(int32_t))
    level.skipped = <int32_t*> calloc(alphabet + 1, sizeof(int32_t))
    level.count = <int32_t*> calloc(alphabet + 1, sizeof(int32_t))
    level.first = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    level.last = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    level.order = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    level.active = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    level.moved = <int32_t*> malloc((alphabet + 1) * sizeof(int32_t))
    level.frequencies = <int32_t*> malloc((alphabet + 2) * sizeof(int32_t))
    level.stamp = <int32_t*> calloc(total + 2, sizeof(int32_t))
    if (
        level.offset == NULL or level.places == NULL or level.skipped == NULL or level.count == NULL
        or level.first == NULL or level.last == NULL or level.order == NULL or level.active == NULL
        or level.moved == NULL or level.frequencies == NULL or level.stamp == NULL
    ):
        return -1
    for place in range(total):
        level.count[symbols[place]] += 1
    for symbol in range(alphabet):
        level.offset[symbol] = sum_
        sum_ += level.count[symbol]
        level.last[symbol] = -1
        if level.count[symbol] == 1:
            level.once += 1
        level.count[symbol] = 0
    for place in range(total):
        symbol = symbols[place]
        if level.count[symbol] == 0:
            level.first[symbol] = place
            level.moved[level.order_size] = symbol
            level.order_size += 1
        level.places[level.offset[symbol] + level.count[symbol]] = place
        level.count[symbol] += 1
        level.last[symbol] = place
    # `moved` holds all symbols by first position
    sum_ = level.order_size
    level.order_size = 0
    for place in range(sum_):
        symbol = level.moved[place]
        if level.count[symbol] >= level.least:
            level.order[level.order_size] = symbol
            level.order_size += 1
    return 0


cdef int compare(const void* left, const void* right) noexcept nogil:
    return (<int32_t*> left)[0] - (<int32_t*> right)[0]


cdef bint first_split(
    Level* level, double size_ratio, int64_t budget, Split* split, int64_t* visits
) noexcept nogil:
    """Find the first split; see `_Level.first_split` of the Python twin."""
    cdef int32_t low = level.low, top = level.high - 1
    cdef bint exclusive = level.least == 2
    cdef int32_t* active = level.order
    cdef int32_t size = level.order_size
    cdef int32_t thresholds = 0, number, index, symbol, frequency, threshold, least, kept
    cdef int32_t end, before, nodes, left, right
    visits[0] = size
    level.level += 1
    if exclusive and level.once:
        level.frequencies[0] = 1
        thresholds = 1
    for index in range(size):
        frequency = level.count[active[index]]
        if level.stamp[frequency] != level.level:
            level.stamp[frequency] = level.level
            level.frequencies[thresholds] = frequency
            thresholds += 1
    qsort(level.frequencies, thresholds, sizeof(int32_t), compare)
    for number in range(thresholds):
        threshold = level.frequencies[number]
        least = threshold + exclusive
        if least > 2 or not exclusive:
            kept = 0
            for index in range(size):
                symbol = active[index]
                if level.count[symbol] >= least:
                    level.active[kept] = symbol
                    kept += 1
            active = level.active
            size = kept
        visits[0] += size
        if size < 2 or visits[0] > budget:
            return False
        end = level.last[active[0]]
        before = -1
        nodes = 0
        for index in range(size):
            symbol = active[index]
            if level.first[symbol] > end:
                left = end - low + 1 if before < 0 else before - low + nodes
                right = top - end
                if (left - right if left > right else right - left) > size_ratio * (left + right):
                    split.start = low
                    split.position = end + 1
                    split.end = level.high
                    split.threshold = threshold
                    split.left = left
                    split.right = right
                    return True
                before = end
                end = level.last[symbol]
                nodes = level.count[symbol]
            else:
                nodes += level.count[symbol]
                if level.last[symbol] > end:
                    end = level.last[symbol]
    return False


cdef inline void take(Level* level, int32_t symbol) noexcept nogil:
    level.count[symbol] -= 1
    if level.count[symbol] == 1:
        level.once += 1
    elif level.count[symbol] == 0:
        level.once -= 1


cdef void drop_right(Level* level, int32_t position) noexcept nogil:
    cdef int32_t place, symbol, kept = 0
    for place in range(position, level.high):
        take(level, level.symbols[place])
    level.high = position
    for place in range(level.order_size):
        symbol = level.order[place]
        if level.count[symbol] >= level.least:
            level.last[symbol] = level.places[
                level.offset[symbol] + level.skipped[symbol] + level.count[symbol] - 1
            ]
            level.order[kept] = symbol
            kept += 1
    level.order_size = kept


cdef void drop_left(Level* level, int32_t position) noexcept nogil:
    """Continue to the right of a position; symbols on both sides move back in the order."""
    cdef int32_t place, symbol, first, kept = 0, moved = 0, index, other
    for place in range(level.low, position):
        symbol = level.symbols[place]
        take(level, symbol)
        level.skipped[symbol] += 1
    level.low = position
    # `frequencies` is free here: the sorted first positions of moved symbols identify them
    for place in range(level.order_size):
        symbol = level.order[place]
        if level.count[symbol] >= level.least:
            first = level.places[level.offset[symbol] + level.skipped[symbol]]
            if first != level.first[symbol]:
                level.first[symbol] = first
                level.frequencies[moved] = first
                moved += 1
            else:
                level.active[kept] = symbol
                kept += 1
    qsort(level.frequencies, moved, sizeof(int32_t), compare)
    index = other = level.order_size = 0
    while index < kept or other < moved:
        if other == moved or (
            index < kept and level.first[level.active[index]] < level.frequencies[other]
        ):
            symbol = level.active[index]
            index += 1
        else:
            symbol = level.symbols[level.frequencies[other]]
            other += 1
        level.order[level.order_size] = symbol
        level.order_size += 1
