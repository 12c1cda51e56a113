# cython: language_level=3
"""A tree as bytes: the native twin of the writer in ``scrapy_tps.engine.html.serializer``."""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcpy, memset, strchr, strcmp, strlen

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlDtd, xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION, grow
from scrapy_tps.engine._native.scan cimport after_ascii, first_of
from scrapy_tps.engine._native.texts cimport Entry, Table, Text, lower, value_of

cdef extern from "strings.h" nogil:
    int strcasecmp(const char* left, const char* right)

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef enum:
    USUAL_ROOM = 1 << 16

cdef enum:
    WRITTEN = 0
    UNKNOWN = 1  # a tree that no HTML parser makes

cdef Table MARKS = Table({})


def set_rules(tuple names not None):
    """Set the names of each of the kinds of names below, in their order."""
    global MARKS
    cdef dict marks = {}
    for kind, some in enumerate(names):
        for name in some:
            marks[name] = (marks.get(name, (0,))[0] | 1 << kind, 0, 0)
    MARKS = Table(marks)


cdef struct Buffer:
    char* start
    size_t size, room


cdef inline int reserve(Buffer* out, size_t more) except -1 nogil:
    return WRITTEN if out.size + more <= out.room else make_room(out, more)


cdef int make_room(Buffer* out, size_t more) except -1 nogil:
    out.room = 2 * (out.size + more)
    grow(<void**> &out.start, out.room, 1)
    return WRITTEN


cdef inline void add(Buffer* out, const char* text, size_t length) noexcept nogil:
    """Write as much as there is room for."""
    memcpy(out.start + out.size, text, length)
    out.size += length


cdef inline int put(Buffer* out, const char* text, size_t length) except -1 nogil:
    reserve(out, length)
    add(out, text, length)
    return WRITTEN


cdef inline int put_text(Buffer* out, const char* text) except -1 nogil:
    return put(out, text, strlen(text))


cdef int put_escaped(Buffer* out, const char* text, size_t length, bint quotes) except -1 nogil:
    """Write a text with ``&``, ``<``, ``>``, carriage returns, and optionally quotes, as references."""
    cdef const char* stop = text + length
    cdef const char* found
    cdef char fifth = c'"' if quotes else c"&"
    while True:
        found = first_of(text, stop, c"&", c"<", c">", c"\r", fifth)
        put(out, text, found - text)
        if found == stop:
            return WRITTEN
        put_text(out, reference(found[0]))
        text = found + 1


cdef inline const char* reference(char character) noexcept nogil:
    if character == c"&":
        return b"&amp;"
    if character == c"<":
        return b"&lt;"
    if character == c"\r":
        return b"&#13;"
    return b"&gt;" if character == c">" else b"&quot;"


# --- names ------------------------------------------------------------------------------------------------

cdef enum:
    # of elements: written without end tag, content not escaped
    VOID = 1
    RAW = 2
    # of attributes: written without value if that is the name
    BOOLEAN = 4
    NAMES = 256


cdef struct Name:
    const char* text
    size_t length
    int marks


cdef struct Names:
    # by memory address: the parser stores each name of a page once, one after the other
    Name slots[NAMES]


cdef inline Name* name_of(Names* names, const char* text) noexcept nogil:
    cdef Name* name = &names.slots[(<size_t> text ^ <size_t> text >> 8) & (NAMES - 1)]
    cdef Entry* known
    if name.text != text:
        name.text = text
        name.length = strlen(text)
        known = MARKS.find(<Text> text, name.length, False)
        name.marks = 0 if known == NULL else known.cue
    return name


cdef int put_attribute(Buffer* out, Names* names, xmlAttr* one) except -1 nogil:
    cdef Name* name = name_of(names, <const char*> one.name)
    cdef bint composed = False
    cdef const char* value = value_of(one, &composed)
    cdef const char* stop = value + strlen(value)
    cdef char quote = c'"'
    if one.ns != NULL or composed:
        return UNKNOWN
    reserve(out, name.length + (stop - value) + 4)
    add(out, b" ", 1)
    add(out, name.text, name.length)
    if name.marks & BOOLEAN and strcmp(value, name.text) == 0:
        return WRITTEN
    if first_of(value, stop, c'"', c"&", c"<", c">", c"\r") == stop:
        add(out, b'="', 2)
        add(out, value, stop - value)
        add(out, b'"', 1)
        return WRITTEN
    if strchr(value, c'"') != NULL and strchr(value, c"'") == NULL:
        quote = c"'"
    put(out, b"=", 1)
    put(out, &quote, 1)
    put_escaped(out, value, stop - value, quote == c'"')
    return put(out, &quote, 1)


cdef int put_start(Buffer* out, Names* names, xmlNode* element) except -1 nogil:
    """Write a start tag, and the end tag if there is nothing in between."""
    cdef Name name = name_of(names, <const char*> element.name)[0]  # an attribute may take its slot
    cdef xmlAttr* one = element.properties
    if element.ns != NULL or element.nsDef != NULL:
        return UNKNOWN
    reserve(out, name.length + 1)
    add(out, b"<", 1)
    add(out, name.text, name.length)
    while one != NULL:
        result = put_attribute(out, names, one)
        if result != WRITTEN:
            return result
        one = one.next
    put(out, b">", 1)
    return WRITTEN if element.children != NULL else put_end(out, &name)


cdef inline int put_end(Buffer* out, const Name* name) except -1 nogil:
    if name.marks & VOID:
        return WRITTEN
    reserve(out, name.length + 3)
    add(out, b"</", 2)
    add(out, name.text, name.length)
    add(out, b">", 1)
    return WRITTEN


cdef int put_comment(Buffer* out, xmlNode* node) except -1 nogil:
    put(out, b"<!--", 4)
    if node.content != NULL:
        put_text(out, <const char*> node.content)
    return put(out, b"-->", 3)


cdef int put_element(Buffer* out, xmlNode* root) except -1 nogil:
    """Write an element with its content."""
    cdef xmlNode* node = root
    cdef const char* content
    cdef Names names
    memset(&names, 0, sizeof(Names))
    while True:
        if node.type == tree.XML_ELEMENT_NODE:
            result = put_start(out, &names, node)
            if result != WRITTEN:
                return result
            if node.children != NULL:
                node = node.children
                continue
        elif node.type == tree.XML_TEXT_NODE:
            content = <const char*> node.content
            if content != NULL:
                if name_of(&names, <const char*> node.parent.name).marks & RAW:
                    put_text(out, content)
                else:
                    put_escaped(out, content, strlen(content), False)
        elif node.type == tree.XML_COMMENT_NODE:
            put_comment(out, node)
        else:
            return UNKNOWN
        while node.next == NULL or node == root:
            if node == root:
                return WRITTEN
            node = node.parent
            put_end(out, name_of(&names, <const char*> node.name))
        node = node.next


cdef int put_doctype(Buffer* out, xmlDtd* dtd, const char* root) except -1 nogil:
    cdef const char* public = <const char*> dtd.ExternalID
    cdef const char* system = <const char*> dtd.SystemID
    cdef const char* quote
    cdef bint named
    if dtd.name == NULL or strcasecmp(root, <const char*> dtd.name) != 0:
        return WRITTEN
    put(out, b"<!DOCTYPE ", 10)
    put_text(out, <const char*> dtd.name)
    named = system != NULL and system[0]
    if public != NULL and public[0]:
        put(out, b' PUBLIC "', 9)
        put_text(out, public)
        put_text(out, b'" ' if named else b'"')
    elif named:
        put(out, b" SYSTEM ", 8)
    if named:
        quote = b"'" if strchr(system, c'"') != NULL else b'"'
        put(out, quote, 1)
        put_text(out, system)
        put(out, quote, 1)
    return put(out, b">\n", 2)


cdef int put_document(Buffer* out, xmlNode* root) except -1 nogil:
    cdef xmlNode* node = (<xmlNode*> root.doc).children
    cdef int result = WRITTEN
    if root.doc.intSubset != NULL:
        put_doctype(out, root.doc.intSubset, <const char*> root.name)
    while node != NULL and result == WRITTEN:
        if node == root:
            result = put_element(out, root)
        elif node.type == tree.XML_COMMENT_NODE:
            put_comment(out, node)
        elif node.type != tree.XML_DTD_NODE:
            result = UNKNOWN
        node = node.next
    return result


def write(_Element element not None):
    """Return the document of an element as HTML in UTF-8; None if no HTML parser makes such a tree."""
    cdef Buffer out
    cdef xmlNode* top = element._c_node
    cdef xmlNode* root = (<xmlNode*> top.doc).children
    while top.parent != NULL and top.parent != <xmlNode*> top.doc:
        top = top.parent
    while root != NULL and root.type != tree.XML_ELEMENT_NODE:
        root = root.next
    if root != top or root == NULL:
        return None
    memset(&out, 0, sizeof(Buffer))
    try:
        with nogil:
            make_room(&out, USUAL_ROOM)
            result = put_document(&out, root)
        return out.start[: out.size] if result == WRITTEN else None
    finally:
        free(out.start)


def may_name_base(bytes page not None, Py_ssize_t characters):
    """Whether there may be a ``<base>`` in the first characters of a page in UTF-8."""
    cdef const char* at = PyBytes_AS_STRING(page)
    cdef const char* stop
    characters = max(characters, 0)
    stop = at + min(len(page), characters)
    if after_ascii(<const uint8_t*> at, <const uint8_t*> stop) != <const uint8_t*> stop:
        stop = at + min(len(page), 4 * characters)
    while True:
        at = <const char*> memchr(at, c"<", stop - at)
        if at == NULL or stop - at < 3:
            return False
        if lower(at[1]) == c"b" and lower(at[2]) == c"a":
            return True
        at += 1
