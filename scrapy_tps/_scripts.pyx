# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Whether a script holds data: see ``scrapy_tps.sequence``, which says what that means."""

from libc.string cimport memchr, strcmp, strncmp

from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps._core cimport CORE_REVISION, LXML_VERSION_STRING
from scrapy_tps._texts cimport (
    decode, is_ascii_space, is_space, lower, start_of_text, starts_with, text_from, value_of
)
from scrapy_tps._walk cimport Script

from scrapy_tps.scripts import STATE_PREFIX, STATE_WORDS, is_page_state

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef extern from "string.h":
    size_t strnlen(const char* text, size_t limit) nogil

cdef list STATE_STARTS = [word.encode() for word in STATE_WORDS]
cdef size_t STATE_BYTES = 4 * STATE_PREFIX  # as many as its characters take at most


cdef bint holds_data(Script* script) except -1:
    if not script.data:
        script.data = 1 if is_data(script.node) else 2
    return script.data == 1


cdef bint is_data(xmlNode* node) except -1:
    cdef bint composed = False
    cdef const char* value = attribute(node, b"type", &composed)
    if value != NULL and names_json(value):
        return True
    value = attribute(node, b"id", &composed)
    if value != NULL and value[0] == c"_" and value[1] == c"_":
        return True
    if not may_be_page_state(node.children):
        return False
    start = start_of_text(node.children, STATE_PREFIX)
    return bool(start) and is_page_state(start)


cdef inline const char* attribute(xmlNode* node, const char* name, bint* composed) noexcept nogil:
    """Value of an attribute without namespace, NULL where there is none."""
    cdef xmlAttr* one = node.properties
    while one != NULL:
        if one.ns == NULL and strcmp(<const char*> one.name, name) == 0:
            return value_of(one, composed)
        one = one.next
    return NULL


cdef inline bint names_json(const char* value) noexcept nogil:
    while value[0]:
        if starts_with(value, b"json"):
            return True
        value += 1
    return False


cdef bint may_be_page_state(xmlNode* node):
    """Whether Python has to look at a script: most hold none of the signs and are not decoded."""
    cdef const unsigned char* start
    cdef const unsigned char* at
    cdef const unsigned char* stop
    cdef bytes word
    node = text_from(node)
    if node == NULL or node.content == NULL:
        return False
    if text_from(node.next) != NULL:
        return True
    start = at = <const unsigned char*> node.content
    stop = start + strnlen(<const char*> start, STATE_BYTES)
    while at < stop:
        start = at
        if not is_space(decode(&at)):
            break
    for word in STATE_STARTS:
        if strncmp(<const char*> start, <const char*> word, len(word)) == 0:
            if may_assign(start + len(word), stop):
                return True
            break
    return may_name_state(<const unsigned char*> node.content, stop)


cdef inline bint is_word(unsigned char byte) noexcept nogil:
    return 97 <= lower(byte) <= 122 or 48 <= byte <= 57 or byte == c"_"


cdef inline const unsigned char* after_spaces(
    const unsigned char* at, const unsigned char* stop
) noexcept nogil:
    while at < stop and is_ascii_space(at[0]):
        at += 1
    return at


cdef bint may_assign(const unsigned char* at, const unsigned char* stop) noexcept nogil:
    """Whether `_STATE_AT_START` of the Python twin may match a script, from behind its first word."""
    while at < stop and at[0] != c"=":
        if not (
            is_word(at[0]) or is_ascii_space(at[0]) or at[0] >= 0x80
            or at[0] == c"$" or at[0] == c"." or at[0] == c"[" or at[0] == c"]" or at[0] == c'"' or at[0] == c"'"
        ):
            return False
        at += 1
    if at == stop:
        return False
    at = after_spaces(at + 1, stop)
    # what is cut off, or goes on with white space beyond ASCII, is for Python
    return at == stop or at[0] >= 0x80 or at[0] == c"[" or at[0] == c"{" or at[0] == c"J"


cdef bint may_name_state(const unsigned char* first, const unsigned char* stop) noexcept nogil:
    """Whether `_STATE_NAME` of the Python twin may match in a script."""
    cdef const unsigned char* at = first
    cdef const unsigned char* name
    while True:
        at = <const unsigned char*> memchr(at, c"_", stop - at)
        if at == NULL or stop - at < 2:
            return False
        if at[1] != c"_" or (at > first and is_word((at - 1)[0])):
            at += 1
            continue
        name = at + 2
        at = name
        while at < stop and is_word(at[0]):
            at += 1
        if at == stop or at[0] >= 0x80 or at - name > 60:
            return True
        if at - name >= 3 and 97 <= lower(name[0]) <= 122:
            if (at - 1)[0] == c"_" and (at - 2)[0] == c"_":
                return True
            if at[0] == c"." and strncmp(<const char*> at, b".push", 5) == 0:
                return True
            at = after_spaces(at, stop)
            if at == stop or at[0] == c"=" or at[0] >= 0x80:
                return True
