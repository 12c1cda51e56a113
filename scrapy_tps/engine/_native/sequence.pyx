# cython: language_level=3
"""Queries on a walk: its columns, as Python objects and as those of a page, and nodes with certain properties.

The names are those of ``scrapy_tps.engine.sequence.columns.TagPathSequence`` and of
``scrapy_tps.engine.strategies.auto.page``, which document them.
"""

from cpython.array cimport array, clone, resize
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.unicode cimport PyUnicode_AsUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, strchr, strcmp, strlen, strstr

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport etreepublic as cetree
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, elementFactory, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.arrays cimport Pairs, free_pairs, mask_bytes, pair_number, start_pairs
from scrapy_tps.engine._native.columns cimport Columns
from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.texts cimport (
    after_spaces, attribute, is_ascii_space, text_from, value_of as attribute_value, whole_text
)
from scrapy_tps.engine._native.walk cimport ELEMENT, LABELLING, Walk, holds_data, text_at

from scrapy_tps.engine.sequence.columns import stem

cdef extern from "Python.h":
    object PyMethod_New(object function, object owner)

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef array INTEGERS = array("i")


cdef enum:
    MOST_STEM = 64  # longer ones are made by Python


cdef list column(int32_t* values, int32_t size):
    return [values[index] for index in range(size)]


def parent_column(Walk walk not None):
    return column(walk.parent, walk.size)


def end_column(Walk walk not None):
    return column(walk.end, walk.size)


def symbols_column(Walk walk not None):
    return column(walk.symbols, walk.size)


def chars_column(Walk walk not None):
    return column(walk.chars, walk.size)


def kinds_column(Walk walk not None):
    return bytearray((<const char*> walk.kinds)[: walk.size]) if walk.size else bytearray()


def symbol_parents(Walk walk not None):
    return [walk.alphabet[number].above for number in range(walk.alphabet_size)]


cdef inline object decoded(const char* text, otherwise):
    return otherwise if text == NULL else text.decode("utf-8")


def symbol_tags(Walk walk not None):
    walk.check_open()
    return [decoded(walk.alphabet[number].tag, "#text") for number in range(walk.alphabet_size)]


def symbol_classes(Walk walk not None):
    walk.check_open()
    return [decoded(walk.alphabet[number].class_, None) for number in range(walk.alphabet_size)]


def symbol_styles(Walk walk not None):
    walk.check_open()
    return [decoded(walk.alphabet[number].style, None) for number in range(walk.alphabet_size)]


def wide_texts(Walk walk not None):
    return {walk.wide[number].index: walk.wide[number].count for number in range(walk.wide_count)}


def data_scripts(Walk walk not None):
    """Return (index of the parent, element) of scripts that hold data."""
    walk.check_open()
    found = []
    for number in range(walk.script_count):
        if holds_data(&walk.scripts[number]):
            found.append((walk.scripts[number].above, elementFactory(walk.document, walk.scripts[number].node)))
    return found


def linked_types(Walk walk not None):
    """Return the types in JSON-LD in the body, of scripts whose own type is written as it is registered."""
    cdef bint composed = False
    cdef list found = []
    walk.check_open()
    for number in range(walk.script_count):
        if says(walk.scripts[number].node, b"type", b"application/ld+json", &composed):
            add_types(found, walk.scripts[number].node)
    return found


cdef int add_types(list found, xmlNode* script) except -1:
    cdef xmlNode* node = text_from(script.children)
    cdef const char* at
    cdef const char* start
    while node != NULL:
        at = <const char*> node.content
        at = NULL if at == NULL else strstr(at, b'"@type"')
        while at != NULL:
            at = after_spaces(at + len(b'"@type"'))
            if at[0] == c":":
                start = at = after_spaces(at + 1)
                if start[0] == c"[":
                    at = strchr(start, c"]")
                    at = start + strlen(start) if at == NULL else at + 1
                elif start[0] == c'"':
                    at = strchr(start + 1, c'"')
                    at = start if at == NULL else at + 1
                if at != start:
                    found.append(start[: at - start].decode("utf-8"))
            at = strstr(at, b'"@type"')
        node = text_from(node.next)
    return 0


def head_values(Walk walk not None):
    """Return the page's canonical address, or else the one it was parsed with; its ``og:type``; and the types in
    JSON-LD, of those in the head."""
    cdef bint composed = False
    cdef xmlNode* node
    walk.check_open()
    address = kind = None
    cdef list types = []
    node = walk.nodes[0].prev
    while node != NULL and not is_element(node, b"head"):
        node = node.prev
    node = NULL if node == NULL else node.children
    while node != NULL:
        if is_element(node, b"script"):
            if says(node, b"type", b"application/ld+json", &composed):
                add_types(types, node)
        elif address is None and is_element(node, b"link"):
            if says(node, b"rel", b"canonical", &composed):
                address = cetree.attributeValueFromNsName(node, NULL, <const unsigned char*> b"href")
        elif is_element(node, b"meta"):
            if address is None and says(node, b"property", b"og:url", &composed):
                address = cetree.attributeValueFromNsName(node, NULL, <const unsigned char*> b"content")
            elif kind is None and says(node, b"property", b"og:type", &composed):
                kind = cetree.attributeValueFromNsName(node, NULL, <const unsigned char*> b"content")
        node = node.next
    return address or decoded(<const char*> walk.nodes[0].doc.URL, ""), kind or "", types


cdef bint is_element(xmlNode* node, const char* name) noexcept nogil:
    return node.type == tree.XML_ELEMENT_NODE and node.ns == NULL and strcmp(<const char*> node.name, name) == 0


cdef bint says(xmlNode* node, const char* name, const char* value, bint* composed) noexcept nogil:
    """Whether an attribute of an element has this value."""
    cdef xmlAttr* one = attribute(node, name)
    return one != NULL and strcmp(attribute_value(one, composed), value) == 0


def class_of(Walk walk not None, Py_ssize_t index):
    """Return the class attribute of a node; None for texts."""
    walk.check_open()
    if not 0 <= index < walk.size:
        raise IndexError("no such node in the sequence")
    return decoded(walk.alphabet[walk.symbols[index]].class_, None)


def tag_of(Walk walk not None, Py_ssize_t index):
    """Return the tag of a node; "#text" for texts."""
    walk.check_open()
    if not 0 <= index < walk.size:
        raise IndexError("no such node in the sequence")
    return decoded(walk.alphabet[walk.symbols[index]].tag, "#text")


def stem_of(Walk walk not None, Py_ssize_t index):
    """Return the stem of a node's class as bytes, None without one; see `scrapy_tps.engine.sequence.columns.stem`."""
    cdef const char* class_
    cdef const char* at
    cdef char made[MOST_STEM]
    cdef int size = 0
    walk.check_open()
    if not 0 <= index < walk.size:
        raise IndexError("no such node in the sequence")
    class_ = at = walk.alphabet[walk.symbols[index]].class_
    if class_ == NULL or not class_[0]:
        return None
    at = after_spaces(at)
    while at[0] and not is_ascii_space(at[0]):
        if size == MOST_STEM or <unsigned char> at[0] >= 0x80:  # Python knows white space and digits beyond ASCII
            return stem(class_.decode("utf-8")).encode()
        made[size] = 48 if 48 <= at[0] <= 57 else at[0]
        size += made[size] != 48 or size == 0 or made[size - 1] != 48
        at += 1
    return made[:size]


def text_of(Walk walk not None, Py_ssize_t index):
    """Return the text of a text node."""
    walk.check_open()
    if not 0 <= index < walk.size:
        raise IndexError("no such node in the sequence")
    return whole_text(text_at(walk, <int32_t> index))


def value_of(Walk walk not None, Py_ssize_t index, str name not None):
    """Return an attribute of an element, or None."""
    walk.check_open()
    return element_value(walk, index, PyUnicode_AsUTF8(name))


def values_of(Walk walk not None, indexes, str name not None):
    """Return an attribute of each of these elements, or None."""
    walk.check_open()
    return [element_value(walk, index, PyUnicode_AsUTF8(name)) for index in indexes]


cdef inline object element_value(Walk walk, Py_ssize_t index, const char* name):
    if not 0 <= index < walk.size or walk.kinds[index] != ELEMENT:
        raise IndexError("no such element in the sequence")
    return cetree.attributeValueFromNsName(walk.nodes[index], NULL, <const unsigned char*> name)


def labels(Walk walk not None, str name not None):
    """Return the values of an attribute of microdata below the body."""
    cdef const char* wanted = PyUnicode_AsUTF8(name)
    cdef xmlNode* node
    cdef list found = []
    walk.check_open()
    for number in range(walk.telling_count):
        index = walk.telling[number].index
        node = walk.nodes[index]
        if index and walk.telling[number].says & LABELLING and attribute(node, wanted) != NULL:
            found.append(cetree.attributeValueFromNsName(node, NULL, <const unsigned char*> wanted))
    return found


def joined(Walk walk not None, Py_ssize_t start, Py_ssize_t stop):
    """Return the visible text of the nodes in [start, stop) without any white space."""
    cdef list parts = []
    walk.check_open()
    if not 0 <= start <= stop <= walk.size:
        raise IndexError("no such nodes in the sequence")
    for index in range(start, stop):
        if walk.chars[index]:
            parts.append(whole_text(text_at(walk, <int32_t> index)))
    return "".join("".join(parts).split())


def bound(dict functions not None, Walk walk not None):
    """Return functions as methods of a walk, by name."""
    return {name: PyMethod_New(function, walk) for name, function in functions.items()}


def find(Walk walk not None, tags):
    """Return the indexes of the elements with one of these tags, as a column."""
    cdef int32_t number, first, last, place, count = 0
    cdef int32_t* places
    cdef array found = clone(INTEGERS, 0, False)
    walk.check_open()
    walk.sort_by_tag()
    for tag in tags:
        number = tag_number(walk, PyUnicode_AsUTF8(tag))
        if number >= 0:
            first, last, place = walk.tag_start[number], walk.tag_start[number + 1], count
            count += last - first
            resize(found, count)
            places = <int32_t*> found.data.as_ints
            while last > first:  # merge the two from their ends
                if place and places[place - 1] > walk.by_tag[last - 1]:
                    place -= 1
                    places[place + last - first] = places[place]
                else:
                    last -= 1
                    places[place + last - first] = walk.by_tag[last]
    return found


def symbols_with(Walk walk not None, tags):
    """Return a byte for each symbol, 1 if it is an element with one of these tags."""
    cdef bytearray found = bytearray(walk.alphabet_size), wanted
    cdef uint8_t* of_symbol = <uint8_t*> PyByteArray_AS_STRING(found)
    cdef const uint8_t* of_tag
    walk.check_open()
    walk.number_tags()
    wanted = bytearray(walk.tag_count)
    for tag in tags:
        number = tag_number(walk, PyUnicode_AsUTF8(tag))
        if number >= 0:
            wanted[number] = 1
    of_tag = <const uint8_t*> PyByteArray_AS_STRING(wanted)
    for symbol in range(walk.alphabet_size):
        of_symbol[symbol] = of_tag[walk.tag_of[symbol]]
    return found


cdef int32_t tag_number(Walk walk, const char* tag) noexcept nogil:
    """Return the number of a tag, -1 if no element has it."""
    for number in range(walk.tag_count):
        if walk.tags[number][0] == tag[0] and strcmp(walk.tags[number], tag) == 0:
            return number
    return -1


def count_symbols(Walk walk not None):
    """Return how many symbols are elements, and how many of them have a class."""
    cdef int32_t number, elements = 0, classed = 0
    for number in range(walk.alphabet_size):
        elements += walk.alphabet[number].tag != NULL
        classed += walk.alphabet[number].class_ != NULL
    return elements, classed


def places(Walk walk not None, elements):
    """Return the index of each element, -1 if it is not in the sequence."""
    cdef list wanted = list(elements)
    cdef dict found
    cdef _Element element
    walk.check_open()
    if not wanted:
        return []
    found = {<size_t> element._c_node: -1 for element in wanted}
    for index in range(walk.size):
        if walk.kinds[index] == ELEMENT and <size_t> walk.nodes[index] in found:
            found[<size_t> walk.nodes[index]] = index
    return [found[<size_t> element._c_node] for element in wanted]


def keep_data(Walk walk not None, bytearray mask not None):
    """Set the byte of every element that contains a script with data."""
    cdef uint8_t* bytes_ = <uint8_t*> mask_bytes(mask, walk.size)
    walk.check_open()
    for number in range(walk.script_count):
        if not bytes_[walk.scripts[number].above] and holds_data(&walk.scripts[number]):
            bytes_[walk.scripts[number].above] = 1


def visible(Walk walk not None, mask=None):
    """Return the number of visible characters, of all nodes or of those whose byte is 1."""
    cdef int64_t total = 0
    cdef const uint8_t* bytes_
    if mask is None:
        for index in range(walk.size):
            total += walk.chars[index]
    else:
        bytes_ = mask_bytes(mask, walk.size)
        for index in range(walk.size):
            if bytes_[index]:
                total += walk.chars[index]
    return total


def add_ancestors(Walk walk not None, bytearray mask not None):
    """Set the byte of every ancestor of a node whose byte is 1, and always that of the body."""
    cdef uint8_t* bytes_ = <uint8_t*> mask_bytes(mask, walk.size)
    bytes_[0] = 1
    for index in range(walk.size - 1, 0, -1):
        if bytes_[index]:
            bytes_[walk.parent[index]] = 1


# --- the columns of a page under a strategy


def page_columns(
    Walk walk not None, arrays, array cues not None, array sizes not None, tuple weights not None, stem_of
):
    """Return the columns of a walk; `cues` is an ``array("q")``, and the `sizes` of texts an ``array("i")``."""
    cdef int32_t size = walk.size, alphabet = walk.alphabet_size, index, symbol, above, count, link, button
    cdef array parents = copied(walk.parent, size), ends = copied(walk.end, size)
    cdef array symbols = copied(walk.symbols, size), tags = clone(INTEGERS, size, False)
    cdef array tag_symbols = clone(INTEGERS, alphabet, False)
    cdef bytearray link_mask = PyByteArray_FromStringAndSize(NULL, size)
    cdef bytearray text_mask = PyByteArray_FromStringAndSize(NULL, size)
    cdef bytearray links = bytearray(alphabet), buttons = bytearray(alphabet), linked_symbols = bytearray(alphabet)
    cdef uint8_t* linked = <uint8_t*> PyByteArray_AS_STRING(link_mask)
    cdef uint8_t* text = <uint8_t*> PyByteArray_AS_STRING(text_mask)
    cdef uint8_t* is_link = <uint8_t*> PyByteArray_AS_STRING(links)
    cdef uint8_t* is_button = <uint8_t*> PyByteArray_AS_STRING(buttons)
    cdef uint8_t* linked_of = <uint8_t*> PyByteArray_AS_STRING(linked_symbols)
    cdef int32_t* numbers = <int32_t*> tags.data.as_ints
    cdef int32_t* path_of = <int32_t*> tag_symbols.data.as_ints
    cdef const int32_t* symbol_of = walk.symbols  # not read again after each byte written
    cdef const uint8_t* kinds = walk.kinds
    cdef const int32_t* tag_of
    cdef Columns made
    count = number_tags(walk, path_of)
    tag_of, link, button = walk.tag_of, tag_number(walk, b"a"), tag_number(walk, b"button")
    for index in range(alphabet):
        above = walk.alphabet[index].above
        is_link[index], is_button[index] = tag_of[index] == link, tag_of[index] == button
        linked_of[index] = is_link[index] or (above >= 0 and linked_of[above])
    for index in range(size):
        symbol = symbol_of[index]
        numbers[index] = path_of[symbol]
        linked[index] = linked_of[symbol]
        text[index] = kinds[index] != ELEMENT
    made = Columns(
        arrays, (parents, ends, symbols, tags, sizes), (count, alphabet), cues, (link_mask, text_mask), weights, stem_of
    )
    made.walk = walk
    made.kinds = walk.kinds
    made.link_symbols, made.button_symbols = links, buttons
    return made


def symbol_array(Walk walk not None):
    """Return each node's symbol as an array, and the number of symbols."""
    return copied(walk.symbols, walk.size), walk.alphabet_size


cdef array copied(const int32_t* column, int32_t size):
    cdef array made = clone(INTEGERS, size, False)
    memcpy(made.data.as_ints, column, size * sizeof(int32_t))
    return made


cdef int32_t number_tags(Walk walk, int32_t* of_symbol) except -1:
    """Number the paths of tags of the symbols, and return their number; see
    `scrapy_tps.engine.cues.reading.tag_symbols`."""
    cdef Pairs pairs
    walk.check_open()
    walk.number_tags()
    start_pairs(&pairs, walk.alphabet_size)
    for symbol in range(walk.alphabet_size):
        above = walk.alphabet[symbol].above
        of_symbol[symbol] = pair_number(&pairs, walk.tag_of[symbol], of_symbol[above] if above >= 0 else -1)
    free_pairs(&pairs)
    return pairs.count
