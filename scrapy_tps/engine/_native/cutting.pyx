# cython: language_level=3
"""The cut, on libxml2's nodes: ``scrapy_tps.engine.cutting`` and ``scrapy_tps.engine.journal`` document it.

It reads and sets links of nodes, and frees none.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport strcmp, strstr

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport etreepublic as cetree
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.arrays cimport mask_bytes
from scrapy_tps.engine._native.core cimport CORE_REVISION, LARGE, grow
from scrapy_tps.engine._native.texts cimport (
    attribute, has_text, has_word, space_at_an_end, value_of
)
from scrapy_tps.engine._native.walk cimport ELEMENT, TAIL_OF, TEXT_OF, Walk, element_from, holds_data, is_data, is_element

from scrapy_tps.engine.journal import carrier_of

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION


cdef enum:
    # the places that `has` searches, and the ways to compare a value; see `scrapy_tps.engine.journal`
    REMOVED = 0
    TOUCHED = 1
    KEPT = 2
    EQUAL = 0
    WORD = 1
    PART = 2
    MOST_NEEDS = 16

cdef const char* BLANKS = b" \t\n\r\f\v"

cdef struct Needs:
    const char* tags[MOST_NEEDS]
    const char* attributes[MOST_NEEDS]
    const char* values[MOST_NEEDS]
    int hows[MOST_NEEDS]
    int tag_count, test_count

cdef struct Move:
    xmlNode* node
    xmlNode* parent
    xmlNode* next
    int32_t place  # of the node in the sequence; -1: it has none
    bint added  # a blank in place of a text: it is removed when the page is joined
    bint skipped  # not put back, because its links no longer hold


cdef class Moves:
    """The nodes that a cut takes out of a tree, in the order of the moves: see `scrapy_tps.engine.journal`.

    All removed nodes are below `bin`, a private element, with which lxml frees them. For all elements that lost
    something, a Python object is held: so lxml frees neither them nor the nodes below them, whatever others do to the
    tree.
    """

    cdef _Element body, bin
    cdef xmlNode* above  # the node of the bin
    cdef xmlNode* html  # the parent of the body, only to compare
    cdef Move* moves
    cdef xmlNode** losers  # elements that lost something; below, their objects
    cdef list held
    cdef set touched  # addresses of elements that lost something, or hold one that did; None: not yet known
    cdef xmlNode** linked  # as `remember` found them: parents, each with its children, and NULL
    cdef int32_t size, room, loser_count, link_count, link_room
    cdef bint joined

    def __cinit__(self, _Element body not None):
        self.body = body
        self.html = body._c_node.parent
        self.bin = cetree.makeSubElement(body, "removed", None, None, None, None)
        self.above = self.bin._c_node
        unlink(self.above)
        self.held = []

    def __dealloc__(self):
        free(self.moves)
        free(self.losers)
        free(self.linked)

    def hold(self, bint controls):
        """Hold the elements that lost something: the parts of forms, or the others."""
        cdef const char* tag
        if self.losers == NULL:
            self.list_losers()
        for index in range(self.loser_count):
            tag = <const char*> self.losers[index].name
            if controls == (
                strcmp(tag, b"form") == 0 or strcmp(tag, b"label") == 0 or strcmp(tag, b"select") == 0
                or strcmp(tag, b"textarea") == 0 or strcmp(tag, b"input") == 0
            ):
                self.held.append(cetree.elementFactory(self.bin._doc, self.losers[index]))

    cdef int list_losers(self) except -1:
        cdef set seen = set()
        self.loser_count = self.link_count = 0
        grow(<void**> &self.losers, self.size + 1, sizeof(xmlNode*))
        for index in range(self.size):
            if <size_t> self.moves[index].parent not in seen:
                seen.add(<size_t> self.moves[index].parent)
                self.losers[self.loser_count] = self.moves[index].parent
                self.loser_count += 1
        return 0

    def close(self):
        """Remember how the tree is linked, now that all is out: this is checked before anything is put back."""
        for index in range(self.size):
            if self.moves[index].skipped:
                self.check()
                return
        self.remember()

    def join(self):
        """Put everything back whose links still hold."""
        cdef Move* at
        if self.body._c_node.doc != self.above.doc and self.body._c_node.parent == self.html:
            self.body.append(self.bin)  # a user has moved the tree: lxml moves what belongs to it, too
            unlink(self.above)
        if self.is_changed():
            self.check()
        for index in range(self.size - 1, -1, -1):
            at = &self.moves[index]
            if at.added:
                at.parent, at.next = at.node.parent, at.node.next
                unlink(at.node)
            else:
                # libxml2 frees a node by its document, which differs if a user has moved the parent elsewhere
                at.skipped = at.node.doc != at.parent.doc or (at.next != NULL and at.next.parent != at.parent)
                if not at.skipped:
                    link(at)
        self.joined = True

    def part(self):
        """Take everything out again."""
        cdef Move* at
        for index in range(self.size):
            at = &self.moves[index]
            if at.added:
                link(at)
            elif not at.skipped and at.node.doc == self.above.doc:
                at.parent, at.next = at.node.parent, at.node.next
                self.put_away(at.node)
        self.joined = False

    def check(self):
        """Forget the moves whose nodes are no longer at their place, because other code changed the tree.

        A node must not be read before it is known to be below one that is held.
        """
        cdef int32_t index, kept = 0
        cdef set alive = set()
        cdef Move* at
        cdef xmlNode* node
        for index in range(-1, self.loser_count):
            node = self.above.children if index < 0 else self.losers[index].children
            while node != NULL:
                alive.add(<size_t> node)
                node = node.next
        self.bridge(alive)
        for index in range(self.size):
            at = &self.moves[index]
            if at.node == NULL or (at.next != NULL and (
                <size_t> at.next not in alive
                or (at.next.parent != at.parent and at.next.parent != self.above)
            )):
                continue
            self.moves[kept] = at[0]
            kept += 1
        self.size = kept
        self.remember()

    cdef int bridge(self, set alive) except -1:
        """Let moves before a sibling that is no longer at its place refer to the next one that is, and take their nodes
        from moves that have lost them."""
        cdef Move* at
        cdef size_t node, end
        cdef tuple key
        cdef dict after = self.kept_after(alive)  # what follows a node that is no longer at its place
        cdef dict first = {}  # by parent and a node that stays, or 0: the first removed node that goes before it
        cdef dict ends = {}  # that node that stays
        for index in range(self.size - 1, -1, -1):  # what is moved before a sibling is before it in this list
            at = &self.moves[index]
            node = <size_t> at.next
            if node in after:
                node = after[node]
                at.next = <xmlNode*> <size_t> first.get((<size_t> at.parent, node), node)
            node = <size_t> at.node
            end = ends.get(<size_t> at.next, <size_t> at.next)
            if node in alive and at.node.parent == (at.parent if at.added else self.above):
                ends[node] = end
                key = (<size_t> at.parent, end)
                # of several nodes before the same one, the first to be put back stands before the others
                if not at.added and first.get(key, <size_t> at.next) == <size_t> at.next:
                    first[key] = node
            else:
                after[node] = end
                at.node = NULL
        return 0

    cdef dict kept_after(self, set alive):
        """Return, for each node that stayed in the tree and is no longer at its place, the next one that is, or 0."""
        cdef dict after = {}
        cdef size_t following = 0
        cdef xmlNode* node
        cdef list nodes = []
        cdef xmlNode* parent = NULL
        for index in range(self.link_count):
            node = self.linked[index]
            if parent == NULL:
                parent = node
            elif node != NULL:
                nodes.append(<size_t> node)
            else:
                following = 0
                while nodes and parent != self.above:
                    node = <xmlNode*> <size_t> nodes.pop()
                    if <size_t> node in alive and node.parent == parent:
                        following = <size_t> node
                    else:
                        after[<size_t> node] = following
                nodes.clear()
                parent = NULL
        return after

    def drop(self, list elements not None):
        """See the twin in `scrapy_tps.engine.journal`."""
        cdef int32_t index, known = self.size
        cdef Move* at
        cdef _Element element
        cdef xmlNode* node
        cdef size_t parent, before
        cdef set gone = set()
        cdef set gaps = set()  # the parent of a dropped node, and the sibling before it and its texts
        cdef dict places = {}  # of the removed texts among the moves
        assert self.joined
        for element in elements:
            gone.add(<size_t> element._c_node)
        for index in range(self.size):
            at = &self.moves[index]
            node = at.parent if at.added else at.node
            while node != NULL and <size_t> node not in gone:
                node = node.parent
            if node != NULL:
                if at.added and at.node.doc == self.above.doc:
                    self.put_away(at.node)
                elif at.added:
                    link(at)
                at.node = NULL
            elif at.added:
                while at.next != NULL and (<size_t> at.next in gone or is_text(at.next)):
                    at.next = at.next.next
            elif is_text(at.node):
                places[<size_t> at.node] = index
        for element in elements:
            node = element._c_node
            if node.parent != NULL and node.parent.doc == self.above.doc:
                gaps.add((<size_t> node.parent, <size_t> element_before(node)))
            unlink(node)  # lxml would join the texts around it, and free one
        for parent, before in gaps:
            self.join_gap(<xmlNode*> parent, <xmlNode*> before, places)
        self.forget_moves(known)
        self.list_losers()
        self.touched = None

    cdef int forget_moves(self, int32_t known) except -1:
        """Forget the moves without node; those from `known` on then refer to siblings that stay."""
        cdef int32_t index, kept = 0
        cdef Move* at
        cdef set taken = {<size_t> self.moves[index].node for index in range(self.size)}
        for index in range(self.size):
            at = &self.moves[index]
            while index >= known and at.next != NULL and <size_t> at.next in taken:
                at.next = at.next.next
            if at.node != NULL:
                self.moves[kept] = at[0]
                kept += 1
        self.size = kept
        return 0

    cdef int join_gap(self, xmlNode* parent, xmlNode* before, dict places) except -1:
        """Make the texts in a gap one: if some of them are removed, one that is removed, and one in its place.

        Replaced nodes stay in the bin.
        """
        cdef xmlNode* start = parent.children if before == NULL else before.next
        cdef xmlNode* stop = start
        cdef xmlNode* node
        cdef xmlNode* following
        cdef Move* at
        cdef int32_t count = 0, index
        cdef str whole = "", left = ""
        while stop != NULL and is_text(stop):
            count += 1
            stop = stop.next
        if count < 2:
            return 0
        node = start
        while node != stop:
            whole += text_of(node)
            index = places.get(<size_t> node, -1)
            if index < 0:
                left += text_of(node)
            else:
                self.moves[index].node = NULL
                at = &self.moves[index + 1]
                if index + 1 < self.size and at.added and at.parent == parent and at.next == stop:
                    left += text_of(at.node)
                    self.put_away(at.node)
                    at.node = NULL
            following = node.next
            self.put_away(node)
            node = following
        node = self.put_text(whole, parent, stop)
        if whole != left:
            self.log(node, -1)
            if left:
                node = self.put_text(left, parent, stop)
                self.log(node, -1)
                self.moves[self.size - 1].added = True
                unlink(node)
        return 0

    cdef xmlNode* put_text(self, str text, xmlNode* parent, xmlNode* following) except NULL:
        """Put a new text before a node, or at the end of the parent, and return its node."""
        cdef _Element carrier = carrier_of(text)
        cdef Move at
        self.bin.append(carrier)
        at.node, at.parent, at.next = carrier._c_node.next, parent, following
        link(&at)
        return at.node

    def touches(self, _Element element not None):
        """Whether an element lost something, or holds an element that did."""
        cdef xmlNode* node
        if self.touched is None:
            self.touched = set()
            for index in range(self.size):
                node = self.moves[index].parent
                while node != NULL and node.type == tree.XML_ELEMENT_NODE and <size_t> node not in self.touched:
                    self.touched.add(<size_t> node)
                    node = node.parent
        return <size_t> element._c_node in self.touched

    def has(self, needs, int where):
        """Whether an element may meet the needs: a removed one, one for which `touches` is true, or one that stays.

        True if that is unknown.
        """
        cdef Needs some
        cdef xmlNode* top = self.above
        cdef xmlNode* node
        cdef xmlNode* before = NULL  # it, its parent and all above have been read
        cdef bint composed = False
        if not set_needs(&some, needs):
            return True
        if where == TOUCHED:
            for index in range(self.loser_count):
                node = self.losers[index]
                while node != NULL and node.type == tree.XML_ELEMENT_NODE:
                    if node == before or (before != NULL and node == before.parent):
                        break
                    if has_needed(node, &some, &composed):
                        return True
                    node = node.parent
                before = self.losers[index]
            return composed
        if where == KEPT:
            top = self.body._c_node.parent
            top = NULL if top == NULL else top.parent
            if top == NULL or (top.type != tree.XML_DOCUMENT_NODE and top.type != tree.XML_HTML_DOCUMENT_NODE):
                return True  # somebody has moved the page elsewhere
        node = next_below(top, top)
        while node != NULL:
            if node.type == tree.XML_ELEMENT_NODE and has_needed(node, &some, &composed):
                return True
            node = next_below(node, top)
        return composed

    def part_of(self, _Element element not None):
        """Return the removed part that holds an element; None if it stayed. Call it while all is out."""
        cdef xmlNode* node = element._c_node
        while node != NULL and node.parent != self.above:
            node = node.parent
        return None if node == NULL else cetree.elementFactory(self.bin._doc, node)

    def place_of(self, _Element part not None):
        """Return the place of a part in the sequence; -1 if it has none."""
        for index in range(self.size):
            if self.moves[index].node == part._c_node:
                return self.moves[index].place
        return -1

    cdef int remember(self) except -1:
        """Remember the children of the bin, and of elements that lost something."""
        cdef xmlNode* node
        self.link_count = 0
        for index in range(-1, self.loser_count):
            node = self.above if index < 0 else self.losers[index]
            self.add_link(node)
            node = node.children
            while node != NULL:
                self.add_link(node)
                node = node.next
            self.add_link(NULL)
        return 0

    cdef int add_link(self, xmlNode* node) except -1 nogil:
        if self.link_count == self.link_room:
            self.link_room = max(128, 2 * self.link_room)
            grow(<void**> &self.linked, self.link_room, sizeof(xmlNode*))
        self.linked[self.link_count] = node
        self.link_count += 1
        return 0

    cdef bint is_changed(self) noexcept nogil:
        """Whether children are others than those remembered."""
        cdef int32_t index, count = 0
        cdef xmlNode* node
        if self.link_count == 0:
            return True
        for index in range(-1, self.loser_count):
            node = (self.above if index < 0 else self.losers[index]).children
            count += 1
            while node != NULL and node == self.linked[count]:
                node = node.next
                count += 1
            if node != self.linked[count]:
                return True
            count += 1
        return False

    cdef int write_blank(self, xmlNode* node, bint tail) except -1 with gil:
        """Replace the text in an element, or the one after it, by a blank."""
        self.move_texts(node.next if tail else node.children)
        if tail:
            cetree.setTailText(node, " ")
        else:
            cetree.setNodeText(node, " ")
        self.log(node.next if tail else node.children, -1)
        self.moves[self.size - 1].added = True
        return 0

    cdef int move(self, xmlNode* node, int32_t place) except -1 nogil:
        """Take a node out."""
        self.log(node, place)
        self.put_away(node)
        return 0

    cdef int log(self, xmlNode* node, int32_t place) except -1 nogil:
        cdef Move* at
        if self.size == self.room:
            self.room = max(128, 2 * self.room)
            grow(<void**> &self.moves, self.room, sizeof(Move))
        at = &self.moves[self.size]
        at.node, at.parent, at.next = node, node.parent, node.next
        at.place, at.added, at.skipped = place, False, False
        self.size += 1
        return 0

    cdef void put_away(self, xmlNode* node) noexcept nogil:
        cdef xmlNode* above = self.above
        unlink(node)
        node.parent = above
        node.prev = above.last
        if above.last == NULL:
            above.children = node
        else:
            above.last.next = node
        above.last = node

    cdef int move_texts(self, xmlNode* node) except -1 nogil:
        """Take out the adjacent text nodes from here on."""
        cdef xmlNode* following
        while node != NULL:
            following = node.next
            if is_text(node):
                self.move(node, -1)
            elif node.type != tree.XML_XINCLUDE_START and node.type != tree.XML_XINCLUDE_END:
                return 0
            node = following
        return 0


cdef bint set_needs(Needs* some, needs) except -1:
    """Whether there is room for the needs; the texts live as long as `needs`."""
    cdef tuple tags, tests
    cdef bytes tag, attribute, value
    cdef int how
    tags, tests = needs
    some.tag_count = some.test_count = 0
    if len(tags) > MOST_NEEDS or len(tests) > MOST_NEEDS:
        return False
    for tag in tags:
        some.tags[some.tag_count] = tag
        some.tag_count += 1
    for attribute, value, how in tests:
        some.attributes[some.test_count], some.values[some.test_count] = attribute, value
        some.hows[some.test_count] = how
        some.test_count += 1
    return True


cdef bint has_needed(xmlNode* node, const Needs* some, bint* composed) noexcept nogil:
    """Whether an element meets the needs; `composed` is set if that is unknown for an element."""
    cdef const char* value
    cdef xmlAttr* one
    cdef bint found = some.tag_count == 0
    for number in range(some.tag_count):
        if node.name[0] == some.tags[number][0] and strcmp(<const char*> node.name, some.tags[number]) == 0:
            found = True
            break
    if not found:
        return False
    for number in range(some.test_count):
        one = attribute(node, some.attributes[number])
        if one == NULL:
            return False
        how = some.hows[number]
        value = value_of(one, composed)
        if how == EQUAL and strcmp(value, some.values[number]) != 0:
            return False
        if how == WORD and not has_word(value, some.values[number], BLANKS):
            return False
        if how == PART and strstr(value, some.values[number]) == NULL:
            return False
    return True


cdef inline xmlNode* next_below(xmlNode* node, xmlNode* top) noexcept nogil:
    """The next node in document order, as far as it is below `top`; else NULL."""
    if node.children != NULL and (node.type == tree.XML_ELEMENT_NODE or node == top):
        return node.children
    while node != top:
        if node.next != NULL:
            return node.next
        node = node.parent
    return NULL


cdef inline void link(const Move* at) noexcept nogil:
    """Put a node back to its place."""
    cdef xmlNode* node = at.node
    cdef xmlNode* parent = at.parent
    cdef xmlNode* following = at.next
    unlink(node)
    node.parent = parent
    node.next = following
    if following != NULL:
        node.prev = following.prev
        following.prev = node
    else:
        node.prev = parent.last
        parent.last = node
    if node.prev != NULL:
        node.prev.next = node
    else:
        parent.children = node


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


cdef inline xmlNode* element_before(xmlNode* node) noexcept nogil:
    node = node.prev
    while node != NULL and not is_element(node):
        node = node.prev
    return node


cdef str text_of(xmlNode* node):
    return "" if node.content == NULL else (<bytes> <const char*> node.content).decode("utf-8", "surrogatepass")


cdef inline bint is_code(xmlNode* node) noexcept nogil:
    return node.type == tree.XML_ELEMENT_NODE and (
        strcmp(<const char*> node.name, b"script") == 0 or strcmp(<const char*> node.name, b"style") == 0
    )


def cut(Walk walk not None, mask, kept_scripts, bint keep_data):
    """Take the removed nodes out of the tree and close the walk.

    :return: the moves; call `Moves.close` after the last one.
    """
    cdef const uint8_t* stays = mask_bytes(mask, walk.size)
    cdef _Element element
    cdef Moves moves
    cdef set kept = set()  # addresses of scripts
    walk.check_open()
    moves = Moves(walk.body)
    for element in kept_scripts:
        kept.add(<size_t> element._c_node)
    for number in range(walk.script_count if keep_data else 0):
        if holds_data(&walk.scripts[number]):
            kept.add(<size_t> walk.scripts[number].node)
    if walk.size < LARGE:
        take_out(walk, stays, kept, moves)
    else:
        with nogil:
            take_out(walk, stays, kept, moves)
    walk.close()
    return moves


cdef int take_out(Walk walk, const uint8_t* mask, set kept, Moves moves) except -1 nogil:
    cdef int32_t index = 0, next_removed = 0, size = walk.size
    while True:
        while next_removed < size and mask[next_removed]:
            next_removed += 1
        if index >= size or next_removed >= size:
            return 0
        if not mask[index]:
            index = walk.end[index]
            if next_removed < index:
                next_removed = index
        elif next_removed >= walk.end[index]:
            index = walk.end[index]
        else:
            cut_children(walk, mask, index, kept, moves)
            index += 1


cdef int cut_children(
    Walk walk, const uint8_t* mask, int32_t index, set kept, Moves moves
) except -1 nogil:
    cdef xmlNode* element = walk.nodes[index]
    cdef xmlNode* before = NULL
    cdef xmlNode* child
    cdef xmlNode* following
    cdef int32_t place = index + 1, stop = walk.end[index], own
    cdef bint blank = False, stays
    if place < stop and walk.kinds[place] == TEXT_OF:
        if not mask[place]:
            blank = space_at_an_end(element.children)
            if blank:
                moves.write_blank(element, False)
            else:
                moves.move_texts(element.children)
        place += 1
    child = element_from(element.children)
    while child != NULL:
        following = element_from(child.next)
        own = -1
        if place < stop and walk.kinds[place] == ELEMENT and walk.nodes[place] == child:
            own = place
            stays = mask[place] != 0
            place = walk.end[place]
        else:
            stays = not is_code(child) or is_kept(kept, child)
        if place < stop and walk.kinds[place] == TAIL_OF and walk.nodes[place] == child:
            if mask[place]:
                blank = False
            elif not blank and space_at_an_end(child.next):
                moves.write_blank(child, True)
                blank = True
            else:
                moves.move_texts(child.next)
            before = NULL
            place += 1
        elif stays:
            blank = False
            before = child
        elif has_text(child.next):
            if blank or (before != NULL and has_text(before.next)):
                moves.move_texts(child.next)
            blank = True
            before = NULL
        if not stays:
            moves.move(child, own)
        child = following
    return 0


cdef bint is_kept(set kept, xmlNode* node) except -1 with gil:
    return <size_t> node in kept


def cut_head(_Element head not None, Moves moves not None, bint keep_head, bint keep_data, is_resource, kept):
    """Take the parts that spiders don't read out of a head; see `cutting.cut`.

    :param moves: the moves of the cut of the body.
    :param is_resource: called with the ``rel`` of a ``link``.
    :param kept: elements that always stay.
    """
    cdef xmlNode* child = element_from(head._c_node.children)
    cdef xmlNode* following
    cdef _Element element
    cdef dict resources = {}  # a cache: pages repeat few kinds of links
    named = {<size_t> element._c_node for element in kept}
    while child != NULL:
        following = element_from(child.next)
        if not stays_in_head(child, keep_head, keep_data, is_resource, resources) and <size_t> child not in named:
            moves.move_texts(child.next)
            moves.move(child, -1)
        child = following


cdef bint stays_in_head(xmlNode* child, bint keep_head, bint keep_data, is_resource, dict resources) except -1:
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
        if one == NULL:
            return True
        rel = cetree.attributeValue(child, one)
        if rel not in resources:
            resources[rel] = is_resource(rel)
        return not resources[rel]
    return not (strcmp(tag, b"style") == 0 or strcmp(tag, b"noscript") == 0 or strcmp(tag, b"template") == 0)
