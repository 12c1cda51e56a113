# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Pages as bytes: whether they are UTF-8, and HTML as libxml2's writer (2.14) writes it for lxml.

What libxml2 writes differs between its versions: ``scrapy_tps.writing`` compares both at import and leaves this alone
where they differ.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, strchr, strcmp, strlen, strstr

from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlDtd, xmlNode

from scrapy_tps._core cimport CORE_REVISION, LXML_VERSION_STRING

cdef extern from "strings.h" nogil:
    int strcasecmp(const char* left, const char* right)

import_lxml__etree()

#: The lxml that this module was compiled against.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")

REVISION = CORE_REVISION

cdef enum:
    WRITTEN = 0
    UNKNOWN = 1  # what no HTML parser makes
    NO_MEMORY = -1

cdef enum:
    SAFE = 0
    ALTERED = 1
    UNSETTABLE = 2

cdef uint8_t SAFE_BYTES[256]


def set_safe_bytes(bytes safe not None):
    """Say which bytes libxml2 leaves as they are in addresses: 256 bytes, 1 for each that it does."""
    if len(safe) != 256:
        raise ValueError("a table of 256 bytes")
    memcpy(SAFE_BYTES, <const char*> safe, 256)


cdef struct Buffer:
    char* start
    size_t size, room


cdef inline int reserve(Buffer* out, size_t more) noexcept nogil:
    cdef char* larger
    if out.size + more <= out.room:
        return WRITTEN
    larger = <char*> realloc(out.start, 2 * (out.size + more))
    if larger == NULL:
        return NO_MEMORY
    out.start = larger
    out.room = 2 * (out.size + more)
    return WRITTEN


cdef inline int put(Buffer* out, const char* text, size_t length) noexcept nogil:
    if reserve(out, length):
        return NO_MEMORY
    memcpy(out.start + out.size, text, length)
    out.size += length
    return WRITTEN


cdef inline int put_text(Buffer* out, const char* text) noexcept nogil:
    return put(out, text, strlen(text))


cdef int put_escaped(Buffer* out, const char* text, bint quotes) noexcept nogil:
    """Write a text with ``&``, ``<`` and ``>``, and quotes where asked, as references."""
    cdef const char* start = text
    cdef const char* reference
    cdef char character
    while True:
        character = text[0]
        # most bytes of a text are letters, or parts of them
        while character > c">" or not (
            character == 0
            or character == c"&"
            or character == c"<"
            or character == c">"
            or (quotes and character == c'"')
        ):
            text += 1
            character = text[0]
        if put(out, start, text - start):
            return NO_MEMORY
        if character == c"&":
            reference = b"&amp;"
        elif character == c"<":
            reference = b"&lt;"
        elif character == c">":
            reference = b"&gt;"
        elif character == c'"':
            reference = b"&quot;"
        else:
            return WRITTEN
        if put_text(out, reference):
            return NO_MEMORY
        text += 1
        start = text


cdef bint is_void(const char* tag) noexcept nogil:
    """htmlTagLookup(tag)->empty: such elements are written without end tag."""
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
    """htmlIsBooleanAttr: such attributes are written without value."""
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


cdef bint is_address(const char* name, const char* tag) noexcept nogil:
    """Whether libxml2 escapes an attribute as an address; names of a parsed page are in lower case."""
    cdef char first = name[0]
    if first == c"h":
        return strcmp(name, b"href") == 0
    if first == c"s":
        return strcmp(name, b"src") == 0
    if first == c"a":
        return strcmp(name, b"action") == 0
    return first == c"n" and strcmp(name, b"name") == 0 and strcmp(tag, b"a") == 0


cdef int how_safe(const uint8_t* at) noexcept nogil:
    """Whether libxml2 would write an address as it is, and whether lxml could set its value."""
    cdef int safety = SAFE
    cdef uint8_t byte = at[0]
    while byte:
        if not SAFE_BYTES[byte]:
            safety = ALTERED
            if (byte < 32 and byte != 9 and byte != 10 and byte != 13) or (
                byte == 0xEF and at[1] == 0xBF and at[2] >= 0xBE
            ):
                return UNSETTABLE
        at += 1
        byte = at[0]
    return safety


cdef int put_attribute(Buffer* out, xmlAttr* one) noexcept nogil:
    cdef const char* name = <const char*> one.name
    cdef const char* value
    cdef const char* quote
    cdef int safety
    if one.ns != NULL:
        return UNKNOWN
    if put(out, b" ", 1) or put_text(out, name):
        return NO_MEMORY
    if one.children == NULL or is_boolean(name):
        return WRITTEN
    if one.children.next != NULL or one.children.type != tree.XML_TEXT_NODE:
        return UNKNOWN
    value = <const char*> one.children.content
    if value == NULL:
        value = b""
    if is_address(name, <const char*> one.parent.name):
        safety = how_safe(<const uint8_t*> value)
        if safety == UNSETTABLE:
            return UNKNOWN
        if safety == ALTERED:
            if put(out, b'="', 2) or put_escaped(out, value, True):
                return NO_MEMORY
            return put(out, b'"', 1)
    if strstr(value, b"&{") != NULL or strstr(value, b"<!--") != NULL:
        return UNKNOWN  # HTML 4's macros and server side includes are written as they are
    quote = b'"' if strchr(value, c'"') == NULL or strchr(value, c"'") != NULL else b"'"
    if put(out, b"=", 1) or put(out, quote, 1) or put_escaped(out, value, quote[0] == c'"'):
        return NO_MEMORY
    return put(out, quote, 1)


cdef int put_start(Buffer* out, xmlNode* element) noexcept nogil:
    """Write a start tag, and the end tag where there is nothing in between."""
    cdef const char* tag = <const char*> element.name
    cdef xmlAttr* one = element.properties
    cdef int result
    if element.ns != NULL or element.nsDef != NULL:
        return UNKNOWN
    if put(out, b"<", 1) or put_text(out, tag):
        return NO_MEMORY
    while one != NULL:
        result = put_attribute(out, one)
        if result != WRITTEN:
            return result
        one = one.next
    if put(out, b">", 1):
        return NO_MEMORY
    # an empty list item (its "saveEndTag") is written without end tag as well
    if element.children != NULL or is_void(tag) or strcmp(tag, b"li") == 0:
        return WRITTEN
    return put_end(out, tag)


cdef int put_end(Buffer* out, const char* tag) noexcept nogil:
    if put(out, b"</", 2) or put_text(out, tag):
        return NO_MEMORY
    return put(out, b">", 1)


cdef int put_comment(Buffer* out, xmlNode* node) noexcept nogil:
    if put(out, b"<!--", 4) or (node.content != NULL and put_text(out, <const char*> node.content)):
        return NO_MEMORY
    return put(out, b"-->", 3)


cdef int put_element(Buffer* out, xmlNode* root) noexcept nogil:
    """Write an element with all it holds."""
    cdef xmlNode* node = root
    cdef const char* above
    cdef int result
    while True:
        if node.type == tree.XML_ELEMENT_NODE:
            result = put_start(out, node)
            if result != WRITTEN:
                return result
            if node.children != NULL:
                if is_void(<const char*> node.name):
                    return UNKNOWN
                node = node.children
                continue
        elif node.type == tree.XML_TEXT_NODE:
            if node.content != NULL:
                above = <const char*> node.parent.name
                if above[0] == c"s" and (strcmp(above, b"script") == 0 or strcmp(above, b"style") == 0):
                    result = put_text(out, <const char*> node.content)
                else:
                    result = put_escaped(out, <const char*> node.content, False)
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
            if put_end(out, <const char*> node.name):
                return NO_MEMORY
        node = node.next


cdef int put_doctype(Buffer* out, xmlDtd* dtd, const char* root) noexcept nogil:
    """Write the document type as lxml does (`_writeDtdToBuffer`)."""
    cdef const char* public = <const char*> dtd.ExternalID
    cdef const char* system = <const char*> dtd.SystemID
    cdef const char* quote
    if dtd.name == NULL or strcasecmp(root, <const char*> dtd.name) != 0:
        return WRITTEN
    if dtd.entities or dtd.elements or dtd.attributes or dtd.notations or dtd.pentities:
        return UNKNOWN
    if put(out, b"<!DOCTYPE ", 10) or put_text(out, <const char*> dtd.name):
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


cdef int put_comments_before(Buffer* out, xmlNode* node) noexcept nogil:
    """Write the comments right before a child of the document."""
    cdef xmlNode* first = node
    while first.prev != NULL and first.prev.type == tree.XML_COMMENT_NODE:
        first = first.prev
    if first.prev != NULL and first.prev.type == tree.XML_PI_NODE:
        return UNKNOWN
    while first != node:
        if put_comment(out, first):
            return NO_MEMORY
        first = first.next
    return WRITTEN


cdef int put_document(Buffer* out, xmlNode* root) noexcept nogil:
    cdef xmlDtd* dtd = root.doc.intSubset
    cdef xmlNode* after = root.next
    cdef int result = WRITTEN
    if dtd != NULL:
        result = put_comments_before(out, <xmlNode*> dtd)
        if result == WRITTEN:
            result = put_doctype(out, dtd, <const char*> root.name)
    if result == WRITTEN:
        result = put_comments_before(out, root)
    if result == WRITTEN:
        result = put_element(out, root)
    while result == WRITTEN and after != NULL and after.type == tree.XML_COMMENT_NODE:
        result = put_comment(out, after)
        after = after.next
    return UNKNOWN if result == WRITTEN and after != NULL and after.type == tree.XML_PI_NODE else result


def write(_Element element not None):
    """Return the document that an element is in as HTML in UTF-8; None where it has what no HTML parser makes."""
    cdef Buffer out
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
    out.room = 1 << 16
    out.start = <char*> malloc(out.room)
    if out.start == NULL:
        raise MemoryError
    try:
        with nogil:
            result = put_document(&out, root)
        if result == NO_MEMORY:
            raise MemoryError
        return out.start[: out.size] if result == WRITTEN else None
    finally:
        free(out.start)


# --- reading ----------------------------------------------------------------------------------------------


def is_utf8(bytes body not None):
    """Whether Python's strict UTF-8 codec reads these bytes."""
    cdef const uint8_t* at = <const uint8_t*> <const char*> body
    cdef const uint8_t* stop = at + len(body)
    cdef bint valid
    with nogil:
        valid = valid_utf8(at, stop)
    return valid


cdef bint valid_utf8(const uint8_t* at, const uint8_t* stop) noexcept nogil:
    """Table 3-7 of the Unicode standard: well-formed UTF-8 byte sequences."""
    cdef uint64_t word
    cdef uint8_t first, low, high
    cdef int more
    while at < stop:
        first = at[0]
        if first < 0x80:
            at += 1
            while stop - at >= 8:
                memcpy(&word, at, 8)
                if word & <uint64_t> 0x8080808080808080:
                    break
                at += 8
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= first <= 0xDF:
            more = 1
        elif 0xE0 <= first <= 0xEF:
            more = 2
            if first == 0xE0:
                low = 0xA0
            elif first == 0xED:
                high = 0x9F
        elif 0xF0 <= first <= 0xF4:
            more = 3
            if first == 0xF0:
                low = 0x90
            elif first == 0xF4:
                high = 0x8F
        else:
            return False
        if stop - at <= more or not low <= at[1] <= high:
            return False
        if more > 1 and at[2] & 0xC0 != 0x80:
            return False
        if more > 2 and at[3] & 0xC0 != 0x80:
            return False
        at += more + 1
    return True
