# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The cut, on libxml2's nodes: see ``scrapy_tps.engine.cutting`` and ``TagPathSequence.mark``, which say what and why.

lxml's public API can't free a node. What goes is moved below an element that nobody else has, by way of its
pointers; when that element goes, lxml frees all of it at once.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport bsearch, calloc, free, malloc, qsort
from libc.string cimport memchr, memcpy, memset, strcmp, strcspn, strlen, strspn, strstr

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport etreepublic as cetree
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, _isElement, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.columns cimport mask_bytes
from scrapy_tps.engine._native.core cimport CORE_REVISION, LARGE, grow
from scrapy_tps.engine._native.data cimport holds_data, is_data
from scrapy_tps.engine._native.texts cimport (
    LAST, attribute, has_text, sketch, space_at_an_end
)
from scrapy_tps.engine._native.walk cimport ELEMENT, TAIL_OF, TEXT_OF, Symbol, Walk, key_hash

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION


cdef enum:
    # texts that an element loses: of its own; any in it, at whatever depth
    OF_THEIRS = 1
    IN_THEM = 2


cdef struct Text:
    xmlNode* node
    bint tail


cdef class Removal:
    """What goes from one tree: noted first, so that decisions see the tree as it was, then taken out."""

    cdef _Element bin
    cdef xmlNode* above
    cdef xmlNode** nodes
    cdef Text* blanks  # texts that become a blank
    cdef xmlNode** hurt  # elements that lose something, in document order
    cdef int32_t* places  # theirs
    cdef uint8_t* texts  # what text they lose: OF_THEIRS, IN_THEM
    cdef int32_t size, room, blank_count, blank_room, hurt_count, hurt_room

    def __cinit__(self, _Element root not None):
        self.bin = cetree.makeSubElement(root, "removed", None, None, None, None)
        self.above = self.bin._c_node
        unlink(self.above)

    def __dealloc__(self):
        free(self.nodes)
        free(self.blanks)
        free(self.hurt)
        free(self.places)
        free(self.texts)

    cdef int note_hurt(self, xmlNode* node, int32_t place, int texts) noexcept nogil:
        """Note an element that loses something, text of its own, in it, or none; -1: no memory."""
        if self.hurt_count == self.hurt_room:
            self.hurt_room = max(64, 2 * self.hurt_room)
            if grow(<void**> &self.hurt, self.hurt_room, sizeof(xmlNode*)):
                return -1
            if grow(<void**> &self.places, self.hurt_room, sizeof(int32_t)):
                return -1
            if grow(<void**> &self.texts, self.hurt_room, sizeof(uint8_t)):
                return -1
        self.hurt[self.hurt_count] = node
        self.places[self.hurt_count] = place
        self.texts[self.hurt_count] = texts
        self.hurt_count += 1
        return 0

    cdef int note(self, xmlNode* node) noexcept nogil:
        """Note an element that goes; -1: no memory."""
        if self.size == self.room:
            self.room = max(64, 2 * self.room)
            if grow(<void**> &self.nodes, self.room, sizeof(xmlNode*)):
                return -1
        self.nodes[self.size] = node
        self.size += 1
        return 0

    cdef int note_blank(self, xmlNode* node, bint tail) noexcept nogil:
        """Note that the text or tail of an element becomes a blank; -1: no memory."""
        if self.blank_count == self.blank_room:
            self.blank_room = max(64, 2 * self.blank_room)
            if grow(<void**> &self.blanks, self.blank_room, sizeof(Text)):
                return -1
        self.blanks[self.blank_count].node = node
        self.blanks[self.blank_count].tail = tail
        self.blank_count += 1
        return 0

    cdef int write_blanks(self) except -1:
        # before anything goes: lxml takes all texts up to the next element for one
        cdef int32_t index
        for index in range(self.blank_count):
            if self.blanks[index].tail:
                cetree.setTailText(self.blanks[index].node, " ")
            else:
                cetree.setNodeText(self.blanks[index].node, " ")
        return 0

    cdef void take_out(self) noexcept nogil:
        cdef int32_t index
        for index in range(self.size):
            self.move(self.nodes[index])
        self.size = 0

    cdef void move(self, xmlNode* node) noexcept nogil:
        cdef xmlNode* above = self.above
        unlink(node)
        node.parent = above
        node.prev = above.last
        if above.last == NULL:
            above.children = node
        else:
            above.last.next = node
        above.last = node

    cdef void move_texts(self, xmlNode* node) noexcept nogil:
        """Take out the text nodes from here up to the next thing that is none."""
        cdef xmlNode* following
        while node != NULL:
            following = node.next
            if is_text(node):
                self.move(node)
            elif node.type != tree.XML_XINCLUDE_START and node.type != tree.XML_XINCLUDE_END:
                return
            node = following


cdef inline void unlink(xmlNode* node) noexcept nogil:
    if node.parent != NULL:
        if node.parent.children == node:
            node.parent.children = node.next
        if node.parent.last == node:
            node.parent.last = node.prev
    if node.next != NULL:
        node.next.prev = node.prev
    if node.prev != NULL:
        node.prev.next = node.next
    node.parent = node.next = node.prev = NULL


cdef inline bint is_text(xmlNode* node) noexcept nogil:
    return node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE


cdef inline xmlNode* element_from(xmlNode* node) noexcept nogil:
    while node != NULL and not _isElement(node):
        node = node.next
    return node


cdef inline bint says_something(xmlNode* text) noexcept nogil:
    """Whether a text node is more than white space, as XPath has it."""
    cdef const char* content = <const char*> text.content
    return content != NULL and content[strspn(content, b" \t\n\r")] != 0


cdef bint texts_say_something(xmlNode* node) noexcept nogil:
    """Whether one of the text nodes that `Removal.move_texts` takes out from here is more than white space."""
    while node != NULL:
        if is_text(node):
            if says_something(node):
                return True
        elif node.type != tree.XML_XINCLUDE_START and node.type != tree.XML_XINCLUDE_END:
            return False
        node = node.next
    return False


cdef bint has_text_in_it(xmlNode* top) noexcept nogil:
    """Whether there is more than white space in an element, at whatever depth; scripts count."""
    cdef xmlNode* node = top.children
    while node != NULL:
        if is_text(node):
            if says_something(node):
                return True
        elif node.type == tree.XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
            continue
        while node.next == NULL:
            node = node.parent
            if node == top:
                return False
        node = node.next
    return False


cdef inline bint is_code(xmlNode* node) noexcept nogil:
    return node.type == tree.XML_ELEMENT_NODE and (
        strcmp(<const char*> node.name, b"script") == 0 or strcmp(<const char*> node.name, b"style") == 0
    )


cdef struct Kept:
    xmlNode** nodes  # sorted
    int32_t size


cdef int by_place(const void* one, const void* other) noexcept nogil:
    cdef size_t left = (<const size_t*> one)[0], right = (<const size_t*> other)[0]
    return (left > right) - (left < right)


cdef inline bint is_kept(const Kept* kept, xmlNode* node) noexcept nogil:
    return kept.size and bsearch(&node, kept.nodes, kept.size, sizeof(xmlNode*), by_place) != NULL


def cut(Walk walk not None, mask, kept_scripts, bint keep_data):
    """Remove what goes from the tree and close the walk.

    :return: an element that holds what went, and the elements that lost something.
    """
    cdef const uint8_t* stays = mask_bytes(mask, walk.size)
    cdef _Element element
    cdef Removal removal
    cdef Kept kept
    cdef int result
    cdef int32_t number
    walk.check_open()
    removal = Removal(walk.body)
    kept.size = 0
    kept.nodes = <xmlNode**> malloc((len(kept_scripts) + walk.script_count + 1) * sizeof(xmlNode*))
    if kept.nodes == NULL:
        raise MemoryError
    try:
        for element in kept_scripts:
            kept.nodes[kept.size] = element._c_node
            kept.size += 1
        for number in range(walk.script_count if keep_data else 0):
            if holds_data(&walk.scripts[number]):
                kept.nodes[kept.size] = walk.scripts[number].node
                kept.size += 1
        if walk.size < LARGE:
            result = mark(walk, stays, &kept, removal)
        else:
            with nogil:
                result = mark(walk, stays, &kept, removal)
    finally:
        free(kept.nodes)
    if result:
        raise MemoryError
    removal.write_blanks()
    if walk.size < LARGE:
        removal.take_out()
    else:
        with nogil:
            removal.take_out()
    walk.close()
    return removal.bin, HurtElements(removal)


cdef int mark(Walk walk, const uint8_t* mask, Kept* kept, Removal removal) noexcept nogil:
    """Take out texts that go, note the elements and blanks; -1: no memory."""
    cdef int32_t index = 0, next_removed = 0, size = walk.size
    qsort(kept.nodes, kept.size, sizeof(xmlNode*), by_place)
    while True:
        while next_removed < size and mask[next_removed]:
            next_removed += 1
        if index >= size or next_removed >= size:
            break
        if not mask[index]:
            index = walk.end[index]
            if next_removed < index:
                next_removed = index
        elif next_removed >= walk.end[index]:
            index = walk.end[index]
        else:
            if cut_children(walk, mask, index, kept, removal):
                return -1
            index += 1
    note_texts_below(walk, removal)
    return 0


cdef void note_texts_below(Walk walk, Removal removal) noexcept nogil:
    """Note that what is around an element that loses text loses it, too."""
    cdef int32_t number, nearest = walk.size  # the first element from here on that loses text
    for number in range(removal.hurt_count - 1, -1, -1):
        if removal.texts[number]:
            nearest = removal.places[number]
        if nearest < walk.end[removal.places[number]]:
            removal.texts[number] |= IN_THEM


cdef int cut_children(
    Walk walk, const uint8_t* mask, int32_t index, const Kept* kept, Removal removal
) noexcept nogil:
    cdef xmlNode* element = walk.nodes[index]
    cdef xmlNode* before = NULL
    cdef xmlNode* child
    cdef int32_t place = index + 1, stop = walk.end[index]
    cdef bint blank = False, of_text = False, text_below = False, stays
    if place < stop and walk.kinds[place] == TEXT_OF:
        if not mask[place]:
            of_text = True
            blank = space_at_an_end(element.children)
            if not blank:
                removal.move_texts(element.children)
            elif removal.note_blank(element, False):
                return -1
        place += 1
    child = element_from(element.children)
    while child != NULL:
        if place < stop and walk.kinds[place] == ELEMENT and walk.nodes[place] == child:
            stays = mask[place] != 0
            place = walk.end[place]
        else:
            stays = not is_code(child) or is_kept(kept, child)
        if place < stop and walk.kinds[place] == TAIL_OF and walk.nodes[place] == child:
            of_text = of_text or not mask[place]
            if mask[place]:
                blank = False
            elif not blank and space_at_an_end(child.next):
                if removal.note_blank(child, True):
                    return -1
                blank = True
            else:
                removal.move_texts(child.next)
            before = NULL
            place += 1
        elif stays:
            blank = False
            before = child
        elif has_text(child.next):
            if blank or (before != NULL and has_text(before.next)):
                text_below = text_below or texts_say_something(child.next)
                removal.move_texts(child.next)
            blank = True
            before = NULL
        if not stays:
            text_below = text_below or of_text or has_text_in_it(child)
            if removal.note(child):
                return -1
        child = element_from(child.next)
    return removal.note_hurt(element, index, of_text * OF_THEIRS | text_below * IN_THEM)


def cut_head(_Element head not None, bint keep_head, bint keep_data, is_resource, kept):
    """Remove from a head what spiders don't read; see `cutting.cut_head`.

    :param is_resource: called with the ``rel`` of a ``link``.
    :param kept: elements that stay in any case.
    :return: an element that holds what went, or None.
    """
    cdef xmlNode* child = element_from(head._c_node.children)
    cdef xmlNode* following
    cdef _Element element
    cdef Removal removal = None
    named = {<size_t> element._c_node for element in kept}
    while child != NULL:
        following = element_from(child.next)
        if not stays_in_head(child, keep_head, keep_data, is_resource) and <size_t> child not in named:
            if removal is None:
                removal = Removal(head)
            removal.move_texts(child.next)
            removal.move(child)
        child = following
    return None if removal is None else removal.bin


cdef bint stays_in_head(xmlNode* child, bint keep_head, bint keep_data, is_resource) except -1:
    cdef const char* tag = <const char*> child.name
    cdef xmlAttr* one
    if child.type != tree.XML_ELEMENT_NODE:
        return False
    if strcmp(tag, b"script") == 0:
        return keep_data and is_data(child)
    if strcmp(tag, b"title") == 0 or strcmp(tag, b"meta") == 0:
        return keep_head
    if strcmp(tag, b"link") == 0:
        if not keep_head:
            return False
        one = attribute(child, b"rel")
        return one == NULL or not is_resource(cetree.attributeValue(child, one))
    return not (strcmp(tag, b"style") == 0 or strcmp(tag, b"noscript") == 0 or strcmp(tag, b"template") == 0)


def count_elements(_Element root not None):
    """Return how many elements there are, `root` among them."""
    cdef xmlNode* node = root._c_node
    cdef xmlNode* top = node
    cdef int64_t count = 0
    with nogil:
        while True:
            count += node.type == tree.XML_ELEMENT_NODE
            if node.type == tree.XML_ELEMENT_NODE and node.children != NULL:
                node = node.children
                continue
            while node != top and node.next == NULL:
                node = node.parent
            if node == top:
                break
            node = node.next
    return count


cdef enum:
    # kinds of names; the whole value of a `class` only serves to split none twice
    TAG = 1
    CLASS = 2
    ID = 3
    CLASS_VALUE = 4
    LONGEST_NAME = 255


cdef struct Last:
    # what was added last, as long as the tree stays as it is: names of elements by their address, as the parser keeps
    # each name once; values of `class`; names of the two attributes
    const char* tags[LAST]
    bint valued[LAST]  # whether elements of that tag are told apart by their attributes
    const char* classes[LAST]
    const char* class_name
    const char* id_name


cdef struct Lines:
    char* text  # NULL: none
    size_t size, room


cdef int add_line(Lines* lines, const char* line) noexcept nogil:
    cdef size_t length = strlen(line)
    if lines.size + length + 2 > lines.room:
        lines.room = 2 * (lines.size + length + 512)
        if grow(<void**> &lines.text, lines.room, 1):
            return -1
    memcpy(lines.text + lines.size, line, length)
    lines.size += length
    lines.text[lines.size] = 10
    lines.size += 1
    lines.text[lines.size] = 0
    return 0


cdef inline bint is_valued(const char* tag) noexcept nogil:
    """Whether elements of a tag are told apart by their attributes: `name_set.VALUED`."""
    return (
        strcmp(tag, b"link") == 0 or strcmp(tag, b"meta") == 0 or strcmp(tag, b"script") == 0
        or strcmp(tag, b"input") == 0 or strcmp(tag, b"form") == 0 or strcmp(tag, b"button") == 0
    )


cdef class NameSet:
    """Tags, words of classes, and ids of elements; see `removed_names.NameSet`."""

    cdef uint64_t* slots  # hashes; 0: none
    cdef uint64_t sought  # the hash that was looked for last
    cdef size_t room, size
    cdef Lines classes  # values of `class`, each once
    cdef Lines values  # those of all attributes of elements that are told apart by them
    cdef Last last
    cdef bint anything

    def __cinit__(self):
        self.room = 256
        self.slots = <uint64_t*> calloc(self.room, sizeof(uint64_t))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)
        free(self.classes.text)
        free(self.values.text)

    def add(self, _Element top not None, skipped=()):
        """Add the names of an element and of all below it, without those of `skipped` and what is in them."""
        cdef Kept skip
        cdef _Element element
        cdef int result
        skip.size = 0
        skip.nodes = <xmlNode**> malloc((len(skipped) + 1) * sizeof(xmlNode*))
        if skip.nodes == NULL:
            raise MemoryError
        for element in skipped:
            skip.nodes[skip.size] = element._c_node
            skip.size += 1
        qsort(skip.nodes, skip.size, sizeof(xmlNode*), by_place)
        with nogil:
            result = self.put_all(top._c_node, &skip)
        free(skip.nodes)
        if result:
            raise MemoryError

    def add_nodes(self, Walk walk not None, mask, bint by_symbol):
        """Add the names of the elements of a walk whose byte is 1.

        By their symbols: tags and classes alone, as they were when the tree was walked.
        """
        cdef const uint8_t* wanted = mask_bytes(mask, walk.size)
        cdef uint8_t* seen = NULL  # of each symbol
        cdef Symbol* symbol
        cdef int32_t index
        cdef int result = 0
        walk.check_open()
        self.start()
        if by_symbol:
            seen = <uint8_t*> calloc(walk.alphabet_size + 1, 1)
            if seen == NULL:
                raise MemoryError
        with nogil:
            for index in range(walk.size):
                if not wanted[index] or walk.kinds[index] != ELEMENT:
                    continue
                if not by_symbol:
                    result = self.put_names(walk.nodes[index])
                elif not seen[walk.symbols[index]]:
                    seen[walk.symbols[index]] = 1
                    symbol = &walk.alphabet[walk.symbols[index]]
                    result = self.put(TAG, symbol.tag) < 0 or (
                        symbol.class_ != NULL and self.put_words(symbol.class_)
                    )
                if result:
                    break
        free(seen)
        if result:
            raise MemoryError

    def may_have(self, int kind, bytes name not None):
        """Whether an element may have a name of that kind."""
        return self.anything or len(name) > LONGEST_NAME or self.slot(kind, name)[0] != 0

    def may_match(self, names not None):
        """Whether an element may have all these names (`name_set.Names`)."""
        cdef tuple key
        cdef bytes name
        if self.anything:
            return True
        for key in names.keys:
            name = key[1]
            if len(name) <= LONGEST_NAME and self.slot(key[0], name)[0] == 0:
                return False
        for name in names.class_keys:
            if self.classes.text == NULL or strstr(self.classes.text, name) == NULL:
                return False
        for name in names.value_keys:
            if self.values.text == NULL or strstr(self.values.text, name) == NULL:
                return False
        return True

    cdef uint64_t* slot(self, int kind, const char* name) noexcept nogil:
        cdef uint64_t hashed = key_hash(kind, name, NULL, NULL)
        cdef size_t place
        hashed += not hashed
        place = hashed & (self.room - 1)
        while self.slots[place] and self.slots[place] != hashed:
            place = (place + 1) & (self.room - 1)
        self.sought = hashed
        return &self.slots[place]

    cdef int put(self, int kind, const char* name) noexcept nogil:
        """Add a name; 1: it was there, -1: no memory."""
        cdef uint64_t* at = self.slot(kind, name)
        if at[0]:
            return 1
        at[0] = self.sought
        self.size += 1
        return self.enlarge() if 2 * self.size > self.room else 0

    cdef int enlarge(self) noexcept nogil:
        cdef uint64_t* larger = <uint64_t*> calloc(4 * self.room, sizeof(uint64_t))
        cdef size_t index, place
        if larger == NULL:
            return -1
        for index in range(self.room):
            if self.slots[index]:
                place = self.slots[index] & (4 * self.room - 1)
                while larger[place]:
                    place = (place + 1) & (4 * self.room - 1)
                larger[place] = self.slots[index]
        free(self.slots)
        self.slots = larger
        self.room *= 4
        return 0

    cdef void start(self) noexcept nogil:
        """Forget what was added last: the strings may be gone."""
        memset(&self.last, 0, sizeof(Last))

    cdef int put_all(self, xmlNode* top, const Kept* skip) noexcept nogil:
        cdef xmlNode* node = top
        cdef bint enters
        self.start()
        while True:
            enters = node.type == tree.XML_ELEMENT_NODE and not is_kept(skip, node)
            if enters and self.put_names(node):
                return -1
            if enters and node.children != NULL:
                node = node.children
                continue
            while node != top and node.next == NULL:
                node = node.parent
            if node == top:
                return 0
            node = node.next

    cdef int put_names(self, xmlNode* node) noexcept nogil:
        cdef xmlAttr* one = node.properties
        cdef const char* name = <const char*> node.name
        cdef const char* value
        cdef size_t place = (<size_t> name ^ <size_t> name >> 6) & (LAST - 1)
        cdef bint valued
        cdef int kind
        if self.last.tags[place] != name:
            if self.put(TAG, name) < 0:
                return -1
            self.last.tags[place] = name
            self.last.valued[place] = is_valued(name)
        valued = self.last.valued[place]
        while one != NULL:
            kind = self.kind_of(one)
            if one.children != NULL and (kind or valued):
                value = <const char*> one.children.content
                if one.children.next != NULL or value == NULL:
                    self.anything = True
                elif valued and add_line(&self.values, value):
                    return -1
                elif kind == ID and self.put(ID, value) < 0:
                    return -1
                elif kind == CLASS and self.put_words(value):
                    return -1
            one = one.next
        return 0

    cdef int kind_of(self, xmlAttr* one) noexcept nogil:
        """CLASS, ID, or 0 for another attribute."""
        cdef const char* name = <const char*> one.name
        if one.ns != NULL:
            return 0
        if name == self.last.class_name or (name[0] == c"c" and strcmp(name, b"class") == 0):
            self.last.class_name = name
            return CLASS
        if name == self.last.id_name or (name[0] == c"i" and strcmp(name, b"id") == 0):
            self.last.id_name = name
            return ID
        return 0

    cdef int put_words(self, const char* text) noexcept nogil:
        cdef char word[LONGEST_NAME + 1]
        cdef size_t length
        cdef const char** known = &self.last.classes[sketch(text)]
        cdef int result
        if known[0] != NULL and strcmp(known[0], text) == 0:
            return 0
        known[0] = text
        result = self.put(CLASS_VALUE, text)
        if result:
            return result if result < 0 else 0
        if add_line(&self.classes, text):
            return -1
        while True:
            text += strspn(text, b" \t\n\r")
            length = strcspn(text, b" \t\n\r")
            if length == 0:
                return 0
            if length <= LONGEST_NAME:
                memcpy(word, text, length)
                word[length] = 0
                if self.put(CLASS, word) < 0:
                    return -1
            if memchr(text, 12, length) != NULL:  # form feeds end words in HTML, and not in XPath
                self.anything = True
            text += length


cdef int insert(xmlNode*** nodes, int32_t* size, xmlNode* node) noexcept nogil:
    """Add a node to sorted ones; -1: no memory."""
    cdef int32_t place = size[0]
    if grow(<void**> nodes, place + 1, sizeof(xmlNode*)):
        return -1
    while place and <size_t> nodes[0][place - 1] > <size_t> node:
        nodes[0][place] = nodes[0][place - 1]
        place -= 1
    nodes[0][place] = node
    size[0] += 1
    return 0


cdef class HurtElements:
    """The elements of a tree that lost something; see `removed_names.HurtElements`."""

    cdef xmlNode** nodes  # sorted
    cdef xmlNode** emptied  # those in which text was lost, sorted
    cdef int32_t size, emptied_size
    cdef readonly NameSet names, beside, texts

    def __cinit__(self, Removal removal not None):
        cdef int32_t index
        self.emptied = <xmlNode**> malloc((removal.hurt_count + 1) * sizeof(xmlNode*))
        if self.emptied == NULL:
            raise MemoryError
        self.names, self.beside, self.texts = NameSet(), NameSet(), NameSet()
        self.nodes, self.size = removal.hurt, removal.hurt_count
        removal.hurt = NULL
        removal.hurt_count = removal.hurt_room = 0
        for index in range(self.size):
            self.put(self.nodes[index])
            if removal.texts[index] & OF_THEIRS and self.texts.put_names(self.nodes[index]):
                raise MemoryError
            if removal.texts[index]:
                self.emptied[self.emptied_size] = self.nodes[index]
                self.emptied_size += 1
        if self.size:
            qsort(self.nodes, self.size, sizeof(xmlNode*), by_place)
        if self.emptied_size:
            qsort(self.emptied, self.emptied_size, sizeof(xmlNode*), by_place)

    def __dealloc__(self):
        free(self.nodes)
        free(self.emptied)

    def __contains__(self, _Element element not None):
        cdef Kept found
        found.nodes, found.size = self.nodes, self.size
        return is_kept(&found, element._c_node)

    def lost_text(self, _Element element not None):
        """Whether text was lost in an element, at whatever depth."""
        cdef Kept found
        found.nodes, found.size = self.emptied, self.emptied_size
        return is_kept(&found, element._c_node)

    def add(self, _Element element not None):
        """Add an element, in which text may have been lost."""
        if insert(&self.nodes, &self.size, element._c_node):
            raise MemoryError
        if insert(&self.emptied, &self.emptied_size, element._c_node):
            raise MemoryError
        self.names.start()
        self.beside.start()
        self.put(element._c_node)

    cdef int put(self, xmlNode* node) except -1:
        cdef xmlNode* child = node.children
        if self.names.put_names(node):
            raise MemoryError
        while child != NULL:
            if child.type == tree.XML_ELEMENT_NODE and self.beside.put_names(child):
                raise MemoryError
            child = child.next
        return 0
