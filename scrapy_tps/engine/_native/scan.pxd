# cython: language_level=3
"""Scans of sixteen bytes at a time if the processor can (SSE2, which all 64-bit x86 have), otherwise of single bytes;
and a hash of texts."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <string.h>
    #if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
    #include <emmintrin.h>
    #define SCRAPY_TPS_BLOCKS 1
    #endif

    static inline const char* scrapy_tps_first_of(
        const char* at, const char* stop, char one, char two, char three, char four, char five
    ) {
    #ifdef SCRAPY_TPS_BLOCKS
        if (stop - at >= 16) {
            const __m128i ones = _mm_set1_epi8(one), twos = _mm_set1_epi8(two);
            const __m128i threes = _mm_set1_epi8(three), fours = _mm_set1_epi8(four);
            const __m128i fives = _mm_set1_epi8(five);
            for (;;) {
                const __m128i block = _mm_loadu_si128((const __m128i*) at);
                const int found = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(
                    _mm_or_si128(_mm_cmpeq_epi8(block, ones), _mm_cmpeq_epi8(block, twos)),
                    _mm_or_si128(_mm_cmpeq_epi8(block, threes), _mm_cmpeq_epi8(block, fours))
                ), _mm_cmpeq_epi8(block, fives)));
                if (found) return at + __builtin_ctz((unsigned) found);
                at += 16;
                if (at == stop) return stop;
                if (stop - at < 16) at = stop - 16;  /* some bytes again, which do not match */
            }
        }
        else if (stop - at >= 8) {  /* the first eight and the last eight */
            const __m128i block = _mm_unpacklo_epi64(
                _mm_loadl_epi64((const __m128i*) at), _mm_loadl_epi64((const __m128i*) (stop - 8))
            );
            const int found = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(
                _mm_or_si128(
                    _mm_cmpeq_epi8(block, _mm_set1_epi8(one)), _mm_cmpeq_epi8(block, _mm_set1_epi8(two))
                ),
                _mm_or_si128(
                    _mm_cmpeq_epi8(block, _mm_set1_epi8(three)), _mm_cmpeq_epi8(block, _mm_set1_epi8(four))
                )
            ), _mm_cmpeq_epi8(block, _mm_set1_epi8(five))));
            if (!found) return stop;
            const int place = __builtin_ctz((unsigned) found);
            return place < 8 ? at + place : stop - 16 + place;
        }
    #endif
        while (at < stop && *at != one && *at != two && *at != three && *at != four && *at != five) at++;
        return at;
    }

    static inline int scrapy_tps_is_blank(unsigned char byte) {
        return byte == 32 || (unsigned char) (byte - 9) <= 4;
    }

    static inline const unsigned char* scrapy_tps_printed(const unsigned char* at, const unsigned char* stop) {
    #ifdef SCRAPY_TPS_BLOCKS
        const __m128i blank = _mm_set1_epi8(32), tab = _mm_set1_epi8(9), four = _mm_set1_epi8(4);
        if (at < stop && !scrapy_tps_is_blank(*at)) return at;
        for (; stop - at >= 16; at += 16) {
            const __m128i block = _mm_loadu_si128((const __m128i*) at);
            const __m128i above = _mm_sub_epi8(block, tab);
            const int printed = 0xFFFF ^ _mm_movemask_epi8(_mm_or_si128(
                _mm_cmpeq_epi8(block, blank), _mm_cmpeq_epi8(_mm_min_epu8(above, four), above)
            ));
            if (printed) return at + __builtin_ctz((unsigned) printed);
        }
    #endif
        while (at < stop && scrapy_tps_is_blank(*at)) at++;
        return at;
    }

    static inline const unsigned char* scrapy_tps_ascii(const unsigned char* at, const unsigned char* stop) {
    #ifdef SCRAPY_TPS_BLOCKS
        for (; stop - at >= 32; at += 32) {
            const __m128i one = _mm_loadu_si128((const __m128i*) at);
            const __m128i other = _mm_loadu_si128((const __m128i*) (at + 16));
            if (_mm_movemask_epi8(_mm_or_si128(one, other))) break;
        }
    #endif
        for (; stop - at >= 8; at += 8) {
            unsigned long long word;
            memcpy(&word, at, 8);
            if (word & 0x8080808080808080ULL) break;
        }
        while (at < stop && *at < 0x80) at++;
        return at;
    }

    static inline size_t scrapy_tps_characters(const unsigned char* at, const unsigned char* stop) {
        size_t count = 0;
    #ifdef SCRAPY_TPS_BLOCKS
        const __m128i start = _mm_set1_epi8((char) 0xC0);
        for (; stop - at >= 16; at += 16) {
            const __m128i block = _mm_loadu_si128((const __m128i*) at);
            if (_mm_movemask_epi8(block) == 0)
                count += 16;
            else  /* continuation bytes are the smallest of all as signed numbers */
                count += 16 - __builtin_popcount((unsigned) _mm_movemask_epi8(_mm_cmplt_epi8(block, start)));
        }
    #endif
        for (; at < stop; at++) count += (*at & 0xC0) != 0x80;
        return count;
    }

    static inline unsigned long long scrapy_tps_fold(unsigned long long one, unsigned long long other) {
    #ifdef __SIZEOF_INT128__
        const unsigned __int128 product = (unsigned __int128) one * other;
        return (unsigned long long) product ^ (unsigned long long) (product >> 64);
    #else
        const unsigned long long low = (one & 0xFFFFFFFFULL) * (other & 0xFFFFFFFFULL);
        const unsigned long long left = (one >> 32) * (other & 0xFFFFFFFFULL) + (low >> 32);
        const unsigned long long right = (one & 0xFFFFFFFFULL) * (other >> 32) + (left & 0xFFFFFFFFULL);
        const unsigned long long high = (one >> 32) * (other >> 32) + (left >> 32) + (right >> 32);
        return (right << 32 | (low & 0xFFFFFFFFULL)) ^ high;
    #endif
    }

    static inline unsigned long long scrapy_tps_hash(
        const char* text, unsigned long long seed, unsigned long long secret, unsigned long long other_secret
    ) {
        const size_t length = strlen(text);
        size_t left = length;
        unsigned long long first = 0, last = 0;
        seed ^= other_secret;  // otherwise texts that end in the seed have hash 0, whatever their first bytes
        for (; left > 16; left -= 16, text += 16) {
            memcpy(&first, text, 8);
            memcpy(&last, text + 8, 8);
            seed = scrapy_tps_fold(first ^ secret, last ^ seed);
        }
        first = last = 0;
        if (left >= 8) {
            memcpy(&first, text, 8);
            memcpy(&last, text + left - 8, 8);
        }
        else if (left >= 4) {
            memcpy(&first, text, 4);
            memcpy(&last, text + left - 4, 4);
        }
        else if (left) {
            memcpy(&first, text, 1);
            memcpy(&last, text + left / 2, 1);
            first |= (unsigned long long) (unsigned char) text[left - 1] << 8;
        }
        return scrapy_tps_fold(other_secret ^ length, scrapy_tps_fold(first ^ secret, last ^ seed));
    }
    """
    # wyhash (Wang Yi), which programming languages use for tables that strangers fill: nobody who does not know the
    # secrets can look for texts with the same hash
    uint64_t hash_of "scrapy_tps_hash"(
        const char* text, uint64_t seed, uint64_t secret, uint64_t other_secret
    ) nogil
    # the first byte among five, or the end
    const char* first_of "scrapy_tps_first_of"(
        const char* at, const char* stop, char one, char two, char three, char four, char five
    ) nogil
    # the first byte that is not a blank, tab, line break or form feed, or the end; the first one beyond ASCII, or the
    # end
    const unsigned char* first_printed "scrapy_tps_printed"(const unsigned char* at, const unsigned char* stop) nogil
    const unsigned char* after_ascii "scrapy_tps_ascii"(const unsigned char* at, const unsigned char* stop) nogil
    # characters of a text in UTF-8
    size_t characters "scrapy_tps_characters"(const unsigned char* at, const unsigned char* stop) nogil
