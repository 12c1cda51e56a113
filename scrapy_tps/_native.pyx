# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The walk and the region search over libxml2's nodes, without Python objects.

Results are those of ``scrapy_tps.sequence`` and ``scrapy_tps.regions``, bit for bit; those modules say what
and why. Only lxml's public C API and fields of libxml2's node structures are used.
"""

import os

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memchr, memcpy, memset, strcmp, strlen, strncmp

from lxml.includes cimport etreepublic as cetree
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Document, _Element, elementFactory, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps._texts cimport text_from, value_of

from scrapy_tps.sequence import STATE_PREFIX, STATE_WORDS, is_page_state

import_lxml__etree()

#: The lxml that this module was compiled against.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")

REVISION = CORE_REVISION

# --- salted hash ------------------------------------------------------------------------------------------

cdef extern from "string.h":
    size_t strnlen(const char* text, size_t limit) nogil

cdef uint64_t SALT_0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SALT_1 = int.from_bytes(os.urandom(8), "little")


cdef inline uint64_t rotate(uint64_t word, int bits) noexcept nogil:
    return (word << bits) | (word >> (64 - bits))


cdef struct Sip:
    uint64_t a, b, c, d


cdef inline void sip_round(Sip* s) noexcept nogil:
    s.a += s.b
    s.b = rotate(s.b, 13) ^ s.a
    s.a = rotate(s.a, 32)
    s.c += s.d
    s.d = rotate(s.d, 16) ^ s.c
    s.a += s.d
    s.d = rotate(s.d, 21) ^ s.a
    s.c += s.b
    s.b = rotate(s.b, 17) ^ s.c
    s.c = rotate(s.c, 32)


cdef inline void sip_word(Sip* s, uint64_t word) noexcept nogil:
    s.d ^= word
    sip_round(s)
    s.a ^= word


cdef inline void sip_string(Sip* s, const char* text) noexcept nogil:
    """Feed a string with its length, or that there is none."""
    cdef uint64_t word = 0
    cdef size_t length, index = 0
    if text == NULL:
        sip_word(s, <uint64_t> -1)
        return
    length = strlen(text)
    while index + 8 <= length:
        memcpy(&word, text + index, 8)
        sip_word(s, word)
        index += 8
    # up to seven bytes and the length in the eighth, as SipHash ends its messages
    word = <uint64_t> (length & 0x7F) << 56
    memcpy(&word, text + index, length - index)
    sip_word(s, word)


cdef uint64_t key_hash(int32_t above, const char* tag, const char* class_, const char* style) noexcept nogil:
    """SipHash-1-3 (Aumasson & Bernstein) with a salt drawn at import: no page can aim at a slot."""
    cdef Sip s
    s.a = SALT_0 ^ <uint64_t> 0x736F6D6570736575
    s.b = SALT_1 ^ <uint64_t> 0x646F72616E646F6D
    s.c = SALT_0 ^ <uint64_t> 0x6C7967656E657261
    s.d = SALT_1 ^ <uint64_t> 0x7465646279746573
    sip_word(&s, <uint64_t> <uint32_t> above)
    sip_string(&s, tag)
    sip_string(&s, class_)
    sip_string(&s, style)
    s.c ^= 0xFF
    sip_round(&s)
    sip_round(&s)
    sip_round(&s)
    return s.a ^ s.b ^ s.c ^ s.d


# --- texts ------------------------------------------------------------------------------------------------

cdef inline bint is_element(xmlNode* node) noexcept nogil:
    """Whether lxml has an element for a node: elements, comments, processing instructions, entities."""
    return (
        node.type == tree.XML_ELEMENT_NODE
        or node.type == tree.XML_COMMENT_NODE
        or node.type == tree.XML_ENTITY_REF_NODE
        or node.type == tree.XML_PI_NODE
    )


cdef inline xmlNode* element_from(xmlNode* node) noexcept nogil:
    while node != NULL and not is_element(node):
        node = node.next
    return node


cdef int32_t count_wide(xmlNode* node) noexcept nogil:
    """Characters of East Asian scripts."""
    cdef const unsigned char* cursor
    cdef uint32_t character
    cdef int32_t count = 0
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                character = decode(&cursor)
                if character >= 0x1100 and (
                    character <= 0x11FF
                    or 0x2E80 <= character <= 0x9FFF
                    or 0xAC00 <= character <= 0xD7FF
                    or 0xF900 <= character <= 0xFAFF
                    or 0xFF00 <= character <= 0xFF60
                ):
                    count += 1
        node = text_from(node.next)
    return count


cdef int32_t visible_chars(xmlNode* node, bint* not_ascii) noexcept nogil:
    """Characters of a text without the white space around it; 0 where it is nothing else.

    `not_ascii` stays False only where it is all ASCII.
    """
    cdef const unsigned char* cursor
    cdef const unsigned char* stop
    cdef const unsigned char* before
    cdef int32_t seen = 0, upto = 0
    cdef xmlNode* following
    node = text_from(node)
    if node == NULL:
        return 0
    following = text_from(node.next)
    if following == NULL:
        # the usual case, a single node: characters are the bytes that start one
        cursor = <const unsigned char*> node.content
        if cursor == NULL:
            return 0
        while True:
            before = cursor
            if not cursor[0]:
                return 0
            if not is_space(decode(&cursor)):
                break
        not_ascii[0] = before != <const unsigned char*> node.content
        cursor = before
        stop = cursor + strlen(<const char*> cursor)
        while True:
            before = stop - 1
            while before[0] & 0xC0 == 0x80:
                before -= 1
            if not is_space(first_character(before)):
                break
            stop = before
        # white space that was left out may be ideographic
        not_ascii[0] = not_ascii[0] or stop != cursor + strlen(<const char*> cursor)
        before = cursor
        while cursor < stop:
            seen += (cursor[0] & 0xC0) != 0x80
            cursor += 1
        not_ascii[0] = not_ascii[0] or seen != cursor - before
        return seen
    not_ascii[0] = True
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                if not is_space(decode(&cursor)):
                    seen += 1
                    upto = seen
                elif seen:
                    seen += 1
        node = following
        following = NULL if node == NULL else text_from(node.next)
    return upto


cdef inline uint32_t first_character(const unsigned char* at) noexcept nogil:
    return decode(&at)


cdef bint has_text(xmlNode* node) noexcept nogil:
    node = text_from(node)
    while node != NULL:
        if node.content != NULL and node.content[0]:
            return True
        node = text_from(node.next)
    return False


cdef bint space_at_an_end(xmlNode* node) noexcept nogil:
    """Whether a text that is not empty starts or ends with white space."""
    cdef const unsigned char* cursor
    cdef bint first = True, space = False
    node = text_from(node)
    while node != NULL:
        cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0]:
                space = is_space(decode(&cursor))
                if first and space:
                    return True
                first = False
        node = text_from(node.next)
    return space


cdef unicode start_of_text(xmlNode* node, Py_ssize_t limit):
    """The first `limit` characters of a text: scripts of megabytes are not decoded for them."""
    parts = []
    cdef const unsigned char* start
    cdef const unsigned char* cursor
    node = text_from(node)
    while node != NULL and limit > 0:
        start = cursor = <const unsigned char*> node.content
        if cursor != NULL:
            while cursor[0] and limit > 0:
                decode(&cursor)
                limit -= 1
            parts.append((<const char*> start)[: cursor - start].decode("utf-8"))
        node = text_from(node.next)
    return "".join(parts)


cdef inline const char* attribute(xmlNode* node, const char* name, bint* composed) noexcept nogil:
    """Value of an attribute without namespace, NULL where there is none."""
    cdef xmlAttr* one = node.properties
    while one != NULL:
        if one.ns == NULL and strcmp(<const char*> one.name, name) == 0:
            return value_of(one, composed)
        one = one.next
    return NULL


cdef inline int class_and_style(xmlNode* node, const char** class_, const char** style) noexcept nogil:
    """Find both attributes in one pass; 1 where a value is not one string."""
    cdef xmlAttr* one = node.properties
    cdef const char* name
    cdef bint composed = False
    class_[0] = style[0] = NULL
    while one != NULL:
        name = <const char*> one.name
        if one.ns == NULL:
            if name[0] == c"c" and class_[0] == NULL and strcmp(name, b"class") == 0:
                class_[0] = value_of(one, &composed)
            elif name[0] == c"s" and style[0] == NULL and strcmp(name, b"style") == 0:
                style[0] = value_of(one, &composed)
        one = one.next
    return composed


cdef inline bint is_hidden(const char* tag) noexcept nogil:
    if tag[0] == c"s":
        return strcmp(tag, b"script") == 0 or strcmp(tag, b"style") == 0
    if tag[0] == c"n":
        return strcmp(tag, b"noscript") == 0
    return tag[0] == c"t" and strcmp(tag, b"template") == 0


cdef bint is_data(xmlNode* node) except -1:
    cdef bint composed = False
    cdef const char* value = attribute(node, b"type", &composed)
    if value != NULL and value[0] and b"json" in (<bytes> value).lower():
        return True
    value = attribute(node, b"id", &composed)
    if value != NULL and value[0] == c"_" and value[1] == c"_":
        return True
    if not may_be_page_state(node.children):
        return False
    start = start_of_text(node.children, STATE_PREFIX)
    return bool(start) and is_page_state(start)


cdef list STATE_STARTS = [word.encode() for word in STATE_WORDS]
cdef size_t STATE_BYTES = 4 * STATE_PREFIX  # as many as its characters take at most


cdef bint may_be_page_state(xmlNode* node):
    """Whether Python has to look at a script: most hold neither of the signs and are not decoded."""
    cdef const unsigned char* cursor
    cdef const unsigned char* start
    cdef const char* found
    cdef bytes word
    node = text_from(node)
    if node == NULL or node.content == NULL:
        return False
    if text_from(node.next) != NULL:
        return True
    start = cursor = <const unsigned char*> node.content
    while cursor[0]:
        start = cursor
        if not is_space(decode(&cursor)):
            break
    for word in STATE_STARTS:
        if strncmp(<const char*> start, <const char*> word, len(word)) == 0:
            return True
    cursor = <const unsigned char*> node.content
    start = cursor + strnlen(<const char*> cursor, STATE_BYTES)
    while True:
        found = <const char*> memchr(cursor, c"_", start - cursor)
        if found == NULL:
            return False
        if found[1] == c"_":
            return True
        cursor = <const unsigned char*> found + 1


# --- the walk ---------------------------------------------------------------------------------------------

@cython.final
cdef class Walk:
    """The columns of a tag path sequence as C arrays, and what has to be done with libxml2's nodes.

    Valid as long as nobody changes the tree: the owner calls `close` before that happens.
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

    def __len__(self):
        return self.size

    def run(self):
        """Walk; return False where the tree has what only the slow walk can read."""
        cdef int result
        cdef xmlNode* start = self.body._c_node
        with nogil:
            result = self.walk(start)
        if result == -1:
            raise MemoryError
        return result == 0

    cdef int walk(self, xmlNode* start) noexcept nogil:
        """0: done; -1: no memory; 1: a namespace or an attribute made of several nodes."""
        cdef xmlNode* node = start
        cdef xmlNode* following
        cdef int32_t level = 0, above = -1, index
        cdef int result
        self.slot_count = 1024
        self.slots = <int32_t*> calloc(self.slot_count, sizeof(int32_t))
        if self.slots == NULL:
            return -1
        while True:
            if level >= self.path_room:
                self.path_room = max(64, self.path_room * 2)
                if grow(<void**> &self.path, self.path_room, sizeof(int32_t)):
                    return -1
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
                if above >= 0 and self.add_text(node.next, node, above, TAIL_OF):
                    return -1
                following = element_from(node.next)
                if following != NULL:
                    node = following
                    break
                node = node.parent
                level -= 1

    cdef inline int enter(self, xmlNode* node, int32_t above, int32_t* index) noexcept nogil:
        cdef const char* tag
        cdef const char* class_
        cdef const char* style
        cdef int32_t symbol
        index[0] = -1
        if node.type != tree.XML_ELEMENT_NODE:
            return 0
        if cetree._getNs(node) != NULL:
            return 1
        tag = <const char*> node.name
        if is_hidden(tag):
            if above >= 0 and strcmp(tag, b"script") == 0:
                return self.add_script(node, above)
            return 0
        if above < 0 and self.size:
            return 0
        if class_and_style(node, &class_, &style):
            return 1
        symbol = self.intern(self.symbols[above] if self.size else -1, tag, class_, style)
        if symbol < 0 or self.reserve():
            return -1
        index[0] = self.size
        self.add(node, above, symbol, 0, ELEMENT)
        return self.add_text(node.children, node, index[0], TEXT_OF)

    cdef inline int add_text(self, xmlNode* text, xmlNode* carrier, int32_t above, int kind) noexcept nogil:
        cdef bint not_ascii = False
        cdef int32_t size = visible_chars(text, &not_ascii)
        cdef int32_t symbol, number
        if size == 0:
            return 0
        symbol = self.symbols[above]
        number = self.alphabet[symbol].text
        if number < 0:
            number = self.add_symbol(symbol, NULL, NULL, NULL, 0)
            if number < 0:
                return -1
            self.alphabet[symbol].text = number
        if self.reserve():
            return -1
        if not_ascii and self.add_wide(count_wide(text)):
            return -1
        self.add(carrier, above, number, size, kind)
        self.end[self.size - 1] = self.size
        return 0

    cdef int add_wide(self, int32_t count) noexcept nogil:
        if count == 0:
            return 0
        if self.wide_count == self.wide_room:
            self.wide_room = max(64, self.wide_room * 2)
            if grow(<void**> &self.wide, self.wide_room, sizeof(Wide)):
                return -1
        self.wide[self.wide_count].index = self.size
        self.wide[self.wide_count].count = count
        self.wide_count += 1
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

    cdef inline int reserve(self) noexcept nogil:
        """Make room for one more node."""
        if self.size < self.room:
            return 0
        if self.room > (1 << 29):
            return -1
        self.room = max(1024, self.room * 2)
        return (
            grow(<void**> &self.nodes, self.room, sizeof(xmlNode*))
            or grow(<void**> &self.parent, self.room, sizeof(int32_t))
            or grow(<void**> &self.end, self.room, sizeof(int32_t))
            or grow(<void**> &self.symbols, self.room, sizeof(int32_t))
            or grow(<void**> &self.chars, self.room, sizeof(int32_t))
            or grow(<void**> &self.kinds, self.room, sizeof(uint8_t))
        )

    cdef int add_script(self, xmlNode* node, int32_t above) noexcept nogil:
        if self.script_count == self.script_room:
            self.script_room = max(64, self.script_room * 2)
            if grow(<void**> &self.scripts, self.script_room, sizeof(Script)):
                return -1
        self.scripts[self.script_count].above = above
        self.scripts[self.script_count].node = node
        self.script_count += 1
        return 0

    cdef int32_t add_symbol(
        self, int32_t above, const char* tag, const char* class_, const char* style, uint64_t hash_
    ) noexcept nogil:
        cdef Symbol* symbol
        if self.alphabet_size == self.alphabet_room:
            self.alphabet_room = max(512, self.alphabet_room * 2)
            if grow(<void**> &self.alphabet, self.alphabet_room, sizeof(Symbol)):
                return -1
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
    ) noexcept nogil:
        """Return the symbol of a tag path; -1: no memory."""
        cdef uint64_t hash_
        cdef int32_t slot, number
        cdef Symbol* symbol
        # what came after such an element the last time comes again, mostly: records are alike
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
        hash_ = key_hash(above, tag, class_, style)
        if self.alphabet_size * 2 >= self.slot_count and self.rehash():
            return -1
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
        if number >= 0:
            self.slots[slot] = number + 1
            self.alphabet[self.last].next = number
            self.last = number
        return number

    cdef int rehash(self) noexcept nogil:
        """Move the hash table to one of four times the size."""
        cdef int32_t count = self.slot_count * 4, number, slot
        cdef int32_t* slots = <int32_t*> calloc(count, sizeof(int32_t))
        if slots == NULL:
            return -1
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

    # --- columns as Python objects

    cdef list column(self, int32_t* values, int32_t size):
        cdef int32_t index
        return [values[index] for index in range(size)]

    def parent_column(self):
        return self.column(self.parent, self.size)

    def end_column(self):
        return self.column(self.end, self.size)

    def symbols_column(self):
        return self.column(self.symbols, self.size)

    def chars_column(self):
        return self.column(self.chars, self.size)

    def kinds_column(self):
        return bytearray((<const char*> self.kinds)[: self.size]) if self.size else bytearray()

    def symbol_parents(self):
        cdef int32_t number
        return [self.alphabet[number].above for number in range(self.alphabet_size)]

    def symbol_tags(self):
        cdef int32_t number
        cdef const char* tag
        self.check_open()
        found = []
        for number in range(self.alphabet_size):
            tag = self.alphabet[number].tag
            found.append("#text" if tag == NULL else tag.decode("utf-8"))
        return found

    def symbol_classes(self):
        cdef int32_t number
        cdef const char* class_
        self.check_open()
        found = []
        for number in range(self.alphabet_size):
            class_ = self.alphabet[number].class_
            found.append(None if class_ == NULL else class_.decode("utf-8"))
        return found

    def symbol_styles(self):
        cdef int32_t number
        cdef const char* style
        self.check_open()
        found = []
        for number in range(self.alphabet_size):
            style = self.alphabet[number].style
            found.append(None if style == NULL else style.decode("utf-8"))
        return found

    def wide_texts(self):
        cdef int32_t number
        return {self.wide[number].index: self.wide[number].count for number in range(self.wide_count)}

    cdef int check_open(self) except -1:
        if self.closed:
            raise RuntimeError("the tree has been cut: its sequence holds no nodes any more")
        return 0

    def close(self):
        """Let go of the nodes: from now on the tree may change."""
        self.closed = True

    def node(self, Py_ssize_t index):
        """Return the element of a node."""
        self.check_open()
        if not 0 <= index < self.size:
            raise IndexError("no such node in the sequence")
        return elementFactory(self.document, self.nodes[index])

    def data_scripts(self):
        """Return (index of the parent, element) of scripts that hold data."""
        cdef int32_t number
        cdef xmlNode* node
        self.check_open()
        found = []
        for number in range(self.script_count):
            node = self.scripts[number].node
            if is_data(node):
                found.append((self.scripts[number].above, elementFactory(self.document, node)))
        return found

    # --- what the cut needs

    def stop(self, Py_ssize_t index):
        """Return the index after the subtree of a node."""
        if not 0 <= index < self.size:
            raise IndexError("no such node in the sequence")
        return self.end[index]

    def class_of(self, Py_ssize_t index):
        """Return the class attribute of a node; None for texts."""
        cdef const char* class_
        self.check_open()
        if not 0 <= index < self.size:
            raise IndexError("no such node in the sequence")
        class_ = self.alphabet[self.symbols[index]].class_
        return None if class_ == NULL else class_.decode("utf-8")

    def find(self, tags):
        """Return the indexes of the elements with one of these tags."""
        cdef int32_t number, index
        cdef uint8_t* wanted
        cdef bint some = False
        cdef list names = [tag.encode() for tag in tags]
        cdef bytes name
        cdef const char* text
        self.check_open()
        wanted = <uint8_t*> calloc(self.alphabet_size + 1, 1)
        if wanted == NULL:
            raise MemoryError
        try:
            for name in names:
                text = name
                for number in range(self.alphabet_size):
                    if self.alphabet[number].tag != NULL and strcmp(self.alphabet[number].tag, text) == 0:
                        wanted[number] = some = True
            if not some:
                return []
            return [index for index in range(self.size) if wanted[self.symbols[index]]]
        finally:
            free(wanted)

    def spread(self, of_symbols):
        """Return for each node what `of_symbols` has for its symbol."""
        cdef list values = list(of_symbols)
        cdef int32_t index
        if len(values) < self.alphabet_size:
            raise ValueError("a value for each symbol is needed")
        return [values[self.symbols[index]] for index in range(self.size)]

    def attributes(self, list names):
        """Return (index, values by name) of the elements that have one of these attributes."""
        cdef const char* wanted[16]
        cdef int count = len(names), which
        cdef int32_t index
        cdef xmlAttr* one
        cdef bint composed = False
        cdef const char* value
        cdef dict values
        cdef list kept = [name.encode() for name in names], found = []
        self.check_open()
        if count > 16:
            raise ValueError("at most 16 attributes")
        for which in range(count):
            wanted[which] = <const char*> <bytes> kept[which]
        for index in range(self.size):
            if self.kinds[index] != ELEMENT:
                continue
            values = None
            one = self.nodes[index].properties
            while one != NULL:
                for which in range(count):
                    if (
                        one.name[0] == wanted[which][0]
                        and one.ns == NULL
                        and strcmp(<const char*> one.name, wanted[which]) == 0
                    ):
                        value = value_of(one, &composed)
                        if values is None:
                            values = {}
                        values[names[which]] = (
                            cetree.attributeValue(self.nodes[index], one) if composed else value.decode("utf-8")
                        )
                        composed = False
                        break
                one = one.next
            if values is not None:
                found.append((index, values))
        return found

    def locate(self, elements):
        """Return the indexes of elements, leaving out those that are not in the sequence."""
        cdef int32_t index
        cdef list wanted = []
        cdef _Element element
        self.check_open()
        places = {}
        for index in range(self.size):
            if self.kinds[index] == ELEMENT:
                places[<size_t> self.nodes[index]] = index
        for element in elements:
            index = places.get(<size_t> element._c_node, -1)
            if index >= 0:
                wanted.append(index)
        return wanted

    def visible(self, mask=None):
        """Return the number of visible characters, of all nodes or of those whose byte is 1."""
        cdef int64_t total = 0
        cdef int32_t index
        cdef const uint8_t[::1] bytes_
        if mask is None:
            for index in range(self.size):
                total += self.chars[index]
        else:
            bytes_ = mask
            for index in range(self.size):
                if bytes_[index]:
                    total += self.chars[index]
        return total

    def add_ancestors(self, mask):
        """Set the byte of every ancestor of a node whose byte is 1; the body's in any case."""
        cdef uint8_t[::1] bytes_ = mask
        cdef int32_t index
        bytes_[0] = 1
        for index in range(self.size - 1, 0, -1):
            if bytes_[index]:
                bytes_[self.parent[index]] = 1

    def search(self, double size_ratio, bint inclusive, int64_t visits_per_node):
        """Search the region of the whole sequence; see `search_region`."""
        return search(self.symbols, self.size, self.alphabet_size, size_ratio, inclusive, visits_per_node)


# --- the region search ------------------------------------------------------------------------------------

cdef struct Split:
    int32_t start, position, end, threshold, left, right


cdef struct Level:
    const int32_t* symbols
    int32_t low, high, least, once, order_size
    int32_t* offset  # of each symbol's places
    int32_t* places
    int32_t* skipped
    int32_t* count
    int32_t* first
    int32_t* last
    int32_t* order
    int32_t* active
    int32_t* moved
    int32_t* frequencies
    int32_t* stamp  # of each frequency: the level that has listed it
    int32_t level


def search_region(symbols, double size_ratio, bint inclusive, int64_t visits_per_node):
    """Return start and end of the region, and (start, position, end, threshold, left, right) of each split."""
    cdef Py_ssize_t total = len(symbols), index
    cdef int32_t largest = -1
    cdef int32_t* copied
    if total > (1 << 29):
        raise OverflowError("the sequence is too long")
    copied = <int32_t*> malloc((total + 1) * sizeof(int32_t))
    if copied == NULL:
        raise MemoryError
    try:
        index = 0
        for symbol in symbols:
            copied[index] = symbol
            if copied[index] < 0 or copied[index] > (1 << 29):
                raise OverflowError("symbols are numbers from 0 on")
            if copied[index] > largest:
                largest = copied[index]
            index += 1
        return search(copied, <int32_t> total, largest + 1, size_ratio, inclusive, visits_per_node)
    finally:
        free(copied)


cdef search(
    const int32_t* symbols,
    int32_t total,
    int32_t alphabet,
    double size_ratio,
    bint inclusive,
    int64_t visits_per_node,
):
    cdef Level level
    cdef Split* splits = NULL
    cdef int32_t count = 0, index
    cdef int result
    memset(&level, 0, sizeof(Level))
    try:
        with nogil:
            result = run_search(
                &level, symbols, total, alphabet, size_ratio, inclusive, visits_per_node, &splits, &count
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
    """Go on right of a position; symbols that stand on both sides move back in the order."""
    cdef int32_t place, symbol, first, kept = 0, moved = 0, index, other
    for place in range(level.low, position):
        symbol = level.symbols[place]
        take(level, symbol)
        level.skipped[symbol] += 1
    level.low = position
    # `frequencies` is free here: first positions of the moved, sorted, name their symbols
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
