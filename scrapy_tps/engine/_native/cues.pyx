# cython: language_level=3
"""Cues of a page's nodes, read from libxml2's strings: the native twin of ``scrapy_tps.engine.cues.reading``.

The tables of that module define the meaning of words, tags and values; a reader is made from them. Strings are UTF-8
here. Beyond ASCII, only U+0130 and U+212A have ASCII letters in their lower case. If these occur, or if white space
beyond ASCII may be stripped, Python decides.
"""

cimport cython
from cpython.array cimport array, clone
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, strchr, strcmp, strlen

from scrapy_tps.engine._native cimport headers  # before those of lxml
from lxml.includes cimport etreepublic as cetree
from lxml.includes.etreepublic cimport import_lxml__etree
from lxml.includes.tree cimport xmlAttr, xmlNode

from scrapy_tps.engine._native.columns cimport Columns
from scrapy_tps.engine._native.core cimport CORE_REVISION
from scrapy_tps.engine._native.texts cimport (
    Entry, Pieces, Table, Text, decode, is_space, lower, text_from, value_of
)
from scrapy_tps.engine._native.walk cimport OF_CLASS, OF_CUES, ELEMENT, Symbol, Walk, text_at, text_hash

import_lxml__etree()

REVISION = CORE_REVISION

cdef array CUES = array("q")
cdef array SIZES = array("i")

cdef enum:
    # flags of words
    NAMES = 1  # names a subject at the end of a token
    ANYWHERE = 2
    STRUCTURE = 4
    MODIFIER = 8
    STATING = 16
    CONSENT_PREFIX = 32
    # flags of tags
    PART = 1
    LINKING = 2
    # flags of declarations: one for each property, and this many times it for its value
    OF_VALUE = 256

cdef enum:
    # classes of bytes in a list of names: a letter or similar, a colon, white space or the start of a character
    PLAIN = 0
    COLON = 1
    SPACE = 2

cdef uint8_t BYTES[256]
cdef int byte
for byte in range(256):
    BYTES[byte] = SPACE if byte >= 0x80 or is_space(byte) else COLON if byte == c":" else PLAIN

cdef enum:
    KNOWN = 65536  # number of remembered attributes: the pages of a site repeat two thirds of their classes and ids

cdef struct Known:
    uint64_t hash  # of the text; 0: none
    int64_t cues


cdef struct Found:
    # the attributes of a node, except `class` and `style`
    const char* identifier
    const char* role
    int64_t cue
    bint some


@cython.final
cdef class Reader:
    """Reads the cues of pages by the tables of the module ``scrapy_tps.engine.cues.reading``."""

    cdef Table words, whole, tags, roles, hiding, relations
    cdef Entry custom  # stands for every custom element: a part of the page without cues of its own
    cdef Pieces labels, revealed, undisplayed, of_facts
    cdef object reading  # that module: where it decides itself
    cdef bytes revealed_role
    cdef int tokens_read, token_length, weak
    cdef size_t longest  # the size of the longest word that counts anywhere
    cdef int64_t hidden, unshown, consent, place, beside_place, streamed, facts
    cdef Known* known

    def __cinit__(self, _):
        self.known = <Known*> calloc(KNOWN, sizeof(Known))
        if self.known == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.known)

    def __init__(self, reading):
        words, anywhere = reading.WORDS, reading._ANYWHERE
        structure, modifiers, stating = reading._STRUCTURE, reading._MODIFIERS, reading._STATING
        consent_prefixes, by_tag, parts = reading._CONSENT_PREFIXES, reading._BY_TAG, reading._PARTS
        if not anywhere <= words.keys():
            raise ValueError("every word that counts anywhere needs a cue")
        self.words = Table({
            word: (
                words.get(word, 0),
                -1,
                NAMES * (word in words)
                | ANYWHERE * (word in anywhere)
                | STRUCTURE * (word in structure)
                | MODIFIER * (word in modifiers)
                | STATING * (word in stating)
                | CONSENT_PREFIX * (word in consent_prefixes),
            )
            for word in {*words, *structure, *modifiers, *stating, *consent_prefixes}
        })
        self.tags = Table({
            tag: (
                by_tag.get(tag, 0),
                reading._LIMITED.get(tag, -1),
                PART * (tag in parts) | LINKING * (tag in reading._LINKING),
            )
            for tag in {*by_tag, *parts, *reading._LINKING}
        })
        self.custom.mask, self.custom.marks = -1, PART
        self.whole, self.roles, self.hiding, self.relations = [
            Table({text: (cue, -1, 0) for text, cue in cues.items()})
            for cues in (reading._WHOLE, reading._BY_ROLE, reading._BY_ARIA_HIDDEN, reading._BY_REL)
        ]
        self.labels = Pieces(reading._BY_LABEL)
        self.revealed = Pieces(dict.fromkeys(reading._REVEALED, 1))
        self.of_facts = Pieces(dict.fromkeys(reading._OF_FACTS, 1))
        self.undisplayed = Pieces({
            text: bit << number
            for number, declaration in enumerate(reading._UNDISPLAYED.items())
            for text, bit in zip(declaration, (1, OF_VALUE))
        })
        self.revealed_role = reading._REVEALED_ROLE.encode()
        self.tokens_read, self.token_length, self.weak = reading.TOKENS_READ, reading._TOKEN_LENGTH, reading.WEAK
        self.hidden, self.unshown, self.consent = reading.HIDDEN, reading._UNSHOWN, reading.CONSENT
        self.place, self.beside_place, self.streamed = reading._PLACE, reading._BESIDE_PLACE, reading.STREAMED
        self.facts = reading.FACTS
        self.longest = max(map(len, anywhere))
        self.reading = reading

    def columns(self, Walk walk not None):
        """Return each node's cues and the size of its text, as arrays."""
        cdef array cues = clone(CUES, walk.size, False)
        cdef array sizes = clone(SIZES, walk.size, False)
        cdef int64_t* of_node = <int64_t*> cues.data.as_longlongs
        cdef int32_t* size_of = <int32_t*> sizes.data.as_ints
        cdef int64_t* raw = NULL
        cdef int64_t* settled = NULL
        cdef Entry** tags = NULL
        cdef Symbol* one
        cdef Found found
        cdef list kept = []
        walk.check_open()
        try:
            raw = <int64_t*> malloc((walk.alphabet_size + 1) * sizeof(int64_t))
            settled = <int64_t*> malloc((walk.alphabet_size + 1) * sizeof(int64_t))
            walk.number_tags()
            tags = <Entry**> calloc(walk.tag_count + 1, sizeof(Entry*))
            if raw == NULL or settled == NULL or tags == NULL:
                raise MemoryError
            found.identifier = found.role = NULL
            for number in range(walk.tag_count):
                tags[number] = self.tags.find(<Text> walk.tags[number], strlen(walk.tags[number]), False)
                if tags[number] == NULL and strchr(walk.tags[number], c"-") != NULL:
                    tags[number] = &self.custom
            for symbol in range(walk.alphabet_size):
                one = &walk.alphabet[symbol]
                raw[symbol] = 0 if one.tag == NULL else self.of_symbol(one, tags[walk.tag_of[symbol]])
                settled[symbol] = self.settle(raw[symbol], &found, one.class_) if raw[symbol] else 0
            memcpy(size_of, walk.chars, walk.size * sizeof(int32_t))
            for index in range(walk.size):
                of_node[index] = settled[walk.symbols[index]]
            for number in range(walk.telling_count):
                index = walk.telling[number].index
                if not walk.telling[number].says & OF_CUES:
                    continue
                symbol = walk.symbols[index]
                self.read_attributes(walk, index, tags[walk.tag_of[symbol]], &found, kept)
                if found.some:
                    of_node[index] = self.settle(
                        raw[symbol] | found.cue, &found, walk.alphabet[symbol].class_
                    )
                    if kept:
                        kept.clear()
            of_node[0] = 0
            for index in range(walk.wide_count):
                size_of[walk.wide[index].index] += walk.wide[index].count
            return cues, sizes
        finally:
            free(raw)
            free(settled)
            free(tags)

    def names(self, str names not None):
        """Return the cues of the tokens of a ``class`` or ``id`` attribute."""
        cdef bytes encoded = names.encode("utf-8", "surrogatepass")
        cdef Text text = <Text> <const char*> encoded
        return self.of_names(text, text + len(encoded))

    cdef int64_t of_symbol(self, Symbol* one, Entry* tag) except? -1:
        cdef int64_t cue = 0
        if tag != NULL:
            cue = tag.cue
            if tag == &self.custom:
                cue |= self.of_names(<Text> one.tag, <Text> one.tag + strlen(one.tag))
        if one.class_ != NULL:
            cue |= self.remembered(one.class_, one.class_hash, False) & (
                tag.mask if tag != NULL and tag.marks & PART else self.facts
            )
        if one.style != NULL:
            cue |= self.remembered(one.style, one.style_hash, True)
        return cue

    cdef int64_t remembered(self, const char* names, uint64_t hash_, bint is_style) except? -1:
        """Return the cues of a style, or of a class or an id, with those of facts; other pages may have had it.

        With its hash, from the walk, the text need not be read again: it is far away in memory.
        """
        cdef Known* known = &self.known[hash_ & (KNOWN - 2)]  # one of two
        cdef bint unsure = False
        if known[0].hash == hash_ or known[1].hash == hash_:
            return known[known[0].hash != hash_].cues
        length = strlen(names)
        if is_style:
            cues = self.hidden if self.is_undisplayed(<Text> names, length) else 0
        else:
            cues = self.of_names(<Text> names, <Text> names + length)
            if self.of_facts.search(<Text> names, length, &unsure):
                cues |= self.reading.of_facts(names[:length].decode("utf-8"))
        known[1] = known[0]
        known[0].hash, known[0].cues = hash_, cues
        return cues

    cdef int64_t of_names(self, Text at, Text stop) noexcept nogil:
        cdef int64_t strong = 0, weak = 0
        cdef Text start
        cdef Text before
        cdef bint plain
        for number in range(self.tokens_read):
            while at < stop and BYTES[at[0]] >= SPACE:
                before = at
                if not is_space(decode(&at)):
                    at = before
                    break
            if at >= stop:
                break
            start = at
            characters = 0
            plain = True
            while at < stop:
                if BYTES[at[0]] < SPACE:
                    plain = plain and BYTES[at[0]] != COLON
                    at += 1
                else:
                    before = at
                    if is_space(decode(&at)):
                        at = before
                        break
                characters += 1
            if not plain or characters > self.token_length:
                continue
            self.of_token(start, at, &strong, &weak)
        return strong | (weak & ~strong) << self.weak

    cdef void of_token(self, Text start, Text stop, int64_t* strong, int64_t* weak) noexcept nogil:
        cdef Text at = start
        cdef Text word
        cdef Text before = NULL  # the word before, alone
        cdef size_t before_size = 0
        cdef Entry* entry = self.whole.find(start, stop - start, False)
        cdef Entry* compound
        cdef Entry* last = NULL  # entry of the last word that does not name a box, else of the first
        cdef int64_t anywhere = 0
        cdef int number = 0, last_number = 0
        cdef bint of_consent = False
        if entry != NULL:
            strong[0] |= entry.cue
            return
        while True:
            while at < stop and not 97 <= lower(at[0]) <= 122:
                at += 1
            if at == stop:
                break
            # words are a run of capitals without the one that starts the next word, and letters in lower case with one
            # capital before them
            word = at
            while at < stop and 65 <= at[0] <= 90:
                at += 1
            if at < stop and 97 <= at[0] <= 122:
                if at - word > 1:
                    at -= 1
                else:
                    while at < stop and 97 <= at[0] <= 122:
                        at += 1
            entry = self.words.find(word, at - word, True)
            if before != NULL:
                compound = self.compound(before, before_size, word, at - word)
                if compound != NULL:
                    # as one word, in the place of the one before
                    entry = compound
                    before = NULL
                    last, last_number = compound, number - 1
                    anywhere |= compound.cue
                    continue
            before, before_size = word, at - word
            if number == 0:
                if entry != NULL and entry.marks & MODIFIER:
                    return
                of_consent = entry != NULL and entry.marks & CONSENT_PREFIX
                last = entry
            elif entry != NULL and entry.marks & STATING:
                weak[0] |= anywhere
                return
            elif entry == NULL or not entry.marks & STRUCTURE:
                last = entry
                last_number = number
            if entry != NULL and entry.marks & ANYWHERE:
                anywhere |= entry.cue
            number += 1
        if number == 0:
            return
        weak[0] |= anywhere
        if last != NULL and last.marks & NAMES:
            strong[0] |= last.cue
        elif last_number > 0 and of_consent:
            strong[0] |= self.consent

    cdef Entry* compound(self, Text one, size_t size, Text other, size_t other_size) noexcept nogil:
        """Return the entry of two words written as one if it counts anywhere, else NULL."""
        cdef uint8_t joined[64]
        cdef Entry* entry
        if size + other_size > self.longest or size + other_size > sizeof(joined):
            return NULL
        memcpy(joined, one, size)
        memcpy(joined + size, other, other_size)
        entry = self.words.find(joined, size + other_size, True)
        return entry if entry != NULL and entry.marks & ANYWHERE else NULL

    cdef bint is_undisplayed(self, Text style, Py_ssize_t length) except -1:
        cdef unsigned char beyond = 0
        cdef bint unsure = False
        cdef int64_t said = self.undisplayed.search(style, length, &unsure)
        for index in range(length):
            beyond |= style[index]
        if beyond < 0x80 and not said & said // OF_VALUE:
            return False  # without a property and its value, as nearly all
        return self.reading._IS_UNDISPLAYED.search((<const char*> style)[:length].decode("utf-8")) is not None

    cdef int read_attributes(self, Walk walk, int32_t index, Entry* tag, Found* found, list kept) except -1:
        """Read a node's attributes; values created for this are kept in `kept`."""
        cdef xmlAttr* one = walk.nodes[index].properties
        cdef const char* name
        cdef const char* value
        cdef bytes made
        cdef bint composed
        found.identifier = found.role = NULL
        found.cue = found.some = 0
        while one != NULL:
            name = <const char*> one.name
            if one.ns == NULL and is_read(name):
                found.some = True
                composed = False
                value = value_of(one, &composed)
                if composed:
                    made = cetree.attributeValue(walk.nodes[index], one).encode()
                    kept.append(made)
                    value = made
                if name[0] == c"i":
                    found.identifier = value
                    if tag != NULL and tag.marks & PART:
                        found.cue |= tag.mask & ~self.facts & self.remembered(value, text_hash(value, OF_CLASS), False)
                elif name[0] == c"h":
                    found.cue |= self.hidden
                else:
                    if name[1] == c"o":
                        found.role = value
                    found.cue |= self.of_value(walk, index, tag, name, value)
            one = one.next
        return 0

    cdef int64_t of_value(
        self, Walk walk, int32_t index, Entry* tag, const char* name, const char* value
    ) except? -1:
        """Return the cues of ``role``, ``rel``, ``aria-hidden`` and ``aria-label``."""
        cdef Text at = <Text> value
        cdef Py_ssize_t length = strlen(value), place
        cdef bint unsure = False
        if name[0] == c"a" and name[5] == c"l":
            cue = self.labels.search(at, length, &unsure)
        elif name[1] == c"e" and (tag == NULL or not tag.marks & LINKING):
            return 0
        else:
            for place in range(length):
                unsure |= at[place] >= 0x80
            if not unsure:
                if name[0] == c"a":
                    return of_stripped(self.hiding, at, length)
                return of_stripped(self.roles, at, length) if name[1] == c"o" else of_tokens(self.relations, at)
        if unsure:
            cue = self.reading._of_attribute(
                walk.alphabet[walk.symbols[index]].tag.decode("utf-8"),
                name.decode("utf-8"),
                value.decode("utf-8"),
            )
        return cue

    cdef int64_t settle(self, int64_t cue, Found* found, const char* class_) except? -1:
        if (
            cue & self.hidden
            and found.identifier != NULL
            and strchr(found.identifier, c":") != NULL
            and self.reading.is_streamed(found.identifier.decode("utf-8"))
        ):
            cue = cue & ~self.hidden | self.streamed
        elif cue & self.unshown and found.role != NULL and strcmp(found.role, self.revealed_role) == 0:
            cue &= ~self.unshown
        elif cue & self.hidden and self.is_shown_later(found, class_):
            cue &= ~self.hidden
        if cue & self.place:
            cue &= ~self.beside_place
        return cue

    cdef bint is_shown_later(self, Found* found, const char* class_) except -1:
        cdef bint unsure = False
        cdef bint shown = False
        if class_ != NULL:
            shown = self.revealed.search(<Text> class_, strlen(class_), &unsure) != 0
        if found.identifier != NULL:
            shown |= self.revealed.search(<Text> found.identifier, strlen(found.identifier), &unsure) != 0
        if shown or not unsure:
            return shown
        return self.reading._shown_later(
            "" if found.identifier == NULL else found.identifier.decode("utf-8"),
            None if class_ == NULL else class_.decode("utf-8"),
        )


def telling_headings(Columns page not None, int64_t wanted, int32_t longest, Table words not None):
    """Return the nodes outside links with one of these cues that may contain one of these words: with 1 to `longest`
    characters.

    If a text has letters beyond ASCII, Python has to decide.
    """
    cdef Walk walk = page.walk
    cdef list found = []
    walk.check_open()
    for number in range(page.cued_count):
        heading = page.cued[number]
        if not page.cues[heading] & wanted or page.in_link[heading]:
            continue
        size = page.text_before[page.end[heading]] - page.text_before[heading]
        if not 0 < size <= longest:
            continue
        for index in range(heading, page.end[heading]):
            if page.text_length[index] and may_say(text_at(walk, index), words):
                found.append(heading)
                break
    return found


cdef bint may_say(xmlNode* text, Table words) noexcept nogil:
    """Whether a text holds one of these words in ASCII letters, or anything beyond ASCII."""
    cdef Text at
    cdef Text start
    while text != NULL:
        at = <Text> text.content
        if at != NULL:
            while at[0]:
                start = at
                while is_letter(at[0]):
                    at += 1
                if at > start and words.find(start, at - start, True) != NULL:
                    return True
                if at[0] >= 128:
                    return True
                if at[0]:
                    at += 1
        text = text_from(text.next)
    return False


cdef inline bint is_letter(unsigned char byte) noexcept nogil:
    return 97 <= lower(byte) <= 122


cdef inline bint is_read(const char* name) noexcept nogil:
    if name[0] == c"i":
        return name[1] == c"d" and name[2] == 0
    if name[0] == c"r":
        return strcmp(name, b"role") == 0 or strcmp(name, b"rel") == 0
    if name[0] == c"h":
        return strcmp(name, b"hidden") == 0
    return name[0] == c"a" and (strcmp(name, b"aria-hidden") == 0 or strcmp(name, b"aria-label") == 0)


cdef int64_t of_stripped(Table table, Text text, Py_ssize_t length) noexcept:
    """Return the cue of an ASCII text without surrounding white space, in any case."""
    cdef Entry* entry
    while length and is_space(text[length - 1]):
        length -= 1
    while length and is_space(text[0]):
        text += 1
        length -= 1
    entry = table.find(text, length, True)
    return 0 if entry == NULL else entry.cue


cdef int64_t of_tokens(Table table, Text text) noexcept:
    """Return the cues of the tokens of an ASCII text, in any case."""
    cdef int64_t cue = 0
    cdef Text start
    cdef Entry* entry
    while True:
        while text[0] and is_space(text[0]):
            text += 1
        if not text[0]:
            return cue
        start = text
        while text[0] and not is_space(text[0]):
            text += 1
        entry = table.find(start, text - start, True)
        if entry != NULL:
            cue |= entry.cue
