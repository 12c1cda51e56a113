# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""What a page holds besides what it shows: scripts that hold data, and metadata in the body.

See ``scrapy_tps.engine.sequence.columns`` and ``scrapy_tps.engine.metadata``, which say what and why.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memset, strcmp, strncmp

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport etreepublic as cetree
from lxml.includes.etreepublic cimport import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.columns cimport mask_bytes
from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.scan cimport characters
from scrapy_tps.engine._native.texts cimport (
    attribute, decode, is_ascii_space, is_space, lower, start_of_text, starts_with, text_from, value_of
)
from scrapy_tps.engine._native.walk cimport ELEMENT, Script, Walk

from scrapy_tps.engine.html.data_scripts import DECLARING, STATE_PREFIX, STATE_WORDS, is_page_state

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef extern from "string.h":
    size_t strnlen(const char* text, size_t limit) nogil

cdef list STATE_STARTS = [word.encode() for word in STATE_WORDS]
cdef size_t PREFIX = STATE_PREFIX
cdef size_t STATE_BYTES = 4 * PREFIX  # as many as its characters take at most
cdef int DECLARING_WORDS = len(DECLARING)  # they come first

cdef enum:
    NO = 0
    YES = 1
    UNSURE = 2  # Python has to tell
    MOST_ASSIGNED = 80


cdef bint holds_data(Script* script) except -1:
    if not script.data:
        script.data = 1 if is_data(script.node) else 2
    return script.data == 1


cdef bint is_data(xmlNode* node) except -1:
    cdef bint composed = False
    cdef int state
    cdef const char* value = value_called(node, b"type", &composed)
    if value != NULL and names_json(value):
        return True
    value = value_called(node, b"id", &composed)
    if value != NULL and value[0] == c"_" and value[1] == c"_":
        return True
    state = names_page_state(node.children)
    if state != UNSURE:
        return state == YES
    start = start_of_text(node.children, STATE_PREFIX)
    return bool(start) and is_page_state(start)


cdef inline const char* value_called(xmlNode* node, const char* name, bint* composed) noexcept nogil:
    """Value of an attribute without namespace, NULL where there is none."""
    cdef xmlAttr* one = attribute(node, name)
    return NULL if one == NULL else value_of(one, composed)


cdef inline bint names_json(const char* value) noexcept nogil:
    while value[0]:
        if starts_with(value, b"json"):
            return True
        value += 1
    return False


cdef int names_page_state(xmlNode* node) except -1:
    """Whether a script assigns page state: `is_page_state`, as far as that is ASCII and not cut off."""
    cdef const unsigned char* first
    cdef const unsigned char* start
    cdef const unsigned char* at
    cdef const unsigned char* stop
    cdef bytes word
    cdef int number, found = NO
    node = text_from(node)
    if node == NULL or node.content == NULL:
        return NO
    if text_from(node.next) != NULL:
        return UNSURE
    first = start = at = <const unsigned char*> node.content
    stop = first + strnlen(<const char*> first, PREFIX)
    if characters(first, stop) != stop - first:
        stop = first + strnlen(<const char*> first, STATE_BYTES)
    while at < stop:
        start = at
        if not is_space(decode(&at)):
            break
    for number in range(len(STATE_STARTS)):
        word = STATE_STARTS[number]
        if strncmp(<const char*> start, <const char*> word, len(word)) == 0:
            found = assigns(first, start + len(word), stop, number < DECLARING_WORDS)
            break
    return found if found == YES else max(found, holds_state_name(first, stop))


cdef inline bint is_word(unsigned char byte) noexcept nogil:
    return 97 <= lower(byte) <= 122 or 48 <= byte <= 57 or byte == c"_"


cdef inline const unsigned char* after_spaces(
    const unsigned char* at, const unsigned char* stop
) noexcept nogil:
    while at < stop and is_ascii_space(at[0]):
        at += 1
    return at


cdef inline int within_prefix(const unsigned char* first, const unsigned char* at) noexcept nogil:
    """YES where what ends here is in the characters that Python looks at, however many bytes these take."""
    return YES if at - first <= <Py_ssize_t> PREFIX else UNSURE


cdef int assigns(
    const unsigned char* first, const unsigned char* at, const unsigned char* stop, bint declares
) noexcept nogil:
    """Whether `_STATE_AT_START` of the Python twin matches a script, from behind its first word."""
    cdef const unsigned char* start = at
    at = after_spaces(at, stop)
    if at < stop and at[0] < 0x80 and (at == start if declares else at[0] != c"." and at[0] != c"["):
        return NO
    if not declares and at < stop:
        at += 1
    start = at
    while at < stop and at[0] != c"=":
        if at[0] >= 0x80:
            return UNSURE
        if not (
            is_word(at[0]) or at[0] == c" " or at[0] == c"$" or at[0] == c"."
            or at[0] == c"[" or at[0] == c"]" or at[0] == c'"' or at[0] == c"'"
        ):
            return NO
        at += 1
    if at == start or at == stop:
        return UNSURE
    if at - start > MOST_ASSIGNED:
        return NO
    at = after_spaces(at + 1, stop)
    if at == stop or at[0] >= 0x80:
        return UNSURE
    if at[0] == c"[" or at[0] == c"{":
        return within_prefix(first, at + 1)
    return within_prefix(first, at + 10) if strncmp(<const char*> at, b"JSON.parse", 10) == 0 else NO


cdef int holds_state_name(const unsigned char* first, const unsigned char* stop) noexcept nogil:
    """Whether `_STATE_NAME` of the Python twin matches somewhere in a script."""
    cdef const unsigned char* at = first
    cdef const unsigned char* name
    cdef const unsigned char* behind
    while True:
        at = <const unsigned char*> memchr(at, c"_", stop - at)
        if at == NULL or stop - at < 2:
            return NO
        if at[1] != c"_" or (at > first and is_word((at - 1)[0])):
            at += 1
            continue
        name = at + 2
        behind = name
        while behind < stop and is_word(behind[0]):
            behind += 1
        if (
            behind == stop
            or behind[0] >= 0x80
            or behind - first > <Py_ssize_t> PREFIX  # where Python's text may end
            or (at > first and (at - 1)[0] >= 0x80)
        ):
            return UNSURE
        at = behind
        if not 97 <= lower(name[0]) <= 122 or behind - name < 3:
            continue
        if behind - name > 60:
            return UNSURE
        if behind - name >= 5 and (behind - 1)[0] == c"_" and (behind - 2)[0] == c"_":
            return within_prefix(first, behind)
        if behind[0] == c"." and strncmp(<const char*> behind, b".push", 5) == 0:
            return within_prefix(first, behind + 5)
        behind = after_spaces(behind, stop)
        if behind == stop or behind[0] >= 0x80:
            return UNSURE
        if behind[0] == c"=":
            return within_prefix(first, behind + 1)


# --- metadata

cdef enum:
    # what a tag is
    TITLE = 1
    META = 2
    LINK = 3
    BASE = 4
    KINDS = 7
    DRAWN = 8  # in a drawing

cdef enum:
    # what becomes of a node
    GOES = 0
    STAYS = 1
    OF_ITEM = 2
    MAY_BE_OF_ITEM = 3  # where it is in one

cdef enum:
    # of what an element stands in
    UNKNOWN = 0
    KEPT = 1
    GONE = 2


cdef int kind_of(const char* tag) noexcept nogil:
    if tag == NULL:
        return 0
    if tag[0] == c"t":
        return TITLE if strcmp(tag, b"title") == 0 else 0
    if tag[0] == c"m":
        return META if strcmp(tag, b"meta") == 0 else 0
    if tag[0] == c"l":
        return LINK if strcmp(tag, b"link") == 0 else 0
    return BASE if tag[0] == c"b" and strcmp(tag, b"base") == 0 else 0


cdef inline bint is_drawing(const char* tag) noexcept nogil:
    return tag != NULL and tag[0] == c"s" and strcmp(tag, b"svg") == 0


cdef int fate(xmlNode* node, int kind, is_resource) except -1:
    """What becomes of a ``meta`` or ``link``."""
    cdef xmlAttr* rel
    cdef bint named
    if kind == META:
        named = (
            attribute(node, b"name") != NULL
            or attribute(node, b"http-equiv") != NULL
            or attribute(node, b"charset") != NULL
        )
    else:
        rel = attribute(node, b"rel")
        value = None if rel == NULL else cetree.attributeValue(node, rel)
        named = bool(value)
        if named and is_resource(value):
            return OF_ITEM if attribute(node, b"itemprop") != NULL else GOES
    if named:
        return STAYS
    if attribute(node, b"itemprop") != NULL:
        return OF_ITEM
    return MAY_BE_OF_ITEM if attribute(node, b"property") != NULL else STAYS


cdef class Items:
    """The items of a page, each looked at once."""

    cdef Walk walk
    cdef int32_t* at  # the nearest item at or above an element, -1: none, -2: nobody has asked
    cdef int32_t* next_text  # from each node on
    cdef uint8_t* stays

    def __cinit__(self, Walk walk not None):
        cdef int32_t index
        self.walk = walk
        self.at = <int32_t*> malloc((walk.size + 1) * sizeof(int32_t))
        self.next_text = <int32_t*> malloc((walk.size + 1) * sizeof(int32_t))
        self.stays = <uint8_t*> calloc(walk.size + 1, 1)
        if self.at == NULL or self.next_text == NULL or self.stays == NULL:
            raise MemoryError
        self.next_text[walk.size] = walk.size
        for index in range(walk.size - 1, -1, -1):
            self.at[index] = -2
            self.next_text[index] = self.next_text[index + 1] if walk.kinds[index] == ELEMENT else index

    def __dealloc__(self):
        free(self.at)
        free(self.next_text)
        free(self.stays)

    cdef int32_t above(self, int32_t place) noexcept nogil:
        """The nearest item above a node, -1 where there is none."""
        cdef int32_t first = self.walk.parent[place]
        cdef int32_t above = first, found = -1
        while above >= 0:
            if self.at[above] != -2:
                found = self.at[above]
                break
            if (
                attribute(self.walk.nodes[above], b"itemscope") != NULL
                or attribute(self.walk.nodes[above], b"typeof") != NULL
            ):
                found = above
                break
            above = self.walk.parent[above]
        while first != above:
            self.at[first] = found
            first = self.walk.parent[first]
        if above >= 0:
            self.at[above] = found
        return found

    cdef inline int32_t around(self, int32_t place) noexcept nogil:
        cdef int32_t item = self.above(place)
        return self.walk.parent[place] if item < 0 else item

    cdef bint stays_with(self, int32_t place, const uint8_t* mask) noexcept nogil:
        """Whether a node stays with what it stands in."""
        cdef int32_t first = self.around(place)
        cdef int32_t box = first, last
        cdef uint8_t found
        while not self.stays[box] and box and (
            self.next_text[box] >= self.walk.end[box] or attribute(self.walk.nodes[box], b"itemprop") != NULL
        ):
            box = self.around(box)
        found = self.stays[box]
        if not found:
            found = KEPT if mask[box] else GONE
        last = box
        while first != last:
            self.stays[first] = found
            first = self.around(first)
        self.stays[last] = found
        return found == KEPT


def keep_metadata(Walk walk not None, bytearray mask not None, dropped, bint keep_head, is_resource, add_ancestors):
    """Keep metadata in `mask`; see `metadata.keep_metadata`.

    :param add_ancestors: called before items are looked at.
    """
    cdef uint8_t* bytes_ = <uint8_t*> mask_bytes(mask, walk.size)
    cdef const uint8_t* gone = mask_bytes(dropped, walk.size) if dropped else NULL
    cdef int32_t index, symbol, above
    cdef int kind, becomes
    cdef bint some = False
    cdef Items items = None
    cdef list of_items = []
    cdef list kept = []
    cdef uint8_t* kinds = NULL  # of each symbol
    walk.check_open()
    try:
        kinds = <uint8_t*> malloc(walk.alphabet_size + 1)
        if kinds == NULL:
            raise MemoryError
        for symbol in range(walk.alphabet_size):
            kind = kind_of(walk.alphabet[symbol].tag)
            kinds[symbol] = kind if keep_head or kind == BASE else 0
            some |= kinds[symbol] != 0
            # those above come first
            above = walk.alphabet[symbol].above
            if is_drawing(walk.alphabet[symbol].tag) or (above >= 0 and kinds[above] & DRAWN):
                kinds[symbol] |= DRAWN
        if not some:
            return
        for index in range(walk.size):
            kind = kinds[walk.symbols[index]] & KINDS
            if not kind or bytes_[index] or (gone != NULL and gone[index]):
                continue
            becomes = STAYS
            if kind == TITLE:
                becomes = GOES if kinds[walk.symbols[index]] & DRAWN else STAYS
            elif kind != BASE:
                becomes = fate(walk.nodes[index], kind, is_resource)
            if becomes == OF_ITEM or becomes == MAY_BE_OF_ITEM:
                if items is None:
                    items = Items(walk)
                if becomes == MAY_BE_OF_ITEM and items.above(index) <= 0:
                    becomes = STAYS
                else:
                    of_items.append(index)
            if becomes == STAYS:
                kept.append(index)
        if of_items:
            add_ancestors()
            kept += [index for index in of_items if items.stays_with(index, bytes_)]
        for index in kept:
            memset(bytes_ + index, 1, walk.end[index] - index)
    finally:
        free(kinds)
