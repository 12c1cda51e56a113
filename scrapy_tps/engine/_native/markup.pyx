# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""A tree as bytes: ``scrapy_tps.engine.html.serializer`` documents it, and writes trees that no HTML parser makes."""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcpy, memset, strchr, strcmp, strlen

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlDtd, xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.scan cimport after_ascii, first_of
from scrapy_tps.engine._native.texts cimport lower

import_lxml__etree()

#: The revision of the core that this module was compiled for; see `scrapy_tps.engine.core`.
REVISION = CORE_REVISION

cdef extern from "Python.h":
    # Cython's own declarations that accept NULL
    PyObject* new_bytes "PyBytes_FromStringAndSize"(const char* text, Py_ssize_t size)
    int _PyBytes_Resize(PyObject** page, Py_ssize_t size) except -1
    void Py_XDECREF(PyObject* one)

cdef enum:
    LEAST_ROOM = 1 << 12
    USUAL_ROOM = 1 << 16

cdef enum:
    WRITTEN = 0
    UNKNOWN = 1  # a tree that no HTML parser makes
    NO_MEMORY = -1

cdef enum:
    MOST_RAW = 16

cdef list raw_tags = []  # owners of the strings that the pointers point to
cdef const char* RAW_TAGS[MOST_RAW]
cdef int RAW_COUNT = 0


def set_raw_tags(list tags not None):
    """Set the elements whose text the parser does not interpret: up to 16 names as bytes."""
    global raw_tags, RAW_COUNT
    cdef int number
    if len(tags) > MOST_RAW:
        raise ValueError("up to 16 names")
    raw_tags = [bytes(tag) for tag in tags]
    RAW_COUNT = len(raw_tags)
    for number in range(RAW_COUNT):
        RAW_TAGS[number] = <const char*> <bytes> raw_tags[number]


cdef inline bint is_raw(const char* tag) noexcept nogil:
    cdef int number
    for number in range(RAW_COUNT):
        if strcmp(tag, RAW_TAGS[number]) == 0:
            return True
    return False


cdef struct Buffer:
    char* start
    size_t size, room
    bint grown  # beyond its initial bytes


cdef inline int reserve(Buffer* out, size_t more) noexcept nogil:
    return WRITTEN if out.size + more <= out.room else make_room(out, more)


cdef int make_room(Buffer* out, size_t more) noexcept nogil:
    cdef size_t room = 2 * (out.size + more)
    cdef char* larger = <char*> realloc(out.start if out.grown else NULL, room)
    if larger == NULL:
        return NO_MEMORY
    if not out.grown:
        memcpy(larger, out.start, out.size)
    out.start = larger
    out.room = room
    out.grown = True
    return WRITTEN


cdef inline void add(Buffer* out, const char* text, size_t length) noexcept nogil:
    """Write as much as there is room for."""
    memcpy(out.start + out.size, text, length)
    out.size += length


cdef inline int put(Buffer* out, const char* text, size_t length) noexcept nogil:
    if reserve(out, length):
        return NO_MEMORY
    add(out, text, length)
    return WRITTEN


cdef inline int put_text(Buffer* out, const char* text) noexcept nogil:
    return put(out, text, strlen(text))


cdef int put_escaped(Buffer* out, const char* text, size_t length, bint quotes) noexcept nogil:
    """Write a text with ``&``, ``<``, ``>``, carriage returns, and optionally quotes, as references."""
    cdef const char* stop = text + length
    cdef const char* found
    cdef char fifth = c'"' if quotes else c"&"
    while True:
        found = first_of(text, stop, c"&", c"<", c">", c"\r", fifth)
        if put(out, text, found - text):
            return NO_MEMORY
        if found == stop:
            return WRITTEN
        if put_text(out, reference(found[0])):
            return NO_MEMORY
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
    # of elements: written without end tag, content not escaped; of attributes: without value if that is the name
    VOID = 1
    RAW = 2
    BOOLEAN = 4
    NAMES = 256
    SHORT = 16


cdef struct Name:
    const char* text
    size_t length
    int marks
    char padded[SHORT]  # a short name, followed by anything: copied as a block


cdef struct Names:
    # by memory address: the parser stores each name of a page once, one after the other
    Name slots[NAMES]


cdef inline Name* name_of(Names* names, const char* text) noexcept nogil:
    cdef Name* name = &names.slots[(<size_t> text ^ <size_t> text >> 8) & (NAMES - 1)]
    if name.text != text:
        name.text = text
        name.length = strlen(text)
        if name.length <= SHORT:
            memcpy(name.padded, text, name.length)
        name.marks = VOID * is_void(text) | RAW * is_raw(text) | BOOLEAN * is_boolean(text)
    return name


cdef inline void add_name(Buffer* out, const Name* name) noexcept nogil:
    """Write a name; there must be room for its length and a block."""
    if name.length <= SHORT:
        memcpy(out.start + out.size, name.padded, SHORT)
        out.size += name.length
    else:
        add(out, name.text, name.length)


cdef bint is_void(const char* tag) noexcept nogil:
    """Whether an element has no content, and no end tag."""
    cdef char first = tag[0]
    if first == c"b":
        return strcmp(tag, b"br") == 0 or strcmp(tag, b"base") == 0 or strcmp(tag, b"basefont") == 0
    if first == c"i":
        return strcmp(tag, b"img") == 0 or strcmp(tag, b"input") == 0 or strcmp(tag, b"isindex") == 0
    if first == c"l":
        return strcmp(tag, b"link") == 0
    if first == c"m":
        return strcmp(tag, b"meta") == 0
    if first == c"h":
        return strcmp(tag, b"hr") == 0
    if first == c"a":
        return strcmp(tag, b"area") == 0
    if first == c"c":
        return strcmp(tag, b"col") == 0
    if first == c"p":
        return strcmp(tag, b"param") == 0
    return first == c"f" and strcmp(tag, b"frame") == 0


cdef bint is_boolean(const char* name) noexcept nogil:
    """Whether libxml2 reads an attribute without value as if its value were its name (htmlIsBooleanAttr)."""
    cdef char first = name[0]
    if first == c"c":
        return strcmp(name, b"checked") == 0 or strcmp(name, b"compact") == 0
    if first == c"d":
        return strcmp(name, b"disabled") == 0 or strcmp(name, b"declare") == 0 or strcmp(name, b"defer") == 0
    if first == c"i":
        return strcmp(name, b"ismap") == 0
    if first == c"m":
        return strcmp(name, b"multiple") == 0
    if first == c"n":
        return (
            strcmp(name, b"nohref") == 0
            or strcmp(name, b"noresize") == 0
            or strcmp(name, b"noshade") == 0
            or strcmp(name, b"nowrap") == 0
        )
    if first == c"r":
        return strcmp(name, b"readonly") == 0
    return first == c"s" and strcmp(name, b"selected") == 0


cdef int put_attribute(Buffer* out, Names* names, xmlAttr* one) noexcept nogil:
    cdef const char* value = b""
    cdef const char* stop
    cdef char quote = c'"'
    cdef Name* name = name_of(names, <const char*> one.name)
    if one.ns != NULL:
        return UNKNOWN
    if reserve(out, name.length + SHORT + 1):
        return NO_MEMORY
    add(out, b" ", 1)
    add_name(out, name)
    if one.children != NULL:
        if one.children.next != NULL or one.children.type != tree.XML_TEXT_NODE:
            return UNKNOWN
        if one.children.content != NULL:
            value = <const char*> one.children.content
    if name.marks & BOOLEAN and strcmp(value, name.text) == 0:
        return WRITTEN
    stop = value + strlen(value)
    if first_of(value, stop, c'"', c"&", c"<", c">", c"\r") == stop:
        if reserve(out, stop - value + 3):
            return NO_MEMORY
        add(out, b'="', 2)
        add(out, value, stop - value)
        add(out, b'"', 1)
        return WRITTEN
    if strchr(value, c'"') != NULL and strchr(value, c"'") == NULL:
        quote = c"'"
    if put(out, b"=", 1) or put(out, &quote, 1) or put_escaped(out, value, stop - value, quote == c'"'):
        return NO_MEMORY
    return put(out, &quote, 1)


cdef int put_start(Buffer* out, Names* names, xmlNode* element) noexcept nogil:
    """Write a start tag, and the end tag if there is nothing in between."""
    cdef Name* name = name_of(names, <const char*> element.name)
    cdef const char* tag = name.text
    cdef size_t length = name.length
    cdef int marks = name.marks, result
    cdef xmlAttr* one = element.properties
    if element.ns != NULL or element.nsDef != NULL:
        return UNKNOWN
    if reserve(out, length + SHORT + 1):
        return NO_MEMORY
    add(out, b"<", 1)
    add_name(out, name)
    while one != NULL:
        result = put_attribute(out, names, one)
        if result != WRITTEN:
            return result
        one = one.next
    if put(out, b">", 1):
        return NO_MEMORY
    if element.children != NULL:
        return UNKNOWN if marks & VOID else WRITTEN
    return WRITTEN if marks & VOID else put_end(out, tag, length)


cdef inline int put_end(Buffer* out, const char* tag, size_t length) noexcept nogil:
    if reserve(out, length + 3):
        return NO_MEMORY
    add(out, b"</", 2)
    add(out, tag, length)
    add(out, b">", 1)
    return WRITTEN


cdef int put_comment(Buffer* out, xmlNode* node) noexcept nogil:
    if put(out, b"<!--", 4) or (node.content != NULL and put_text(out, <const char*> node.content)):
        return NO_MEMORY
    return put(out, b"-->", 3)


cdef int put_element(Buffer* out, xmlNode* root) noexcept nogil:
    """Write an element with its content."""
    cdef xmlNode* node = root
    cdef const char* content
    cdef Name* name
    cdef Names names
    cdef int result
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
                    result = put_text(out, content)
                else:
                    result = put_escaped(out, content, strlen(content), False)
                if result:
                    return NO_MEMORY
        elif node.type == tree.XML_COMMENT_NODE:
            if put_comment(out, node):
                return NO_MEMORY
        else:
            return UNKNOWN
        while node.next == NULL or node == root:
            if node == root:
                return WRITTEN
            node = node.parent
            name = name_of(&names, <const char*> node.name)
            if put_end(out, name.text, name.length):
                return NO_MEMORY
        node = node.next


cdef int put_doctype(Buffer* out, xmlDtd* dtd, const char* root) noexcept nogil:
    """Write the document type with the name of the root element, as lxml's `docinfo` does."""
    cdef const char* public = <const char*> dtd.ExternalID
    cdef const char* system = <const char*> dtd.SystemID
    cdef const char* quote
    if put(out, b"<!DOCTYPE ", 10) or put_text(out, root):
        return NO_MEMORY
    if public != NULL and public[0]:
        if put(out, b' PUBLIC "', 9) or put_text(out, public) or put(out, b'"', 1):
            return NO_MEMORY
        if system != NULL and system[0] and put(out, b" ", 1):
            return NO_MEMORY
    elif system != NULL and system[0] and put(out, b" SYSTEM ", 8):
        return NO_MEMORY
    if system != NULL and system[0]:
        quote = b"'" if strchr(system, c'"') != NULL else b'"'
        if put(out, quote, 1) or put_text(out, system) or put(out, quote, 1):
            return NO_MEMORY
    return put(out, b">\n", 2)


cdef int put_others(Buffer* out, xmlNode* node) noexcept nogil:
    """Write the comments among the children of the document from a node on, up to an element."""
    while node != NULL and node.type != tree.XML_ELEMENT_NODE:
        if node.type == tree.XML_PI_NODE:
            return UNKNOWN
        if node.type == tree.XML_COMMENT_NODE and put_comment(out, node):
            return NO_MEMORY
        node = node.next
    return WRITTEN


cdef int put_document(Buffer* out, xmlNode* root) noexcept nogil:
    cdef xmlDtd* dtd = root.doc.intSubset
    cdef int result = WRITTEN
    if dtd != NULL:
        result = put_doctype(out, dtd, <const char*> root.name)
    if result == WRITTEN:
        result = put_others(out, root.doc.children)
    if result == WRITTEN:
        result = put_element(out, root)
    return put_others(out, root.next) if result == WRITTEN else result


def write(_Element element not None, Py_ssize_t room=0):
    """Return the document of an element as HTML in UTF-8; None if no HTML parser makes such a tree.

    :param room: an estimate of the size in bytes that is rarely exceeded; 0 if unknown: the bytes then grow in place.
    """
    cdef Buffer out
    cdef PyObject* page
    cdef int result
    cdef xmlNode* top = element._c_node
    cdef xmlNode* root = (<xmlNode*> top.doc).children
    while top.parent != NULL and top.parent != <xmlNode*> top.doc:
        top = top.parent
    while root != NULL and root.type != tree.XML_ELEMENT_NODE:
        root = root.next
    if root != top or root == NULL:
        return None
    out.size = 0
    out.room = max(room, LEAST_ROOM) if room > 0 else USUAL_ROOM
    out.grown = False
    page = new_bytes(NULL, out.room)
    if page == NULL:
        raise MemoryError
    out.start = PyBytes_AS_STRING(<object> page)
    with nogil:
        result = put_document(&out, root)
    try:
        if result == NO_MEMORY:
            raise MemoryError
        if result != WRITTEN:
            return None
        if out.grown:
            return out.start[: out.size]
        _PyBytes_Resize(&page, out.size)
        return <object> page
    finally:
        Py_XDECREF(page)
        if out.grown:
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
