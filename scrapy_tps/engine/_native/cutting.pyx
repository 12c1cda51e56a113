# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""The cut, on libxml2's nodes: see ``scrapy_tps.engine.cutting`` and ``TagPathSequence.mark``, which say what and why.

lxml's public API can't free a node. What goes is moved below an element that nobody else has, by way of its
pointers; when that element goes, lxml frees all of it at once.
"""

import re

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
    LAST, attribute, has_text, is_ascii_space, sketch, space_at_an_end, starts_with, value_of
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


cdef enum:
    # what an element is to a form
    FORM = 1
    INPUT = 2
    SELECT = 4
    TEXTAREA = 8
    BUTTON = 16
    OPTION = 32
    CONTROL = INPUT | SELECT | TEXTAREA | BUTTON


cdef int of_form(const char* tag) noexcept nogil:
    if tag == NULL:
        return 0
    if tag[0] == c"f":
        return FORM if strcmp(tag, b"form") == 0 else 0
    if tag[0] == c"i":
        return INPUT if strcmp(tag, b"input") == 0 else 0
    if tag[0] == c"s":
        return SELECT if strcmp(tag, b"select") == 0 else 0
    if tag[0] == c"t":
        return TEXTAREA if strcmp(tag, b"textarea") == 0 else 0
    if tag[0] == c"b":
        return BUTTON if strcmp(tag, b"button") == 0 else 0
    return OPTION if tag[0] == c"o" and strcmp(tag, b"option") == 0 else 0


cdef enum:
    # how a control behaves; others: text fields, selects
    HIDDEN = 64
    PASSWORD = 128
    EMAIL = 256
    SENDING = 512
    OTHER_BUTTON = 1024  # or what may be one
    BOX = 2048
    OTHER = 4096
    AREA = 8192
    FIELD = 16384
    SECRET = HIDDEN | PASSWORD


cdef dict TYPES = {
    "hidden": HIDDEN, "password": PASSWORD, "email": EMAIL, "submit": SENDING, "image": SENDING,
    "button": OTHER_BUTTON, "reset": OTHER_BUTTON, "checkbox": BOX, "radio": BOX,
    "": FIELD, "text": FIELD, "tel": FIELD, "url": FIELD,
}


cdef const char* plain(xmlNode* node, const char* name, size_t* length) noexcept nogil:
    """The value of an attribute without white space around it, NULL where it is not ASCII; empty where there is none."""
    cdef xmlAttr* one = attribute(node, name)
    cdef bint composed = False
    cdef const char* text
    cdef const char* at
    length[0] = 0
    if one == NULL:
        return b""
    text = value_of(one, &composed)
    if composed:
        return NULL
    at = text
    while at[0]:
        if <unsigned char> at[0] >= 128:
            return NULL
        at += 1
    while is_ascii_space(text[0]):
        text += 1
    while at > text and is_ascii_space((at - 1)[0]):
        at -= 1
    length[0] = at - text
    return text


cdef str any_value(xmlNode* node, const char* name):
    """The same of any attribute, in small letters."""
    cdef xmlAttr* one = attribute(node, name)
    return "" if one == NULL else cetree.attributeValue(node, one).strip().lower()


cdef inline bint reads(const char* text, size_t length, const char* word) noexcept nogil:
    """Whether an ASCII text is this word in small letters, in capitals or not."""
    return length == strlen(word) and starts_with(text, word)


cdef int type_of(Walk walk, const uint8_t* kinds, int32_t index) except -1:
    """How a control behaves for Scrapy."""
    cdef int what = kinds[walk.symbols[index]]
    cdef xmlAttr* one
    cdef size_t length
    cdef bint padded, composed = False
    cdef const char* text
    if what & (SELECT | TEXTAREA):
        return AREA if what == TEXTAREA else OTHER
    one = attribute(walk.nodes[index], b"type")
    if one == NULL:
        return SENDING if what == BUTTON else FIELD
    text = plain(walk.nodes[index], b"type", &length)
    if text == NULL:
        return any_type(cetree.attributeValue(walk.nodes[index], one).lower(), what == BUTTON)
    padded = text[length] != 0 or text != value_of(one, &composed)
    if what == BUTTON:
        return SENDING if not padded and reads(text, length, b"submit") else OTHER_BUTTON
    if reads(text, length, b"hidden"):
        return HIDDEN
    if reads(text, length, b"submit") or reads(text, length, b"image"):
        return OTHER_BUTTON if padded else SENDING
    if reads(text, length, b"checkbox") or reads(text, length, b"radio"):
        return OTHER if padded else BOX
    if reads(text, length, b"button") or reads(text, length, b"reset"):
        return OTHER_BUTTON
    if reads(text, length, b"password"):
        return PASSWORD
    if reads(text, length, b"email"):
        return EMAIL
    if length == 0 or reads(text, length, b"text") or reads(text, length, b"tel") or reads(text, length, b"url"):
        return FIELD
    return OTHER


cdef int any_type(str small, bint button) except -1:
    """The same of any type in small letters."""
    cdef str word = small.strip()
    cdef int kind
    if button:
        return SENDING if small == "submit" else OTHER_BUTTON
    if not word.isascii():
        return OTHER_BUTTON
    kind = TYPES.get(word, OTHER)
    if word != small:
        return OTHER_BUTTON if kind == SENDING else OTHER if kind == BOX else kind
    return kind


cdef bint says(xmlNode* node, const char* name) except -1:
    """Whether an attribute has a value that is not empty."""
    cdef xmlAttr* one = attribute(node, name)
    cdef bint composed = False
    cdef const char* text
    if one == NULL:
        return False
    text = value_of(one, &composed)
    return cetree.attributeValue(node, one) != "" if composed else text[0] != 0


cdef bint names_mail(xmlNode* node) except -1:
    cdef size_t length
    cdef const char* text = plain(node, b"name", &length)
    if text == NULL:
        return "mail" in any_value(node, b"name")
    while length >= 4:
        if starts_with(text, b"mail"):
            return True
        text += 1
        length -= 1
    return False


cdef bint is_posted(xmlNode* form) except -1:
    cdef size_t length
    cdef const char* text = plain(form, b"method", &length)
    return any_value(form, b"method") == "post" if text == NULL else reads(text, length, b"post")


cdef void keep_subtree(Walk walk, uint8_t* mask, int32_t index) noexcept:
    memset(mask + index, 1, walk.end[index] - index)


cdef void keep_control(Walk walk, const uint8_t* kinds, uint8_t* mask, int32_t index) noexcept:
    cdef int32_t below, first = -1
    cdef bint chosen = False, enabled = False
    mask[index] = 1
    if kinds[walk.symbols[index]] == TEXTAREA:
        keep_subtree(walk, mask, index)
    elif kinds[walk.symbols[index]] == SELECT:
        for below in range(index + 1, walk.end[index]):
            if kinds[walk.symbols[below]] == OPTION:
                if first < 0 or not enabled:
                    if attribute(walk.nodes[below], b"disabled") == NULL:
                        first = below
                        enabled = True
                    elif first < 0:
                        first = below
                if attribute(walk.nodes[below], b"selected") != NULL:
                    keep_subtree(walk, mask, below)
                    chosen = True
        if first >= 0 and not chosen:
            keep_subtree(walk, mask, first)


def keep_forms(Walk walk not None, bytearray mask not None):
    """Keep the controls of forms that hold a hidden or password input; see ``scrapy_tps.engine.forms``."""
    cdef uint8_t* bytes_ = <uint8_t*> mask_bytes(mask, walk.size)
    cdef int32_t symbol
    cdef int every = 0
    cdef uint8_t* kinds  # of each symbol
    walk.check_open()
    kinds = <uint8_t*> malloc(walk.alphabet_size + 1)
    if kinds == NULL:
        raise MemoryError
    try:
        for symbol in range(walk.alphabet_size):
            kinds[symbol] = of_form(walk.alphabet[symbol].tag)
            every |= kinds[symbol]
        if every & FORM and every & INPUT:
            keep_secret_forms(walk, kinds, bytes_)
    finally:
        free(kinds)


cdef int keep_secret_forms(Walk walk, const uint8_t* kinds, uint8_t* bytes_) except -1:
    cdef int32_t form = 0, below, stop, counted  # the last input that is a button
    cdef int kind, types, buttons
    cdef bint written_in, mute
    cdef xmlAttr* value
    cdef set names = set()
    while form < walk.size:
        if kinds[walk.symbols[form]] != FORM:
            form += 1
            continue
        stop = walk.end[form]
        types = buttons = 0
        counted = -1
        mute = True
        for below in range(form + 1, stop):
            if kinds[walk.symbols[below]] & CONTROL:
                kind = type_of(walk, kinds, below)
                types |= kind
                if kind & (SENDING | OTHER_BUTTON):
                    buttons += 1
                    mute = mute and not changes_what_is_sent(walk.nodes[below])
                    if kinds[walk.symbols[below]] == INPUT:
                        counted = below
        if types & SECRET:
            written_in = (
                memchr(bytes_ + form, 1, stop - form) == NULL
                and is_written_in(walk, kinds, form, types)
            )
            bytes_[form] = 1
            value = attribute(walk.nodes[form], b"id")
            if value != NULL:
                names.add(cetree.attributeValue(walk.nodes[form], value))
            for below in range(form + 1, stop):
                if kinds[walk.symbols[below]] == FORM:
                    bytes_[below] = 1
                elif kinds[walk.symbols[below]] & CONTROL and (
                    not (mute or buttons == 1 and types & SENDING)
                    or not written_in and below < counted
                    or control_stays(walk, kinds, below, written_in, mute)
                ):
                    keep_control(walk, kinds, bytes_, below)
        form = stop
    names.discard("")
    if names:
        for below in range(walk.size):
            if kinds[walk.symbols[below]] & CONTROL:
                value = attribute(walk.nodes[below], b"form")
                if value != NULL and cetree.attributeValue(walk.nodes[below], value) in names:
                    keep_control(walk, kinds, bytes_, below)
    return 0


cdef bint changes_what_is_sent(xmlNode* button) noexcept nogil:
    """Whether it makes a difference to press a button."""
    return (
        attribute(button, b"name") != NULL
        or attribute(button, b"formaction") != NULL
        or attribute(button, b"formmethod") != NULL
        or attribute(button, b"formenctype") != NULL
    )


cdef bint is_written_in(Walk walk, const uint8_t* kinds, int32_t form, int types) except -1:
    """Whether a form takes what people write."""
    if types & PASSWORD or not types & (EMAIL | AREA):
        return False
    if types & EMAIL and types & AREA:
        return True
    return is_posted(walk.nodes[form]) and (
        types & EMAIL or asks_for_mail(walk, kinds, form, walk.end[form])
    )


cdef bint asks_for_mail(Walk walk, const uint8_t* kinds, int32_t form, int32_t stop) except -1:
    cdef int32_t below
    for below in range(form + 1, stop):
        if kinds[walk.symbols[below]] & CONTROL and names_mail(walk.nodes[below]):
            return True
    return False


cdef bint control_stays(Walk walk, const uint8_t* kinds, int32_t index, bint written_in, bint mute) except -1:
    cdef xmlNode* node = walk.nodes[index]
    cdef int kind = type_of(walk, kinds, index)
    if kind & (SENDING | OTHER_BUTTON):
        return not (written_in and mute)
    if not says(node, b"name") or kind == BOX and attribute(node, b"checked") == NULL:
        return False
    if not written_in:
        return True
    if kind == AREA:
        return node.children != NULL
    if kind == BOX:
        return not chooses_nothing(node)
    return not kind & (FIELD | EMAIL) or says(node, b"value")


cdef object RATING = re.compile("(?<![a-z])(?:ratings?|rate|stars?|votes?|score)(?![a-z])")


cdef bint chooses_nothing(xmlNode* box) except -1:
    """Whether a box is a `radio` that says nothing, or a rating that says "none"."""
    cdef xmlAttr* value = attribute(box, b"value")
    cdef size_t length
    cdef const char* text
    if value == NULL:
        return False
    text = plain(box, b"type", &length)
    if text != NULL and not reads(text, length, b"radio"):
        return False
    if text == NULL and any_value(box, b"type") != "radio":
        return False
    given = cetree.attributeValue(box, value)
    return given == "" or given == "0" and RATING.search(any_value(box, b"name")) is not None


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
