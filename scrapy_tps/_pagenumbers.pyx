# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Links of page numbers and to the next page, read off libxml2's strings: see ``scrapy_tps.strategies.pagenumbers``
and ``nextlinks``.

Texts beyond ASCII are left to Python, which knows what letters and digits they have.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport strstr

from lxml.includes cimport etreepublic as cetree
from lxml.includes.etreepublic cimport import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps._core cimport CORE_REVISION, LXML_VERSION_STRING
from scrapy_tps._tables cimport Table
from scrapy_tps._texts cimport is_ascii_space, lower, same, starts_with, text_from, value_of, whole_text
from scrapy_tps._walk cimport ELEMENT, TEXT_OF, Walk
from scrapy_tps._workspace cimport Columns

import_lxml__etree()

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef enum:
    NO = 0
    YES = 1
    UNSURE = 2  # Python has to tell
    MOST_SAID = 64

cdef struct Said:
    # a text in small letters, its length, and whether it goes beyond ASCII or is longer
    unsigned char text[MOST_SAID]
    int32_t length
    bint beyond, more


def page_links(
    Columns page not None, int32_t longest, int32_t most, int32_t digits, int32_t levels, int32_t unit_nodes
):
    """Return (number, unit, address) of links that are nothing but a number; where Python has to tell, the text's place.

    :param longest: characters of a text that may be a number; the first `most` of these that have gone are read.
    :param levels: a number is in so many elements of up to `unit_nodes` nodes at most.
    """
    cdef Walk walk = page.walk
    cdef const uint8_t* alive = page.living()
    cdef const uint8_t* linked = page.in_link
    cdef int32_t index, number, level, unit, above, read = 0
    cdef int only
    cdef list found = []
    walk.check_open()
    for index in range(page.size):
        if not linked[index] or not 0 < page.size_of[index] <= longest or alive[index]:
            continue
        if not may_be_number(text_of(walk, index)):
            continue
        read += 1
        number = 0
        only = read_number(text_of(walk, index), digits, &number)
        if only == YES:
            unit = page.parent[index]
            href = None
            for level in range(levels):
                if href is None and page.is_link[walk.symbols[unit]]:
                    href = cetree.attributeValueFromNsName(walk.nodes[unit], NULL, <const unsigned char*> b"href")
                above = page.parent[unit]
                if above <= 0:
                    break
                only = holds_only(page, above, index, unit_nodes)
                if only != YES:
                    break
                unit = above
            if only != UNSURE and href and not (<str> href).startswith("#"):
                found.append((number, unit, href))
        if only == UNSURE:
            found.append(index)
        if read == most:
            break
    return found


def turning_links(
    Columns page not None,
    bytearray held not None,
    Table ascii_words not None,
    frozenset words not None,
    words_of not None,
    bytes signs not None,
    int32_t longest,
    int32_t most_nodes,
):
    """Return the links whose byte is 0 and which may turn the page; `strategies.nextlinks` looks at them again.

    :param ascii_words: the words that are ASCII, in lower case, which are told here: asking Python of a text costs
        a microsecond.
    :param words: all of them; `words_of` tells of a text what it says.
    :param signs: a byte for each ASCII character, 1 where it is left out around a word.
    :param longest: visible characters of such a link.
    """
    cdef Walk walk = page.walk
    cdef int32_t link, above, place, stop, size
    cdef int says
    cdef Said said
    cdef xmlNode* part
    cdef const uint8_t* stays
    cdef uint8_t* named  # of each symbol: whether its class may say so, 0 where nobody has asked
    cdef uint8_t* tells  # of each node: whether it may have an id or a label; its attributes are far away
    cdef const uint8_t* sign = <const uint8_t*> PyBytes_AS_STRING(signs)
    cdef list found = []
    walk.check_open()
    if len(held) != page.size or len(signs) != 128:
        raise ValueError("a mask has a byte for each node, and signs one for each ASCII character")
    stays = <const uint8_t*> PyByteArray_AS_STRING(held)
    named = <uint8_t*> calloc(walk.alphabet_size + 1, 1)
    tells = <uint8_t*> calloc(page.size + 1, 1)
    try:
        if named == NULL or tells == NULL:
            raise MemoryError
        for place in range(walk.telling_count):
            tells[walk.telling[place]] = True
        for link in range(page.size):
            stop = page.end[link]
            if (
                stays[link]
                or page.kinds[link] != ELEMENT
                or not page.is_link[walk.symbols[link]]
                or stop - link > most_nodes
            ):
                continue
            size = 0
            for place in range(link, stop):
                size += page.size_of[place]
            if size > longest:
                continue
            above = max(page.parent[link], 0)
            says = (
                may_be_named(walk, named, tells, link)
                or may_be_named(walk, named, tells, above)
                or may_be_named(walk, named, tells, max(page.parent[above], 0))
            )
            if not says and size:
                said.length = said.beyond = said.more = 0
                for place in range(link, stop):
                    if page.size_of[place]:
                        part = text_of(walk, place)
                        while part != NULL:
                            say(&said, <const unsigned char*> part.content)
                            part = text_from(part.next)
                says = is_one(&said, ascii_words, sign)
                if says == UNSURE:
                    says = words_of("".join([
                        whole_text(text_of(walk, place)) for place in range(link, stop) if page.size_of[place]
                    ])) in words
            if not says and (tells[link] or size == 0):
                says = is_labelled(walk.nodes[link], size == 0, ascii_words, words, words_of, sign)
            if says:
                found.append(link)
    finally:
        free(named)
        free(tells)
    return found


def related_links(Columns page not None, int32_t start, int32_t stop):
    """Return the links in [start, stop) that have a ``rel``."""
    cdef Walk walk = page.walk
    cdef int32_t number, index
    cdef xmlAttr* one
    cdef list found = []
    walk.check_open()
    for number in range(walk.telling_count):
        index = walk.telling[number]
        if start <= index < stop and page.is_link[walk.symbols[index]]:
            one = walk.nodes[index].properties
            while one != NULL and not same(<const char*> one.name, b"rel"):
                one = one.next
            if one != NULL:
                found.append(index)
    return found


cdef void say(Said* said, const unsigned char* at) noexcept nogil:
    """Add a text to what is said: small letters, and one blank for any white space but that at the start."""
    cdef unsigned char one
    while at != NULL and at[0]:
        said.beyond |= at[0] >= 0x80
        one = 32 if is_ascii_space(at[0]) else lower(at[0])
        if one != 32 or (said.length and said.text[said.length - 1] != 32):
            if said.length == MOST_SAID:
                said.more = True
                return
            said.text[said.length] = one
            said.length += 1
        at += 1


cdef int is_one(const Said* said, Table words, const uint8_t* signs) noexcept nogil:
    """Whether what is said is one of these words, with signs around it."""
    cdef int32_t start = 0, stop = said.length
    if said.beyond or said.more:
        return UNSURE
    while start < stop and signs[said.text[start]]:
        start += 1
    if start == stop:
        return UNSURE  # arrows alone, which are not left out
    while signs[said.text[stop - 1]]:
        stop -= 1
    return YES if words.find(said.text + start, stop - start, False) != NULL else NO


cdef bint may_be_named(Walk walk, uint8_t* named, const uint8_t* tells, int32_t node) noexcept nogil:
    """Whether an element has a class or an id that may say that it turns the page."""
    cdef xmlAttr* one
    cdef int32_t symbol = walk.symbols[node]
    cdef bint composed = False
    if named[symbol] == 0:
        named[symbol] = 2 if may_name(walk.alphabet[symbol].class_) else 1
    if named[symbol] == 2:
        return True
    if not tells[node]:
        return False
    one = walk.nodes[node].properties
    while one != NULL:
        if same(<const char*> one.name, b"id"):
            return may_name(value_of(one, &composed)) or composed
        one = one.next
    return False


cdef bint is_labelled(
    xmlNode* node, bint titled, Table ascii_words, frozenset words, words_of, const uint8_t* signs
) except -1:
    """Whether the label of a link, or the title of a picture that is one, has these words."""
    cdef xmlAttr* one = node.properties
    cdef bint composed = False
    cdef Said said
    cdef const char* value
    cdef int says
    while one != NULL:
        if same(<const char*> one.name, b"aria-label") or (titled and same(<const char*> one.name, b"title")):
            value = value_of(one, &composed)
            said.length = said.beyond = said.more = 0
            say(&said, <const unsigned char*> value)
            says = is_one(&said, ascii_words, signs)
            if says == YES or composed or (says == UNSURE and words_of(value.decode("utf-8")) in words):
                return True
        one = one.next
    return False


cdef bint may_name(const char* names) noexcept nogil:
    """Whether a word in a class or an id starts with next, prev or older, or one with load and another ends in ore."""
    cdef const char* at = names
    cdef unsigned char first
    if at == NULL:
        return False
    while at[0]:
        first = lower(at[0])
        if (
            (first == c"n" or first == c"p" or first == c"o" or first == c"l")
            and (at == names or at[0] < 97 or not 97 <= lower((at - 1)[0]) <= 122)
            and (
                starts_with(at + 1, b"ext")
                or starts_with(at + 1, b"rev")
                or starts_with(at + 1, b"lder")
                or (starts_with(at + 1, b"oad") and (strstr(at, b"ore") != NULL or strstr(at, b"ORE") != NULL))
            )
        ):
            return True
        at += 1
    return False


cdef inline xmlNode* text_of(Walk walk, int32_t index) noexcept nogil:
    cdef xmlNode* node = walk.nodes[index]
    return text_from(node.children if walk.kinds[index] == TEXT_OF else node.next)


cdef inline bint is_word(unsigned char byte) noexcept nogil:
    return 97 <= lower(byte) <= 122 or 48 <= byte <= 57 or byte == c"_"


cdef int has_word(xmlNode* node) noexcept nogil:
    """Whether the text that starts at a node has a letter, digit or underscore."""
    cdef const unsigned char* at
    cdef int found = NO
    while node != NULL:
        at = <const unsigned char*> node.content
        while at != NULL and at[0]:
            if is_word(at[0]):
                return YES
            if at[0] >= 0x80:
                found = UNSURE
            at += 1
        node = text_from(node.next)
    return found


cdef int read_number(xmlNode* node, int32_t digits, int32_t* number) noexcept nogil:
    """Read a text that is nothing but a number of up to so many digits, with signs around it."""
    cdef const unsigned char* at = <const unsigned char*> node.content
    cdef int32_t read = 0
    if at == NULL or text_from(node.next) != NULL:
        return UNSURE
    while at[0]:
        if at[0] >= 0x80:
            return UNSURE
        at += 1
    at = <const unsigned char*> node.content
    while at[0] and not is_word(at[0]):
        at += 1
    while 48 <= at[0] <= 57:
        read += 1
        if read > digits:
            return NO
        number[0] = 10 * number[0] + at[0] - 48
        at += 1
    while at[0] and not is_word(at[0]):
        at += 1
    return YES if read and not at[0] else NO


cdef int holds_only(Columns page, int32_t node, int32_t text, int32_t unit_nodes) noexcept nogil:
    """Whether a small element has no letters and digits but those of a text in it."""
    cdef int32_t other, stop = page.end[node]
    cdef int found = YES, word
    if stop - node > unit_nodes:
        return NO
    for other in range(node, stop):
        if other != text and page.size_of[other]:
            word = has_word(text_of(page.walk, other))
            if word == YES:
                return NO
            if word == UNSURE:
                found = UNSURE
    return found


cdef bint may_be_number(xmlNode* node) noexcept nogil:
    """Whether the text that starts at a node has no ASCII letter and something that may be a digit."""
    cdef const unsigned char* at
    cdef bint some = False
    node = text_from(node)
    while node != NULL:
        at = <const unsigned char*> node.content
        while at != NULL and at[0]:
            if 97 <= lower(at[0]) <= 122:
                return False
            some |= 48 <= at[0] <= 57 or at[0] >= 0x80
            at += 1
        node = text_from(node.next)
    return some
