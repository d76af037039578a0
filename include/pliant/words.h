/* The words of enumerations, for command lines, files and reports. */
#ifndef PLIANT_WORDS_H
#define PLIANT_WORDS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The enumerations whose values have words. */
typedef enum pl_words {
  PL_WORDS_KIND = 0,      /* this one: "kind", "strategy", "volume", ... */
  PL_WORDS_STRATEGY = 1,  /* pl_strategy */
  PL_WORDS_VOLUME = 2,    /* pl_volume */
  PL_WORDS_BUILDER = 3,   /* pl_builder */
  PL_WORDS_CUT = 4,       /* pl_cut */
  PL_WORDS_CRITERION = 5, /* pl_criterion */
  PL_WORDS_GROWTH = 6,    /* pl_growth */
  PL_WORDS_MOTION = 7,    /* pl_motion */
  PL_WORDS_MORPH = 8,     /* pl_morph_kind */
  PL_WORDS_PATH = 9,      /* pl_path */
  PL_WORDS_MATCH = 10,    /* pl_match_kind */
  PL_WORDS_SOUP = 11,     /* pl_soup_method */
  PL_WORDS_BROAD = 12,    /* pl_broad */
  PL_WORDS_FRESH = 13,    /* pl_fresh */
  PL_WORDS_SELF = 14,     /* pl_self_method */
  PL_WORDS_RAY = 15,      /* pl_ray_mode */
  PL_WORDS_CLOSURE = 16,  /* pl_closure */
  PL_WORDS_SIDE = 17,     /* pl_side */
  PL_WORDS_FEATURE = 18,  /* pl_feature */
  PL_WORDS_IMPACT = 19,   /* pl_impact_kind */
  PL_WORDS_ZONE = 20,     /* pl_zone_kind */
  PL_WORDS_COUNT = 21
} pl_words;

/* Returns the word of a value, such as "top-down" for PL_WORDS_STRATEGY and PL_STRATEGY_TOP_DOWN.
 * NULL: there is no such kind or value. Values run from 0 without gaps, so this lists a kind:
 *   for (int i = 0; pl_word(PL_WORDS_STRATEGY, i); ++i) puts(pl_word(PL_WORDS_STRATEGY, i)); */
PL_API const char *pl_word(pl_words kind, int value);

/* Finds the value of a word and returns whether there is one.
 *   word  NULL is no word
 *   out   gets the value, and does not change if there is none; NULL: not wanted */
PL_API bool pl_word_parse(pl_words kind, const char *word, int *out);

#ifdef __cplusplus
}
#endif
#endif
