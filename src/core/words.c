/* The words of every kind, both ways, from the lists in the public headers. */
#include "pliant/pliant.h"

#include <string.h>

/* The place of a word in a list that ends with NULL, or -1. */
static int place_of(const char *const *words, const char *word)
{
  for (int i = 0; word && words[i]; ++i)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}

#define WORD(name, word) word,

/* name: of the functions, without _text, _parse and _words. */
#define KIND(name, type, LIST)                                                                                         \
  const char *const *name##_words(void)                                                                                \
  {                                                                                                                    \
    static const char *const words[] = {LIST(WORD) NULL};                                                              \
    return words;                                                                                                      \
  }                                                                                                                    \
  const char *name##_text(type value)                                                                                  \
  {                                                                                                                    \
    static const char *const words[] = {LIST(WORD)};                                                                   \
    return (size_t)value < sizeof words / sizeof *words ? words[value] : NULL;                                         \
  }                                                                                                                    \
  bool name##_parse(const char *word, type *out)                                                                       \
  {                                                                                                                    \
    int place = place_of(name##_words(), word);                                                                        \
    if (place >= 0 && out) *out = (type)place;                                                                         \
    return place >= 0;                                                                                                 \
  }

KIND(pl_builder, pl_builder, PL_BUILDER_LIST)
KIND(pl_cut, pl_cut, PL_CUT_LIST)
KIND(pl_strategy, pl_strategy, PL_STRATEGY_LIST)
KIND(pl_volume, pl_volume, PL_VOLUME_LIST)
KIND(pl_criterion, pl_criterion, PL_CRITERION_LIST)
KIND(pl_growth, pl_growth, PL_GROWTH_LIST)
KIND(pl_motion, pl_motion, PL_MOTION_LIST)
KIND(pl_path, pl_path, PL_PATH_LIST)
KIND(pl_morph_kind, pl_morph_kind, PL_MORPH_LIST)
KIND(pl_match_kind, pl_match_kind, PL_MATCH_LIST)
KIND(pl_soup_method, pl_soup_method, PL_SOUP_LIST)
KIND(pl_ray_mode, pl_ray_mode, PL_RAY_MODE_LIST)
KIND(pl_broad, pl_broad, PL_BROAD_LIST)
KIND(pl_closure, pl_closure, PL_CLOSURE_LIST)
KIND(pl_side, pl_side, PL_SIDE_LIST)
KIND(pl_fresh, pl_fresh, PL_FRESH_LIST)
KIND(pl_feature, pl_feature, PL_FEATURE_LIST)
KIND(pl_impact, pl_impact_kind, PL_IMPACT_LIST)
KIND(pl_region, pl_region_kind, PL_REGION_LIST)
KIND(pl_self_method, pl_self_method, PL_SELF_METHOD_LIST)
