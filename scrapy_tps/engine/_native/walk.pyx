# cython: language_level=3
"""The walk over libxml2's nodes, without Python objects.

Its columns are those of ``scrapy_tps.engine.sequence.columns``, bit for bit; that module documents them. Only lxml's
public C API and fields of libxml2's node structures are used.
"""

import os

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memmove, memset, strchr, strcmp, strlen

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport etreepublic as cetree
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, elementFactory, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION, grow
from scrapy_tps.engine._native.scan cimport first_of, hash_of
from scrapy_tps.engine._native.texts cimport (
    after_spaces, attribute, count_wide, lower, same, start_of_text, starts_with, text_from, value_of, visible_chars,
)

from scrapy_tps.engine.html.data_scripts import STATE_PREFIX, says_data

cdef extern from "string.h" nogil:
    size_t strnlen(const char* text, size_t most)

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

# secret to the process: no page can aim at a slot
cdef uint64_t SALT_0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SALT_1 = int.from_bytes(os.urandom(8), "little")
cdef const char* TEXT_TAG = "#text"

cdef enum:
    TAGS_SEEN = 128

cdef Py_ssize_t STATE_CHARACTERS = STATE_PREFIX


cpdef uint64_t text_hash(const char* text, uint64_t seed) noexcept nogil:
    """Return a hash that no page can aim at, even if it knows the seed."""
    return hash_of(text, seed, SALT_0, SALT_1)


cdef inline int what_it_says(const char* name) noexcept nogil:
    """Return the uses of an attribute: OF_CUES, LABELLING, both or none."""
    if name[0] == c"i":
        if name[1] == c"d":
            return OF_CUES if name[2] == 0 else 0
        if strcmp(name, b"itemprop") == 0 or strcmp(name, b"itemref") == 0 or strcmp(name, b"itemtype") == 0:
            return LABELLING
        return 0
    if name[0] == c"p":
        return LABELLING if strcmp(name, b"property") == 0 else 0
    if name[0] == c"d":
        return LABELLING if strcmp(name, b"datetime") == 0 else 0
    if name[0] == c"r":
        return OF_CUES if name[1] == c"o" else OF_CUES | LABELLING if name[1] == c"e" else 0
    return OF_CUES if (name[0] == c"h" and name[1] == c"i") or (name[0] == c"a" and name[1] == c"r") else 0


cdef inline bint is_hidden(xmlNode* node, const char* tag) noexcept nogil:
    if tag[0] == c"s":
        if tag[1] == c"c":
            return strcmp(tag, b"script") == 0
        return tag[1] == c"t" and strcmp(tag, b"style") == 0
    if tag[0] == c"n":
        return strcmp(tag, b"noscript") == 0
    return tag[0] == c"t" and strcmp(tag, b"template") == 0 and attribute(node, b"shadowrootmode") == NULL


@cython.final
cdef class Walk:
    """The columns of a tag path sequence as C arrays, and operations on libxml2's nodes.

    Valid as long as the tree does not change: the owner calls `close` before that happens.
    """

    def __cinit__(self, _Element body not None):
        self.document = body._doc
        self.body = body

    def __dealloc__(self):
        free(self.nodes)
        free(self.parent)
        free(self.end)
        free(self.symbols)
        free(self.chars)
        free(self.kinds)
        free(self.alphabet)
        free(self.slots)
        free(self.scripts)
        free(self.wide)
        free(self.path)
        free(self.telling)
        free(self.tag_of)
        free(self.tags)
        free(self.by_tag)
        free(self.tag_start)

    def __len__(self):
        return self.size

    def run(self):
        """Walk; return False if only the slow walk can read the tree."""
        cdef xmlNode* start = self.body._c_node
        with nogil:
            result = self.walk(start)
        return result == 0

    cdef int walk(self, xmlNode* start) except -1 nogil:
        """Return 0 if done; 1 for a namespace or an attribute of several nodes."""
        cdef xmlNode* node = start
        cdef xmlNode* following
        cdef int32_t level = 0, above = -1, index
        self.slot_count = 1024
        self.slots = <int32_t*> calloc(self.slot_count, sizeof(int32_t))
        if self.slots == NULL:
            with gil:
                raise MemoryError
        while True:
            if level >= self.path_room:
                self.path_room = max(64, self.path_room * 2)
                grow(<void**> &self.path, self.path_room, sizeof(int32_t))
            if level + 1 > self.depth:
                self.depth = level + 1
            result = self.enter(node, above, &index)
            if result:
                return result
            self.path[level] = index
            following = NULL
            if node.type == tree.XML_ELEMENT_NODE:
                following = element_from(node.children)
            if following != NULL:
                above = index
                level += 1
                node = following
                continue
            while True:
                if self.path[level] >= 0:
                    self.end[self.path[level]] = self.size
                if level == 0:
                    return 0
                above = self.path[level - 1]
                if above >= 0:
                    self.add_text(node.next, node, above, TAIL_OF)
                following = element_from(node.next)
                if following != NULL:
                    node = following
                    break
                node = node.parent
                level -= 1

    cdef inline int enter(self, xmlNode* node, int32_t above, int32_t* index) except -1 nogil:
        cdef const char* tag
        cdef const char* class_
        cdef const char* style
        cdef int says = 0
        index[0] = -1
        if node.type != tree.XML_ELEMENT_NODE:
            return 0
        if cetree._getNs(node) != NULL:
            return 1
        tag = <const char*> node.name
        if is_hidden(node, tag):
            if above >= 0 and strcmp(tag, b"script") == 0:
                return self.add_script(node, above)
            return 0
        if above < 0 and self.size:
            return 0
        if self.read_attributes(node, &class_, &style, &says):
            return 1
        symbol = self.intern(self.symbols[above] if self.size else -1, tag, class_, style)
        self.reserve()
        index[0] = self.size
        if says:
            self.add_telling(self.size, says)
        self.add(node, above, symbol, 0, ELEMENT)
        return self.add_text(node.children, node, index[0], TEXT_OF)

    cdef int read_attributes(
        self, xmlNode* node, const char** class_, const char** style, int* says
    ) noexcept nogil:
        """Find class and style in one pass; 1 if a value is not one string."""
        cdef xmlAttr* one = node.properties
        cdef const char* name
        cdef bint composed = False
        class_[0] = style[0] = NULL
        while one != NULL:
            name = <const char*> one.name
            if one.ns != NULL:
                pass
            elif name == self.class_name or (name[0] == c"c" and strcmp(name, b"class") == 0):
                self.class_name = name
                if class_[0] == NULL:
                    class_[0] = value_of(one, &composed)
            elif name == self.style_name or (name[0] == c"s" and strcmp(name, b"style") == 0):
                self.style_name = name
                if style[0] == NULL:
                    style[0] = value_of(one, &composed)
            else:
                says[0] |= what_it_says(name)
            one = one.next
        return composed

    cdef inline int add_text(self, xmlNode* text, xmlNode* carrier, int32_t above, int kind) except -1 nogil:
        cdef bint not_ascii = False
        cdef int32_t size = visible_chars(text, &not_ascii)
        if size == 0:
            return 0
        symbol = self.symbols[above]
        number = self.alphabet[symbol].text
        if number < 0:
            number = self.add_symbol(symbol, NULL, NULL, NULL, 0)
            self.alphabet[symbol].text = number
        self.reserve()
        if not_ascii:
            self.add_wide(count_wide(text))
        self.add(carrier, above, number, size, kind)
        self.end[self.size - 1] = self.size
        return 0

    cdef int add_wide(self, int32_t count) except -1 nogil:
        if count == 0:
            return 0
        if self.wide_count == self.wide_room:
            self.wide_room = max(64, self.wide_room * 2)
            grow(<void**> &self.wide, self.wide_room, sizeof(Wide))
        self.wide[self.wide_count].index = self.size
        self.wide[self.wide_count].count = count
        self.wide_count += 1
        return 0

    cdef int add_telling(self, int32_t index, int says) except -1 nogil:
        if self.telling_count == self.telling_room:
            self.telling_room = max(256, self.telling_room * 2)
            grow(<void**> &self.telling, self.telling_room, sizeof(Telling))
        self.telling[self.telling_count].index = index
        self.telling[self.telling_count].says = says
        self.telling_count += 1
        return 0

    cdef inline void add(
        self, xmlNode* node, int32_t above, int32_t symbol, int32_t chars, int kind
    ) noexcept nogil:
        cdef int32_t index = self.size
        self.nodes[index] = node
        self.parent[index] = above
        self.end[index] = 0
        self.symbols[index] = symbol
        self.chars[index] = chars
        self.kinds[index] = kind
        self.size = index + 1

    cdef inline int reserve(self) except -1 nogil:
        """Make room for one more node."""
        if self.size < self.room:
            return 0
        if self.room > (1 << 29):
            with gil:
                raise MemoryError
        self.room = max(1024, self.room * 2)
        grow(<void**> &self.nodes, self.room, sizeof(xmlNode*))
        grow(<void**> &self.parent, self.room, sizeof(int32_t))
        grow(<void**> &self.end, self.room, sizeof(int32_t))
        grow(<void**> &self.symbols, self.room, sizeof(int32_t))
        grow(<void**> &self.chars, self.room, sizeof(int32_t))
        grow(<void**> &self.kinds, self.room, sizeof(uint8_t))
        return 0

    cdef int add_script(self, xmlNode* node, int32_t above) except -1 nogil:
        if self.script_count == self.script_room:
            self.script_room = max(64, self.script_room * 2)
            grow(<void**> &self.scripts, self.script_room, sizeof(Script))
        self.scripts[self.script_count].above = above
        self.scripts[self.script_count].node = node
        self.scripts[self.script_count].data = 0
        self.script_count += 1
        return 0

    cdef int32_t add_symbol(
        self, int32_t above, const char* tag, const char* class_, const char* style, uint64_t hash_
    ) except -1 nogil:
        cdef Symbol* symbol
        if self.alphabet_size == self.alphabet_room:
            self.alphabet_room = max(512, self.alphabet_room * 2)
            grow(<void**> &self.alphabet, self.alphabet_room, sizeof(Symbol))
        symbol = &self.alphabet[self.alphabet_size]
        symbol.above = above
        symbol.text = symbol.next = -1
        symbol.hash = hash_
        symbol.tag = tag
        symbol.class_ = class_
        symbol.style = style
        self.alphabet_size += 1
        return self.alphabet_size - 1

    cdef int32_t intern(
        self, int32_t above, const char* tag, const char* class_, const char* style
    ) except -1 nogil:
        """Return the symbol of a tag path."""
        cdef uint64_t hash_, class_hash, style_hash
        cdef Symbol* symbol
        # mostly the same element follows as the last time, because records are similar
        if self.alphabet_size:
            number = self.alphabet[self.last].next
            if number >= 0:
                symbol = &self.alphabet[number]
                if (
                    symbol.above == above
                    and same(symbol.tag, tag)
                    and same(symbol.class_, class_)
                    and same(symbol.style, style)
                ):
                    self.last = number
                    return number
        class_hash = 0 if class_ == NULL else text_hash(class_, OF_CLASS)
        style_hash = 0 if style == NULL else text_hash(style, OF_STYLE)
        hash_ = text_hash(tag, <uint32_t> above ^ class_hash ^ style_hash)
        if self.alphabet_size * 2 >= self.slot_count:
            self.rehash()
        slot = <int32_t> (hash_ & <uint64_t> (self.slot_count - 1))
        while self.slots[slot]:
            number = self.slots[slot] - 1
            symbol = &self.alphabet[number]
            if (
                symbol.hash == hash_
                and symbol.above == above
                and strcmp(symbol.tag, tag) == 0
                and same(symbol.class_, class_)
                and same(symbol.style, style)
            ):
                self.alphabet[self.last].next = number
                self.last = number
                return number
            slot = (slot + 1) & (self.slot_count - 1)
        number = self.add_symbol(above, tag, class_, style, hash_)
        symbol = &self.alphabet[number]
        symbol.class_hash, symbol.style_hash = class_hash, style_hash
        self.slots[slot] = number + 1
        self.alphabet[self.last].next = number
        self.last = number
        return number

    cdef int rehash(self) except -1 nogil:
        """Move the hash table to one of four times the size."""
        cdef int32_t count = self.slot_count * 4, number, slot
        cdef int32_t* slots = <int32_t*> calloc(count, sizeof(int32_t))
        if slots == NULL:
            with gil:
                raise MemoryError
        for number in range(self.alphabet_size):
            if self.alphabet[number].tag != NULL:
                slot = <int32_t> (self.alphabet[number].hash & <uint64_t> (count - 1))
                while slots[slot]:
                    slot = (slot + 1) & (count - 1)
                slots[slot] = number + 1
        free(self.slots)
        self.slots = slots
        self.slot_count = count
        return 0

    # --- contents

    cdef int sort_by_tag(self) except -1:
        """Sort the nodes by tag and document order, unless this has been done."""
        cdef int32_t index, number, before = 0, count
        cdef const int32_t* symbols = self.symbols  # not read again after each number written
        cdef const int32_t* tag_of
        cdef int32_t* starts
        cdef int32_t* places
        if self.by_tag != NULL:
            return 0
        self.number_tags()
        self.by_tag = <int32_t*> malloc((self.size + 1) * sizeof(int32_t))
        self.tag_start = <int32_t*> calloc(self.tag_count + 1, sizeof(int32_t))
        if self.by_tag == NULL or self.tag_start == NULL:
            free(self.by_tag)
            free(self.tag_start)
            self.by_tag = self.tag_start = NULL
            raise MemoryError
        tag_of, starts, places = self.tag_of, self.tag_start, self.by_tag
        for index in range(self.size):
            starts[tag_of[symbols[index]]] += 1
        for number in range(self.tag_count):
            count = starts[number]
            starts[number] = before
            before += count
        for index in range(self.size):
            number = tag_of[symbols[index]]
            places[starts[number]] = index
            starts[number] += 1
        # each start has moved to its end, which is the start of the next tag
        memmove(starts + 1, starts, self.tag_count * sizeof(int32_t))
        starts[0] = 0
        return 0

    cdef int number_tags(self) except -1:
        """Number the tags of the symbols, in order of appearance, unless this has been done.

        The parser stores each name once, so the last string of each slot spares most hashes. Elements created
        otherwise may have a copy of it.
        """
        cdef int32_t room = 16, symbol, slot
        cdef int32_t* by_name
        cdef const char* seen[TAGS_SEEN]
        cdef int32_t numbers[TAGS_SEEN]
        cdef const char* tag
        if self.tag_of != NULL:
            return 0
        while 2 * room < 3 * self.alphabet_size:
            room *= 2
        memset(seen, 0, sizeof(seen))
        by_name = <int32_t*> calloc(room, sizeof(int32_t))
        self.tags = <const char**> malloc((self.alphabet_size + 1) * sizeof(char*))
        self.tag_of = <int32_t*> malloc((self.alphabet_size + 1) * sizeof(int32_t))
        if by_name == NULL or self.tags == NULL or self.tag_of == NULL:
            free(by_name)
            free(self.tags)
            free(self.tag_of)
            self.tags, self.tag_of = NULL, NULL
            raise MemoryError
        for symbol in range(self.alphabet_size):
            tag = self.alphabet[symbol].tag
            if tag == NULL:
                tag = TEXT_TAG
            slot = <int32_t> (<uint64_t> <size_t> tag * <uint64_t> 0x9E3779B97F4A7C15 >> 57)
            if seen[slot] != tag:
                seen[slot] = tag
                numbers[slot] = self.tag_number(tag, by_name, room)
            self.tag_of[symbol] = numbers[slot]
        free(by_name)
        return 0

    cdef int32_t tag_number(self, const char* tag, int32_t* by_name, int32_t room) noexcept nogil:
        cdef int32_t slot = <int32_t> (text_hash(tag, 0) & <uint64_t> (room - 1))
        while by_name[slot]:
            if strcmp(tag, self.tags[by_name[slot] - 1]) == 0:
                return by_name[slot] - 1
            slot = (slot + 1) & (room - 1)
        self.tags[self.tag_count] = tag
        self.tag_count += 1
        by_name[slot] = self.tag_count
        return self.tag_count - 1

    cdef int check_open(self) except -1:
        if self.closed:
            raise RuntimeError("the tree has been cut: its sequence holds no nodes any more")
        return 0

    def close(self):
        """Release the nodes: from now on the tree may change."""
        self.closed = True

    def hold(self):
        """Return the element of each node. From now on the tree may change: nodes and strings stay as long as this."""
        cdef list elements
        if self.owned is not None:  # copies anew would free what they are copied from
            return self.owned[0]
        elements = list(self)
        self.owned = [elements]
        for number in range(self.alphabet_size):
            self.alphabet[number].class_ = self.own(self.alphabet[number].class_)
            self.alphabet[number].style = self.own(self.alphabet[number].style)
        return elements

    cdef const char* own(self, const char* text) except? NULL:
        """Return a copy of a string, which its tree frees when the attribute changes."""
        cdef bytes owned
        if text != NULL:
            owned = text
            self.owned.append(owned)
            text = owned
        return text

    def __getitem__(self, index):
        """Return the element of a node."""
        cdef Py_ssize_t place
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self.size))]
        self.check_open()
        place = index
        if place < 0:
            place += self.size
        if not 0 <= place < self.size:
            raise IndexError("no such node in the sequence")
        return elementFactory(self.document, self.nodes[place])

    def above(self, Py_ssize_t index):
        """Return the index of a node's parent; -1 for the body."""
        if not 0 <= index < self.size:
            raise IndexError("no such node in the sequence")
        return self.parent[index]

    def stop(self, Py_ssize_t index):
        """Return the index after the subtree of a node."""
        if not 0 <= index < self.size:
            raise IndexError("no such node in the sequence")
        return self.end[index]


cdef enum:
    NO = 0
    YES = 1
    MAYBE = 2


cdef bint is_data(xmlNode* node) except -1:
    cdef int found = read_script(node)
    if found != MAYBE:
        return found == YES
    return says_data(
        cetree.attributeValueFromNsName(node, NULL, <const unsigned char*> b"type"),
        cetree.attributeValueFromNsName(node, NULL, <const unsigned char*> b"id"),
        start_of_text(node.children, STATE_PREFIX),
    )


cdef int read_script(xmlNode* node) noexcept nogil:
    """Return whether a script holds data; MAYBE if it may name a state (`__NEXT_`) or assign a literal: Python
    decides."""
    cdef bint composed = False, first = True
    cdef const char* value
    cdef const char* at
    cdef const char* start
    cdef const char* stop
    cdef xmlAttr* one = attribute(node, b"type")
    cdef xmlNode* text = text_from(node.children)
    if one != NULL:
        value = value_of(one, &composed)
        while value[0]:
            if starts_with(value, b"json"):
                return YES
            value += 1
    one = attribute(node, b"id")
    if one != NULL and starts_with(value_of(one, &composed), b"__"):
        return YES
    if composed or (text != NULL and text_from(text.next) != NULL):
        return MAYBE
    at = start = <const char*> (NULL if text == NULL else text.content)
    if at == NULL:
        return NO
    stop = at + strnlen(at, 4 * STATE_CHARACTERS)
    while True:
        at = first_of(at, stop, c"=", c"_", c"=", c"=", c"=")
        if at == stop:
            return NO
        if at[0] == c"_":
            if at[1] == c"_" and 97 <= lower(at[2]) <= 122 and (at == start or may_end_name((at - 1)[0])):
                return MAYBE
            at += 1
            continue
        at = after_spaces(at + 1)
        if <unsigned char> at[0] >= 0x80 or (first and at[0] == c"J"):
            return MAYBE
        if at[0] == c"[" or at[0] == c"{":
            if first:
                return MAYBE
            at = after_spaces(at + 1)
            if <unsigned char> at[0] >= 0x80 or (at[0] and strchr(b"[{\"'0123456789", at[0]) != NULL):
                return MAYBE
        first = False


cdef inline bint may_end_name(unsigned char byte) noexcept nogil:
    """Whether a name may start after this byte: it is not an ASCII letter, digit or underscore."""
    return not (97 <= lower(byte) <= 122 or 48 <= byte <= 57 or byte == c"_")


cdef bint holds_data(Script* script) except -1:
    if not script.data:
        script.data = 1 if is_data(script.node) else 2
    return script.data == 1
