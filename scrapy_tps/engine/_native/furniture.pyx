# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""What is marked as furniture, on C columns.

Results are those of `scrapy_tps.engine.strategies.auto.mask.sure_furniture`, `marked_parts` and the rules that ask for
`_furniture`, bit for bit; these say what and why, and their thresholds are handed over.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy, memset, strstr

from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION, LXML_VERSION_STRING
from scrapy_tps.engine._native.texts cimport same
from scrapy_tps.engine._native.walk cimport Walk
from scrapy_tps.engine._native.page cimport Columns, Pairs, any_in, free_pairs, pair_number, start_pairs

LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION


cdef struct Hints:
    int64_t sure, soft, top, bottom, landmark, consent, main, heading, dialog, hidden, footer, notice


cdef struct Shares:
    double sure, edge, prose, dialog_prose  # of the limits
    double edge_width, consent, menu_start, footer_start, notice
    int32_t edge_repeats


cdef struct Closing:
    int32_t end, index, number


cdef int by_end(const void* left, const void* right) noexcept nogil:
    """The last end first, then the outermost."""
    cdef const Closing* one = <const Closing*> left
    cdef const Closing* other = <const Closing*> right
    if one.end != other.end:
        return 1 if one.end < other.end else -1
    return 1 if one.index > other.index else -1


cdef class Furniture:
    """Finds what is surely furniture, first from the top, then from the bottom of a page."""

    cdef Columns page
    cdef Hints bits
    cdef Shares shares
    cdef uint8_t* alive  # of its own
    cdef int32_t* mains
    cdef int32_t* headings
    cdef int32_t* repeats  # of each hinted node: how often its tag has its soft hints
    cdef double* together  # of each hinted node: the prose of all outermost nodes of its tag and sure hints
    cdef int32_t main_count, heading_count, first_heading
    cdef double total, left, least
    cdef bint enough_prose
    cdef list found

    def __cinit__(self, Columns page not None, tuple bits not None, tuple shares not None):
        cdef Hints* bit = &self.bits
        cdef Shares* share = &self.shares
        cdef size_t room = page.hinted_count + 1
        self.page = page
        self.found = []
        (
            bit.sure, bit.soft, bit.top, bit.bottom, bit.landmark, bit.consent, bit.main, bit.heading,
            bit.dialog, bit.hidden, bit.footer, bit.notice,
        ) = bits  # fmt: skip
        (
            share.sure, share.edge, share.prose, share.dialog_prose, share.edge_width, share.consent,
            share.menu_start, share.footer_start, share.edge_repeats, share.notice,
        ) = shares  # fmt: skip
        self.alive = <uint8_t*> malloc(page.size + 1)
        self.mains = <int32_t*> malloc(room * sizeof(int32_t))
        self.headings = <int32_t*> malloc(room * sizeof(int32_t))
        self.repeats = <int32_t*> calloc(room, sizeof(int32_t))
        self.together = <double*> calloc(room, sizeof(double))
        if (
            self.alive == NULL or self.mains == NULL or self.headings == NULL or self.repeats == NULL
            or self.together == NULL
        ):
            raise MemoryError

    def __dealloc__(self):
        free(self.alive)
        free(self.mains)
        free(self.headings)
        free(self.repeats)
        free(self.together)

    def run(self, double least, double enough_prose):
        """Return (index, hint, whether at the edge, whether doubtful) of each part."""
        cdef Columns page = self.page
        memcpy(self.alive, page.living(), page.size)
        self.total = self.left = page.worth_before[page.size]
        self.least = least
        self.enough_prose = page.prose_before[page.size] > enough_prose
        self.count()
        self.from_top()
        self.from_bottom()
        return self.found

    cdef int count(self) except -1:
        cdef Columns page = self.page
        cdef Pairs pairs
        cdef int32_t number, index, after = 0, pair
        cdef int64_t hint
        cdef int32_t* of_hinted = <int32_t*> malloc((page.hinted_count + 1) * sizeof(int32_t))
        cdef int32_t* times = <int32_t*> calloc(page.hinted_count + 1, sizeof(int32_t))
        cdef double* prose = <double*> calloc(page.hinted_count + 1, sizeof(double))
        try:
            if of_hinted == NULL or times == NULL or prose == NULL:
                raise MemoryError
            start_pairs(&pairs, page.hinted_count)
            for number in range(page.hinted_count):
                index = page.place[number]
                hint = page.hint[index]
                if hint & self.bits.main:
                    self.mains[self.main_count] = index
                    self.main_count += 1
                if hint & self.bits.heading:
                    self.headings[self.heading_count] = index
                    self.heading_count += 1
                of_hinted[number] = -1
                if hint & self.bits.soft:
                    pair = of_hinted[number] = pair_number(&pairs, page.tag[index], hint & self.bits.soft)
                    times[pair] += 1
            for number in range(page.hinted_count):
                if of_hinted[number] >= 0:
                    self.repeats[number] = times[of_hinted[number]]
            free_pairs(&pairs)
            start_pairs(&pairs, page.hinted_count)
            for number in range(page.hinted_count):
                index = page.place[number]
                hint = page.hint[index] & self.bits.sure
                of_hinted[number] = -1
                if hint:
                    pair = of_hinted[number] = pair_number(&pairs, page.tag[index], hint)
                    if index >= after:
                        after = page.end[index]
                        prose[pair] += page.prose_before[after] - page.prose_before[index]
            for number in range(page.hinted_count):
                if of_hinted[number] >= 0:
                    self.together[number] = prose[of_hinted[number]]
            free_pairs(&pairs)
        finally:
            free(of_hinted)
            free(times)
            free(prose)
        return 0

    cdef int from_top(self) except -1:
        cdef Columns page = self.page
        cdef Hints* bits = &self.bits
        cdef const double* texts = page.text_before
        cdef double near = self.shares.edge_width * texts[page.size], taken = 0.0, before, cap
        cdef double all_text = texts[page.size]
        cdef int32_t number, index, stop, inside_main = 0, after = 0, first_heading = -1
        cdef int64_t hint
        cdef bint main
        for number in range(page.hinted_count):
            index = page.place[number]
            if index < after:
                continue
            hint = page.hint[index]
            before = texts[index] - taken
            stop = page.end[index]
            if hint & bits.main and stop > inside_main:
                inside_main = stop
            if hint & (bits.sure | bits.top):
                main = any_in(self.mains, self.main_count, index, stop)
                if hint & bits.sure and (hint & (bits.sure & ~bits.landmark) or not main):
                    if hint & bits.consent:
                        cap = self.shares.consent
                    else:
                        cap = self.shares.edge if hint & bits.landmark else self.shares.sure
                    if self.take(number, hint & bits.sure, min(cap, 1.0), False):
                        after = stop
                        taken += texts[stop] - texts[index]
                        continue
                if (
                    hint & bits.top
                    and before <= near
                    and not main
                    and not inside_main > index
                    and texts[index] <= self.shares.menu_start * all_text
                    and not any_in(self.headings, self.heading_count, index, stop)
                    and self.take(number, hint & bits.soft, self.shares.edge, True)
                ):
                    after = stop
                    taken += texts[stop] - texts[index]
                    continue
            if hint & bits.heading and first_heading < 0:
                first_heading = index
        self.first_heading = first_heading
        return 0

    cdef int from_bottom(self) except -1:
        cdef Columns page = self.page
        cdef const double* texts = page.text_before
        cdef double near = self.shares.edge_width * texts[page.size]
        cdef int32_t number, index, stop, count = 0, reached = page.size, done = page.size
        cdef int64_t behind = 0
        cdef Closing* closing = <Closing*> malloc((page.hinted_count + 1) * sizeof(Closing))
        if closing == NULL:
            raise MemoryError
        try:
            for number in range(page.hinted_count):
                index = page.place[number]
                if page.hint[index] & self.bits.bottom and self.alive[index]:
                    closing[count].index = index
                    closing[count].end = page.end[index]
                    closing[count].number = number
                    count += 1
            qsort(closing, count, sizeof(Closing), by_end)
            for number in range(count):
                index = closing[number].index
                stop = closing[number].end
                if stop > done:
                    continue
                while reached > stop:
                    reached -= 1
                    if self.alive[reached]:
                        behind += page.text_length[reached]
                if behind > near:
                    break
                if (
                    not any_in(self.mains, self.main_count, index, stop)
                    and not index <= self.first_heading < stop
                    and texts[index] > self.shares.footer_start * texts[page.size]
                    and self.take(
                        closing[number].number, page.hint[index] & self.bits.soft, self.shares.edge, True
                    )
                ):
                    done = index
                    reached = min(reached, index)
        finally:
            free(closing)
        return 0

    cdef bint take(self, int32_t number, int64_t hint, double cap, bint at_edge) except -1:
        cdef Columns page = self.page
        cdef Hints* bits = &self.bits
        cdef int32_t index = page.place[number], end = page.end[index]
        cdef double worth = page.worth_before[end] - page.worth_before[index]
        cdef double all_prose = page.prose_before[page.size], prose, together
        cdef bint doubtful = False
        if at_edge and not hint & ~bits.notice:
            cap = min(cap, self.shares.notice)
        if worth > cap * self.total or self.left - worth < self.least:
            return False
        prose = page.prose_before[end] - page.prose_before[index]
        if self.enough_prose and not hint & bits.consent:
            together = prose if at_edge else self.together[number]
            if hint & bits.hidden:
                doubtful = together > self.shares.prose * all_prose
            elif hint & bits.dialog and (
                together > self.shares.prose * all_prose or prose > self.shares.dialog_prose * all_prose
            ):
                return False
            if (
                at_edge
                and not hint & (bits.footer | bits.landmark)
                and prose > self.shares.prose * all_prose
            ):
                return False
        if at_edge and self.repeats[number] > self.shares.edge_repeats:
            return False
        memset(self.alive + index, 0, end - index)
        self.found.append((index, hint, at_edge, doubtful))
        self.left -= worth
        return True


cdef struct Caps:
    double rich, poor, edge, prose, button_prose, text_share, edge_width, footer_start, protected
    int32_t rare, repeats
    double titled


def marked_parts(
    Columns page not None, tuple bits not None, tuple caps not None, int32_t first_heading, zone, bint enough_prose
):
    """Return (index, end, hint, worth) of each part that softer hints mark and that may go."""
    cdef int64_t marked, of_content, footer, button, prose_expected, repeated, main, menu, hint
    cdef int weak
    cdef Caps cap
    cdef const uint8_t* alive = page.living()
    cdef const uint8_t* protected = page.safe()
    cdef const double* worths = page.worth_before
    cdef const double* texts = page.text_before
    cdef const double* proses = page.prose_before
    cdef const double* protections = page.protection_before
    cdef double total = worths[page.size], all_text = texts[page.size], all_prose = proses[page.size]
    cdef double all_protected = protections[page.size], worth, text, prose, most, most_prose
    cdef int32_t zone_start = zone[0], zone_end = zone[1], number, index, stop, mains_count = 0, after = 0
    cdef Pairs pairs
    cdef int32_t* of_hinted = <int32_t*> malloc((page.hinted_count + 1) * sizeof(int32_t))
    cdef int32_t* times = <int32_t*> calloc(page.hinted_count + 1, sizeof(int32_t))
    cdef int32_t* mains = <int32_t*> malloc((page.hinted_count + 1) * sizeof(int32_t))
    cdef double* beside = <double*> calloc(page.hinted_count + 1, sizeof(double))
    cdef int32_t above, pair
    cdef list found = []
    marked, of_content, footer, button, prose_expected, repeated, main, menu, weak = bits
    (
        cap.rich, cap.poor, cap.edge, cap.prose, cap.button_prose, cap.text_share, cap.edge_width,
        cap.footer_start, cap.protected, cap.rare, cap.repeats, cap.titled,
    ) = caps  # fmt: skip
    if all_protected == 0:
        all_protected = 1.0
    try:
        if of_hinted == NULL or times == NULL or mains == NULL or beside == NULL:
            raise MemoryError
        start_pairs(&pairs, page.hinted_count)
        for number in range(page.hinted_count):
            index = page.place[number]
            hint = (page.hint[index] | page.hint[index] >> weak) & marked
            of_hinted[number] = -1
            if hint and alive[index]:
                pair = of_hinted[number] = pair_number(&pairs, page.tag[index], hint)
                times[pair] += 1
                if hint & menu:
                    above = page.parent[index]
                    beside[pair] += (
                        texts[page.end[above]] - texts[above] - texts[page.end[index]] + texts[index]
                    )
            if page.hint[index] & main:
                mains[mains_count] = index
                mains_count += 1
        free_pairs(&pairs)
        for number in range(page.hinted_count):
            index = page.place[number]
            if of_hinted[number] < 0 or index < after or protected[index]:
                continue
            hint = (page.hint[index] | page.hint[index] >> weak) & marked
            pair = of_hinted[number]
            if hint & menu and times[pair] > cap.rare and beside[pair] >= cap.titled * times[pair]:
                continue
            if zone_start < index < zone_end and not hint & ~of_content:
                continue
            stop = page.end[index]
            worth, text = worths[stop] - worths[index], texts[stop] - texts[index]
            prose = proses[stop] - proses[index]
            most = cap.rich if text != 0 and worth > cap.text_share * text else cap.poor
            if (
                hint & footer
                and all_text - texts[stop] <= cap.edge_width * all_text
                and texts[index] > cap.footer_start * all_text
            ):
                most = max(most, cap.edge)
            most_prose = 1.0
            if hint & button:
                most_prose = cap.button_prose
            elif not hint & prose_expected and enough_prose:
                most_prose = cap.prose
            if (
                worth <= most * total
                and prose <= most_prose * all_prose
                and times[pair] <= (cap.repeats if hint & repeated else cap.rare)
                and not index <= first_heading < stop
                and protections[stop] - protections[index] < cap.protected * all_protected
                and not any_in(mains, mains_count, index, stop)
            ):
                after = stop
                found.append((index, stop, hint, worth))
    finally:
        free(of_hinted)
        free(times)
        free(mains)
        free(beside)
    return found


def of_class(Columns page not None, int64_t wanted, bytes part not None):
    """Return the nodes with one of these hints whose class attribute has a part, in document order."""
    cdef Walk walk = page.walk
    cdef int32_t number, index
    cdef const char* class_
    cdef list found = []
    walk.check_open()
    for number in range(page.hinted_count):
        index = page.place[number]
        if page.hint[index] & wanted:
            class_ = walk.alphabet[walk.symbols[index]].class_
            if class_ != NULL and strstr(class_, part) != NULL:
                found.append(index)
    return found


def text_menus(Columns page not None, int64_t menu, int64_t marks, double text_worth, double share):
    """Return the nodes with one of the marks that consist of texts; those marked as a menu only with more than a share."""
    cdef int32_t number, index, stop
    cdef double worth
    cdef list found = []
    for number in range(page.hinted_count):
        index = page.place[number]
        if page.hint[index] & marks:
            stop = page.end[index]
            worth = page.worth_before[stop] - page.worth_before[index]
            if (
                worth
                and worth >= text_worth * (page.text_before[stop] - page.text_before[index])
                and (not page.hint[index] & menu or worth > share * page.worth_before[page.size])
            ):
                found.append(index)
    return found


def shown_children(Columns page not None, Py_ssize_t above, int64_t hidden):
    """Return the first child without this hint and with some text, by its path of tags."""
    cdef int32_t child, after, stop
    cdef dict found = {}
    if not 0 <= above < page.size:
        return found
    child = above + 1
    stop = page.end[above]
    while child < stop:
        after = page.end[child]
        if not page.hint[child] & hidden and page.text_before[after] > page.text_before[child]:
            found.setdefault(page.tag[child], child)
        child = after
    return found


def headed_parts(Columns page not None, int64_t headings, int64_t marks):
    """Return the nodes with an ``id`` and one of the marks that start with a heading, or an empty element and one."""
    cdef int32_t number, heading, index
    cdef list found = []
    page.walk.check_open()
    for number in range(page.hinted_count):
        heading = page.place[number]
        index = page.parent[heading]
        if (
            page.hint[heading] & headings
            and index >= 0
            and page.hint[index] & marks
            and (heading == index + 1 or (page.end[index + 1] == heading == index + 2))
            and has_id(page.walk.nodes[index])
        ):
            found.append(index)
    return found


cdef bint has_id(xmlNode* node) noexcept nogil:
    cdef xmlAttr* one = node.properties
    while one != NULL and not same(<const char*> one.name, b"id"):
        one = one.next
    return one != NULL


def gone_headings(Columns page not None, int64_t headings, int32_t most_nodes, Py_ssize_t most):
    """Return (index, characters) of the first headings that have gone and have few nodes."""
    cdef const uint8_t* alive = page.living()
    cdef int32_t number, index, node, size
    cdef list found = []
    for number in range(page.hinted_count):
        index = page.place[number]
        if page.hint[index] & headings and not alive[index] and page.end[index] - index <= most_nodes:
            if len(found) == most:
                break
            size = 0
            for node in range(index, page.end[index]):
                size += page.text_length[node]
            found.append((index, size))
    return found
