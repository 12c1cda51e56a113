# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Links of page numbers and to the next page, read off libxml2's strings: see ``scrapy_tps.strategies.pagenumbers``
and ``nextlinks``.

Texts beyond ASCII are left to Python, which knows what letters and digits they have.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport strlen, strstr

from lxml.includes cimport etreepublic as cetree
from lxml.includes.etreepublic cimport import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps._core cimport CORE_REVISION, LXML_VERSION_STRING
from scrapy_tps._texts cimport is_ascii_space, lower, same, start_of_text, text_from, value_of
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
    frozenset words not None,
    words_of not None,
    bytes shapes not None,
    int32_t longest,
    int32_t most_read,
    int32_t most_nodes,
):
    """Return the links whose byte is 0 and which may turn the page; `strategies.nextlinks` looks at them again.

    :param words: what they say; `words_of` tells it of a text.
    :param shapes: a byte for each first character and length, below 128 and 64, 1 where an ASCII word has them: most
        links are told by it, where reading a text as a Python string costs 0.5 µs.
    :param longest: visible characters of such a link, of which so many are read, white space included.
    """
    cdef Walk walk = page.walk
    cdef int32_t link, above, place, stop, size, texts, text = 0
    cdef const uint8_t* stays
    cdef uint8_t* named  # of each symbol: whether its class may say so, 0 where nobody has asked
    cdef uint8_t* tells  # of each node: whether it may have an id or a label; its attributes are far away
    cdef const uint8_t* shape = <const uint8_t*> PyBytes_AS_STRING(shapes)
    cdef list found = []
    walk.check_open()
    if len(held) != page.size or len(shapes) != 128 * 64:
        raise ValueError("a mask has a byte for each node, and shapes have 64 for each ASCII character")
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
            size = texts = 0
            for place in range(link, stop):
                if page.size_of[place]:
                    size += page.size_of[place]
                    texts += 1
                    text = place
            if size > longest:
                continue
            above = max(page.parent[link], 0)
            if (
                may_be_named(walk, named, tells, link)
                or may_be_named(walk, named, tells, above)
                or may_be_named(walk, named, tells, max(page.parent[above], 0))
            ):
                found.append(link)
            elif (
                texts == 1
                and may_say(text_of(walk, text), shape)
                and words_of(short_text(text_of(walk, text), most_read)) in words
            ):
                found.append(link)
            elif texts > 1 and words_of("".join([
                short_text(text_of(walk, place), most_read) for place in range(link, stop) if page.size_of[place]
            ])) in words:
                found.append(link)
            elif (tells[link] or size == 0) and is_labelled(walk.nodes[link], size == 0, words, words_of):
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


cdef bint may_say(xmlNode* node, const uint8_t* shapes) noexcept nogil:
    """Whether a text may be one of the words that these are the shapes of, with signs around it."""
    cdef const unsigned char* at = <const unsigned char*> node.content
    cdef const unsigned char* end
    cdef int32_t length = 0
    cdef unsigned char first
    if at == NULL or text_from(node.next) != NULL:
        return True
    while at[0] and at[0] < 0x80 and not is_word(at[0]):
        at += 1
    if not at[0] or at[0] >= 0x80:
        return True
    first = lower(at[0])
    end = at + strlen(<const char*> at)
    while (end - 1)[0] < 0x80 and not is_word((end - 1)[0]):
        end -= 1
    while at < end:
        if at[0] >= 0x80:
            return True
        if not (is_ascii_space(at[0]) and is_ascii_space(at[1])):
            length += 1
        at += 1
    return length < 64 and shapes[64 * first + length]


cdef unicode short_text(xmlNode* node, int32_t limit):
    """The text that starts at a node, or a longer start of it than the limit."""
    cdef const char* text = <const char*> node.content
    if text != NULL and text_from(node.next) == NULL and strlen(text) <= <size_t> limit:
        return text.decode("utf-8")
    return start_of_text(node, limit + 1)


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


cdef bint is_labelled(xmlNode* node, bint titled, frozenset words, words_of) except -1:
    """Whether the label of a link, or the title of a picture that is one, has these words."""
    cdef xmlAttr* one = node.properties
    cdef bint composed = False
    while one != NULL:
        if same(<const char*> one.name, b"aria-label") or (titled and same(<const char*> one.name, b"title")):
            if words_of(value_of(one, &composed).decode("utf-8")) in words or composed:
                return True
        one = one.next
    return False


cdef bint may_name(const char* names) noexcept nogil:
    return names != NULL and (
        holds(names, b"next")
        or holds(names, b"prev")
        or holds(names, b"older")
        or (holds(names, b"load") and (strstr(names, b"ore") != NULL or strstr(names, b"ORE") != NULL))
    )


cdef bint holds(const char* text, const char* word) noexcept nogil:
    """Whether a word in a text starts with a word of small ASCII letters, in capitals or not."""
    cdef const char* at = text
    cdef int32_t place
    while at[0]:
        if lower(at[0]) == <unsigned char> word[0] and (
            at == text or at[0] < 97 or not 97 <= lower((at - 1)[0]) <= 122
        ):
            place = 1
            while word[place] and lower(at[place]) == <unsigned char> word[place]:
                place += 1
            if not word[place]:
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
