# cython: language_level=3
"""Links to the next page, labels of facts and texts with digits, read from libxml2's strings.

See the rules ``next_links`` and ``labelled`` in ``scrapy_tps.engine.strategies.auto``.

Python handles texts beyond ASCII, because it knows their letters and digits.
"""

cimport cython
from cpython.array cimport array
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport strchr, strlen, strpbrk, strstr

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes.etreepublic cimport import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.texts cimport (
    Table, Text, attribute, decode, lower, same, start_of, starts_with, text_from, value_of, whole_text
)
from scrapy_tps.engine._native.walk cimport ELEMENT, OF_CUES, LABELLING, Walk, text_at
from scrapy_tps.engine._native.arrays cimport Ints, mask_bytes
from scrapy_tps.engine._native.columns cimport Columns

cdef extern from "Python.h":
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character) nogil

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

@cython.final
cdef class Telling:
    """Texts of links to other pages; those of a page are compared here, because a call of Python takes a microsecond.

    :param words: the texts in lower case.
    :param words_of: returns the words of a text: see `scrapy_tps.engine.cues.words.label_words`.
    :param around: the ASCII characters to ignore around the words.
    """

    cdef Table table
    cdef frozenset words
    cdef object words_of
    cdef uint8_t around[256]

    def __cinit__(self, frozenset words not None, words_of, bytes around not None):
        self.table, self.words, self.words_of = Table(dict.fromkeys(words, (1, 0, 0))), words, words_of
        for byte in range(256):
            self.around[byte] = byte in around

    cdef bint has(self, xmlNode* text) except -1:
        cdef Text at
        cdef Text stop
        cdef Text one
        if text_from(text.next) == NULL:
            at = self.start(text)
            if at == NULL:
                return False
            stop = at + strlen(<const char*> at)
            while stop > at and self.around[(stop - 1)[0]]:
                stop -= 1
            one = at
            while one < stop and 32 <= one[0] < 127 and not 48 <= one[0] <= 57 and (one[0] != 32 or one[1] != 32):
                one += 1
            if one == stop and at < stop:
                return self.table.find(at, stop - at, True) != NULL
        return self.words_of(whole_text(text)) in self.words

    cdef Text start(self, xmlNode* text) noexcept nogil:
        """Return where the words of a text start; NULL if none of the texts starts with the same two characters."""
        cdef Text at = <Text> text.content if text.content != NULL else <Text> <const char*> b""
        while self.around[at[0]]:
            at += 1
        if 0 < at[0] < 128 and 0 < at[1] < 128 and not self.table.lengths[start_of(at, 2)]:
            return NULL
        return at


def next_links(
    Columns page not None, tuple places not None, bytearray held not None, Telling words not None, tuple most not None
):
    """Return those of the places (links, buttons) whose byte is 0 and which may lead to another page; the rule `next_links`
    checks them.

    :param words: the texts of such links.
    :param most: the most visible characters and nodes of such a link.
    """
    cdef Walk walk = page.walk
    cdef int32_t longest = most[0], most_nodes = most[1], texts
    cdef array column
    cdef Ints links
    cdef bint leading
    cdef const uint8_t* stays
    cdef uint8_t* named  # for each symbol: whether its class may name pagination; 0 if not yet known
    cdef uint8_t* tells  # for each node: whether it may have an id or a label; its attributes are far away in memory
    cdef list found = []
    walk.check_open()
    if len(held) != page.size:
        raise ValueError("a mask has a byte for each node")
    stays = <const uint8_t*> PyByteArray_AS_STRING(held)
    named = <uint8_t*> calloc(walk.alphabet_size + 1, 1)
    tells = <uint8_t*> calloc(page.size + 1, 1)
    try:
        if named == NULL or tells == NULL:
            raise MemoryError
        for place in range(walk.telling_count):
            tells[walk.telling[place].index] = walk.telling[place].says & OF_CUES
        for column in places:
            links = page.arrays.integers(column)
            for number in range(len(column)):
                link = links[number]
                if not 0 <= link < page.size:
                    raise IndexError("no such node in the sequence")
                stop = page.end[link]
                if stays[link] or stop - link > most_nodes:
                    continue
                if page.button_symbols[walk.symbols[link]] and not loads(walk.nodes[link]):
                    continue
                size = texts = first = 0
                for place in range(link, stop):
                    if page.text_length[place]:
                        size += page.text_length[place]
                        texts += 1
                        first = first or place
                if size > longest:
                    continue
                leading, above = may_be_named(walk, named, tells, link), page.parent[link]
                while not leading and above > 0 and page.end[above] - above <= most_nodes:
                    leading = may_be_named(walk, named, tells, above)
                    above = page.parent[above]
                if not leading and texts == 1:
                    leading = words.has(text_at(walk, first))
                elif not leading and texts and words.start(text_at(walk, first)) != NULL:
                    leading = words.words_of("".join([
                        whole_text(text_at(walk, place)) for place in range(first, stop) if page.text_length[place]
                    ])) in words.words
                leading = leading or (tells[link] and is_labelled(walk.nodes[link], b"aria-label", words))
                if not leading and size == 0:
                    leading = is_labelled(walk.nodes[link], b"title", words)
                    for place in range(link + 1, stop):
                        if not leading and page.kinds[place] == ELEMENT and is_named(walk, place, b"img"):
                            leading = is_labelled(walk.nodes[place], b"alt", words)
                if leading:
                    found.append(link)
    finally:
        free(named)
        free(tells)
    return found


def texts_with_digits(Columns page not None, Py_ssize_t start, Py_ssize_t stop, mask not None, bint priced=False):
    """Return the visible texts in [start, stop) whose byte in the mask is 1 and which have a digit, or may have a price."""
    cdef const uint8_t* wanted = mask_bytes(mask, page.size)
    cdef Walk walk = page.walk
    cdef list found = []
    walk.check_open()
    page.check(start, stop)
    for index in range(start, stop):
        if wanted[index] and page.text_length[index] and has_digit(text_at(walk, index), priced):
            found.append(index)
    return found


cdef bint has_digit(xmlNode* node, bint priced) noexcept nogil:
    """Whether a text has a digit; with `priced`, also what may be a currency sign, or a point or comma before a digit."""
    cdef const unsigned char* at
    cdef uint32_t one
    cdef bint digit = False, sign = not priced
    while node != NULL:
        at = <const unsigned char*> node.content
        while at != NULL and at[0]:
            one = decode(&at)
            if 57 < one < 0x80:
                continue
            if one >= 0x80:
                digit |= Py_UNICODE_ISDECIMAL(<Py_UCS4> one)
                sign |= 0xA2 <= one <= 0xA5 or one >= 0x58F
            elif one >= 48:
                digit = True
            elif one != 32:
                # digits beyond ASCII, and those of the next node, may be decimals, too
                sign |= one == c"$" or ((one == c"." or one == c",") and not 0 < at[0] < 48 and not 57 < at[0] < 0x80)
            if digit and sign:
                return True
        node = text_from(node.next)
    return False


def removed_numbers(Columns page not None, int32_t longest):
    """Return the removed texts of at most so many characters in links which may be numbers, and the pictures whose text
    may start with a digit."""
    cdef Walk walk = page.walk
    cdef const uint8_t* alive = mask_bytes(page.alive, page.size)
    cdef const uint8_t* linked = page.in_link
    cdef xmlAttr* said
    cdef bint composed = False
    cdef list found = []
    walk.check_open()
    for index in range(page.size):
        if alive[index] or not linked[index]:
            continue
        if page.text_length[index]:
            if page.text_length[index] <= longest and may_be_number(text_at(walk, index)):
                found.append(index)
        elif page.kinds[index] == ELEMENT and is_named(walk, index, b"img"):
            said = attribute(walk.nodes[index], b"alt")
            if said != NULL and (48 <= <uint8_t> value_of(said, &composed)[0] <= 57 or composed):
                found.append(index)
    return found


cdef bint may_be_number(xmlNode* node) noexcept nogil:
    """Whether a text has a digit, and no ASCII letter."""
    cdef const unsigned char* at
    cdef bint found = False
    while node != NULL:
        at = <const unsigned char*> node.content
        while at != NULL and at[0]:
            one = decode(&at)
            if 97 <= (one | 32) <= 122:
                return False
            found |= 48 <= one <= 57 or (one >= 0x80 and Py_UNICODE_ISDECIMAL(<Py_UCS4> one))
        node = text_from(node.next)
    return found


def links_with(Columns page not None, links not None, list parts not None, tuple pieces not None):
    """Return those of these ascending links that are in parts and whose address contains one of the pieces, which start
    with the same sign, in any case.

    :param parts: tuples that begin with start and end.
    """
    cdef Walk walk = page.walk
    cdef array column = page.arrays.column(links)
    cdef Ints places = page.arrays.integers(column)
    cdef const char* texts[16]
    cdef const char* at
    cdef int count = 0, number
    cdef Py_ssize_t start, end, following
    cdef int32_t place
    cdef tuple part
    cdef xmlAttr* one
    cdef bint composed, found_one
    cdef bytes piece
    cdef uint32_t seconds = 0  # a bit for each letter that follows the sign, in any case
    cdef list found = []
    walk.check_open()
    if not 0 < len(pieces) <= 16 or b"" in pieces:
        raise ValueError("1 to 16 pieces that are not empty")
    for piece in pieces:
        texts[count] = piece
        seconds |= <uint32_t> 1 << (texts[count][1] & 31) if len(piece) > 1 else <uint32_t> 0xFFFFFFFF
        count += 1
    for part in parts:
        start, end = part[0], part[1]
        page.check(start, end)
        for following in range(page.arrays.first_from(column, <int32_t> start), len(column)):
            place = places[following]
            if place >= end:
                break
            page.check(place, place + 1)
            one = attribute(walk.nodes[place], b"href")
            if one == NULL:
                continue
            composed = False
            at = strchr(value_of(one, &composed), texts[0][0])
            found_one = composed
            while at != NULL and not found_one:
                at += 1
                if seconds >> (at[0] & 31) & 1:
                    for number in range(count):
                        if starts_with(at, texts[number] + 1):
                            found_one = True
                            break
                at = strchr(at, texts[0][0])
            if found_one:
                found.append(place)
    return found


def labelling(Columns page not None):
    """Return the elements with an ``itemprop``, ``property``, ``itemref`` or ``datetime``, or a ``rel`` that may name
    an author or a topic: those that stay, and those that do not."""
    cdef Walk walk = page.walk
    cdef list staying = [], going = []
    walk.check_open()
    for number in range(walk.telling_count):
        index = walk.telling[number].index
        if walk.telling[number].says & LABELLING and labels(walk.nodes[index]):
            (staying if page.alive[index] else going).append(index)
    return staying, going


cdef bint labels(xmlNode* node) noexcept nogil:
    cdef xmlAttr* rel = attribute(node, b"rel")
    cdef const char* at = b""
    cdef bint composed = False
    if rel != NULL:
        at = value_of(rel, &composed)
        while at[0] and not starts_with(at, b"author") and not starts_with(at, b"tag"):
            at += 1
    return (
        at[0]
        or composed
        or attribute(node, b"itemprop") != NULL
        or attribute(node, b"property") != NULL
        or attribute(node, b"itemref") != NULL
        or attribute(node, b"datetime") != NULL
    )


cdef bint may_be_named(Walk walk, uint8_t* named, const uint8_t* tells, int32_t node) noexcept nogil:
    """Whether an element has a class or an id that may name pagination."""
    cdef xmlAttr* one
    cdef int32_t symbol = walk.symbols[node]
    cdef bint composed = False
    if named[symbol] == 0:
        named[symbol] = 2 if may_name(walk.alphabet[symbol].class_) else 1
    if named[symbol] == 2:
        return True
    if not tells[node]:
        return False
    one = attribute(walk.nodes[node], b"id")
    return one != NULL and (may_name(value_of(one, &composed)) or composed)


cdef inline bint is_named(Walk walk, int32_t element, const char* tag) noexcept nogil:
    """Whether an element has this tag, by its symbol, because nodes are far away in memory."""
    cdef const char* own = walk.alphabet[walk.symbols[element]].tag
    return own != NULL and own[0] == tag[0] and same(own, tag)


cdef bint loads(xmlNode* button) noexcept nogil:
    """Whether an attribute for scripts has a digit: Python need not check others."""
    cdef xmlAttr* one = button.properties
    cdef const char* at
    cdef bint composed = False
    while one != NULL:
        if starts_with(<const char*> one.name, b"data-") or starts_with(<const char*> one.name, b"hx-"):
            at = value_of(one, &composed)
            while at[0]:
                if 48 <= <unsigned char> at[0] <= 57:
                    return True
                at += 1
        one = one.next
    return composed


cdef bint is_labelled(xmlNode* node, const char* name, Telling words) except -1:
    """Whether an attribute (the label of a link, the title or text of a linked picture) is one of the texts."""
    cdef xmlAttr* one = attribute(node, name)
    return one != NULL and one.children != NULL and (one.children.next != NULL or words.has(one.children))


cdef bint may_name(const char* names) noexcept nogil:
    """Whether a word in a class or an id starts with next, prev or older, or one starts with load and another ends in
    ore."""
    cdef const char* at = strpbrk(names, b"xXvVdD") if names != NULL else NULL  # letters that most names do not have
    while at != NULL:
        if (
            has_at(names, at - 2, b"next")
            or has_at(names, at - 3, b"prev")
            or has_at(names, at - 2, b"older")
            or (has_at(names, at - 3, b"load") and (strstr(at, b"ore") != NULL or strstr(at, b"ORE") != NULL))
        ):
            return True
        at = strpbrk(at + 1, b"xXvVdD")
    return False


cdef inline bint has_at(const char* names, const char* at, const char* word) noexcept nogil:
    """Whether a word in names starts with this one at this place."""
    return (
        at >= names
        and starts_with(at, word)
        and (at == names or at[0] < 97 or not 97 <= lower((at - 1)[0]) <= 122)
    )
