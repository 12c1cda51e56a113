# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Whether a script holds data: see ``scrapy_tps.engine.sequence.columns``, which says what that means."""

from libc.string cimport memchr, strcmp, strncmp

from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.lxml_version cimport LXML_VERSION_STRING
from scrapy_tps.engine._native.scan cimport characters
from scrapy_tps.engine._native.texts cimport (
    decode, is_ascii_space, is_space, lower, start_of_text, starts_with, text_from, value_of
)
from scrapy_tps.engine._native.walk cimport Script

from scrapy_tps.engine.html.data_scripts import DECLARING, STATE_PREFIX, STATE_WORDS, is_page_state

#: The lxml and the revision of the core that this module was compiled for; see `scrapy_tps.engine.native`.
LXML_VERSION = LXML_VERSION_STRING.decode("ascii")
REVISION = CORE_REVISION

cdef extern from "string.h":
    size_t strnlen(const char* text, size_t limit) nogil

cdef list STATE_STARTS = [word.encode() for word in STATE_WORDS]
cdef size_t PREFIX = STATE_PREFIX
cdef size_t STATE_BYTES = 4 * PREFIX  # as many as its characters take at most
cdef int DECLARING_WORDS = len(DECLARING)  # they come first

cdef enum:
    NO = 0
    YES = 1
    UNSURE = 2  # Python has to tell
    MOST_ASSIGNED = 80


cdef bint holds_data(Script* script) except -1:
    if not script.data:
        script.data = 1 if is_data(script.node) else 2
    return script.data == 1


cdef bint is_data(xmlNode* node) except -1:
    cdef bint composed = False
    cdef int state
    cdef const char* value = attribute(node, b"type", &composed)
    if value != NULL and names_json(value):
        return True
    value = attribute(node, b"id", &composed)
    if value != NULL and value[0] == c"_" and value[1] == c"_":
        return True
    state = names_page_state(node.children)
    if state != UNSURE:
        return state == YES
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


cdef int names_page_state(xmlNode* node) except -1:
    """Whether a script assigns page state: `is_page_state`, as far as that is ASCII and not cut off."""
    cdef const unsigned char* first
    cdef const unsigned char* start
    cdef const unsigned char* at
    cdef const unsigned char* stop
    cdef bytes word
    cdef int number, found = NO
    node = text_from(node)
    if node == NULL or node.content == NULL:
        return NO
    if text_from(node.next) != NULL:
        return UNSURE
    first = start = at = <const unsigned char*> node.content
    stop = first + strnlen(<const char*> first, PREFIX)
    if characters(first, stop) != stop - first:
        stop = first + strnlen(<const char*> first, STATE_BYTES)
    while at < stop:
        start = at
        if not is_space(decode(&at)):
            break
    for number in range(len(STATE_STARTS)):
        word = STATE_STARTS[number]
        if strncmp(<const char*> start, <const char*> word, len(word)) == 0:
            found = assigns(first, start + len(word), stop, number < DECLARING_WORDS)
            break
    return found if found == YES else max(found, holds_state_name(first, stop))


cdef inline bint is_word(unsigned char byte) noexcept nogil:
    return 97 <= lower(byte) <= 122 or 48 <= byte <= 57 or byte == c"_"


cdef inline const unsigned char* after_spaces(
    const unsigned char* at, const unsigned char* stop
) noexcept nogil:
    while at < stop and is_ascii_space(at[0]):
        at += 1
    return at


cdef inline int within_prefix(const unsigned char* first, const unsigned char* at) noexcept nogil:
    """YES where what ends here is in the characters that Python looks at, however many bytes these take."""
    return YES if at - first <= <Py_ssize_t> PREFIX else UNSURE


cdef int assigns(
    const unsigned char* first, const unsigned char* at, const unsigned char* stop, bint declares
) noexcept nogil:
    """Whether `_STATE_AT_START` of the Python twin matches a script, from behind its first word."""
    cdef const unsigned char* start = at
    at = after_spaces(at, stop)
    if at < stop and at[0] < 0x80 and (at == start if declares else at[0] != c"." and at[0] != c"["):
        return NO
    if not declares and at < stop:
        at += 1
    start = at
    while at < stop and at[0] != c"=":
        if at[0] >= 0x80:
            return UNSURE
        if not (
            is_word(at[0]) or at[0] == c" " or at[0] == c"$" or at[0] == c"."
            or at[0] == c"[" or at[0] == c"]" or at[0] == c'"' or at[0] == c"'"
        ):
            return NO
        at += 1
    if at == start or at == stop:
        return UNSURE
    if at - start > MOST_ASSIGNED:
        return NO
    at = after_spaces(at + 1, stop)
    if at == stop or at[0] >= 0x80:
        return UNSURE
    if at[0] == c"[" or at[0] == c"{":
        return within_prefix(first, at + 1)
    return within_prefix(first, at + 10) if strncmp(<const char*> at, b"JSON.parse", 10) == 0 else NO


cdef int holds_state_name(const unsigned char* first, const unsigned char* stop) noexcept nogil:
    """Whether `_STATE_NAME` of the Python twin matches somewhere in a script."""
    cdef const unsigned char* at = first
    cdef const unsigned char* name
    cdef const unsigned char* behind
    while True:
        at = <const unsigned char*> memchr(at, c"_", stop - at)
        if at == NULL or stop - at < 2:
            return NO
        if at[1] != c"_" or (at > first and is_word((at - 1)[0])):
            at += 1
            continue
        name = at + 2
        behind = name
        while behind < stop and is_word(behind[0]):
            behind += 1
        if (
            behind == stop
            or behind[0] >= 0x80
            or behind - first > <Py_ssize_t> PREFIX  # where Python's text may end
            or (at > first and (at - 1)[0] >= 0x80)
        ):
            return UNSURE
        at = behind
        if not 97 <= lower(name[0]) <= 122 or behind - name < 3:
            continue
        if behind - name > 60:
            return UNSURE
        if behind - name >= 5 and (behind - 1)[0] == c"_" and (behind - 2)[0] == c"_":
            return within_prefix(first, behind)
        if behind[0] == c"." and strncmp(<const char*> behind, b".push", 5) == 0:
            return within_prefix(first, behind + 5)
        behind = after_spaces(behind, stop)
        if behind == stop or behind[0] >= 0x80:
            return UNSURE
        if behind[0] == c"=":
            return within_prefix(first, behind + 1)
