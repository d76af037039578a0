/* The words of every enumeration, both ways. */
#include "core/kinds.h"

#include "pliant/pliant.h"

#include <string.h>

/* Of each enumeration: a word for each value, and NULL behind them. */
enum { MOST_WORDS = 32 };
static const char *const words_of[PL_WORDS_COUNT][MOST_WORDS] = {
#define STRATEGY_WORD(name, word) [PL_STRATEGY_##name] = word,
#define VOLUME_WORD(name, word) [PL_VOLUME_##name] = word,
#define MOTION_WORD(name, word) [PL_MOTION_##name] = word,
#define SELF_WORD(name, word) [PL_SELF_METHOD_##name] = word,
    [PL_WORDS_KIND] =
        {[PL_WORDS_KIND] = "kind",       [PL_WORDS_STRATEGY] = "strategy", [PL_WORDS_VOLUME] = "volume",
         [PL_WORDS_BUILDER] = "builder", [PL_WORDS_CUT] = "cut",           [PL_WORDS_CRITERION] = "criterion",
         [PL_WORDS_GROWTH] = "growth",   [PL_WORDS_MOTION] = "motion",     [PL_WORDS_MORPH] = "morph",
         [PL_WORDS_PATH] = "path",       [PL_WORDS_MATCH] = "match",       [PL_WORDS_SOUP] = "soup",
         [PL_WORDS_BROAD] = "broad",     [PL_WORDS_FRESH] = "fresh",       [PL_WORDS_SELF] = "self",
         [PL_WORDS_RAY] = "ray",         [PL_WORDS_CLOSURE] = "closure",   [PL_WORDS_SIDE] = "side",
         [PL_WORDS_FEATURE] = "feature", [PL_WORDS_ZONE] = "zone"},
    [PL_WORDS_STRATEGY] = {STRATEGY_LIST(STRATEGY_WORD)},
    [PL_WORDS_VOLUME] = {VOLUME_LIST(VOLUME_WORD)},
    [PL_WORDS_BUILDER] =
        {[PL_BUILDER_SPLIT] = "split", [PL_BUILDER_PARTITION] = "partition", [PL_BUILDER_MATCHING] = "matching"},
    [PL_WORDS_CUT] = {[PL_CUT_MEDIAN] = "median", [PL_CUT_CENTRE] = "centre", [PL_CUT_MEAN] = "mean"},
    [PL_WORDS_CRITERION] = {[PL_CRITERION_A] = "a",
                            [PL_CRITERION_B] = "b",
                            [PL_CRITERION_A_AND_B] = "a-and-b",
                            [PL_CRITERION_B_AND_C] = "b-and-c",
                            [PL_CRITERION_A_AND_B_AND_C] = "a-and-b-and-c",
                            [PL_CRITERION_A_OR_BC] = "a-or-bc",
                            [PL_CRITERION_AB_OR_BC] = "ab-or-bc",
                            [PL_CRITERION_REFIT_ALL] = "refit-all",
                            [PL_CRITERION_REFIT_NONE] = "refit-none"},
    [PL_WORDS_GROWTH] = {[PL_GROWTH_FOLLOW] = "follow", [PL_GROWTH_STAND] = "stand"},
    [PL_WORDS_MOTION] = {MOTION_LIST(MOTION_WORD)},
    [PL_WORDS_MORPH] = {[PL_MORPH_CONVEX] = "convex", [PL_MORPH_ADDITIVE] = "additive"},
    [PL_WORDS_PATH] = {[PL_PATH_LINEAR] = "linear", [PL_PATH_QUADRATIC] = "quadratic"},
    [PL_WORDS_MATCH] = {[PL_MATCH_RIGID] = "rigid", [PL_MATCH_LINEAR] = "linear", [PL_MATCH_QUADRATIC] = "quadratic"},
    [PL_WORDS_SOUP] = {[PL_SOUP_AUTO] = "auto", [PL_SOUP_KEYS] = "keys", [PL_SOUP_GRID] = "grid"},
    [PL_WORDS_BROAD] = {[PL_BROAD_AUTO] = "auto", [PL_BROAD_EVERY] = "every", [PL_BROAD_SWEEP] = "sweep"},
    [PL_WORDS_FRESH] = {[PL_FRESH_STALE] = "stale", [PL_FRESH_EAGER] = "eager", [PL_FRESH_DEMAND] = "demand"},
    [PL_WORDS_SELF] = {SELF_METHOD_LIST(SELF_WORD)},
    [PL_WORDS_RAY] = {[PL_RAY_MODE_CLOSEST] = "closest", [PL_RAY_MODE_ANY] = "any", [PL_RAY_MODE_ALL] = "all"},
    [PL_WORDS_CLOSURE] =
        {[PL_CLOSURE_CLOSED] = "closed", [PL_CLOSURE_UNORIENTED] = "unoriented", [PL_CLOSURE_OPEN] = "open"},
    [PL_WORDS_SIDE] = {[PL_SIDE_OUTSIDE] = "outside", [PL_SIDE_INSIDE] = "inside", [PL_SIDE_ON] = "on"},
    [PL_WORDS_FEATURE] = {[PL_FEATURE_VERTEX_FACE] = "vertex-face",
                          [PL_FEATURE_FACE_VERTEX] = "face-vertex",
                          [PL_FEATURE_EDGE_EDGE] = "edge-edge",
                          [PL_FEATURE_VERTEX_EDGE] = "vertex-edge",
                          [PL_FEATURE_EDGE_VERTEX] = "edge-vertex",
                          [PL_FEATURE_VERTEX_VERTEX] = "vertex-vertex"},
    [PL_WORDS_ZONE] = {[PL_ZONE_BOX] = "box", [PL_ZONE_SPHERE] = "sphere", [PL_ZONE_FRUSTUM] = "frustum"},
};

/* As many names in the lists as values, and no value twice (the compiler warns of it): lists and
 * enumerations agree. */
#define ONE(name, word) +1
_Static_assert(0 STRATEGY_LIST(ONE) == PL_STRATEGY_COUNT && 0 VOLUME_LIST(ONE) == PL_VOLUME_COUNT &&
                   0 MOTION_LIST(ONE) == PL_MOTION_COUNT && 0 SELF_METHOD_LIST(ONE) == PL_SELF_METHOD_COUNT,
               "a list lacks a value of its enumeration");
_Static_assert((int)PL_STRATEGY_COUNT < (int)MOST_WORDS && (int)PL_VOLUME_COUNT < (int)MOST_WORDS &&
                   (int)PL_MOTION_COUNT < (int)MOST_WORDS && (int)PL_SELF_METHOD_COUNT < (int)MOST_WORDS,
               "no room for the NULL behind the words");

/* Step by step: only the NULL at the end says how many words there are. */
const char *pl_word(pl_words kind, int value)
{
  int i = 0;
  if ((unsigned)kind >= PL_WORDS_COUNT || value < 0) return NULL;
  while (i < value && words_of[kind][i]) ++i;
  return words_of[kind][i];
}

bool pl_word_parse(pl_words kind, const char *word, int *out)
{
  for (int i = 0; word && (unsigned)kind < PL_WORDS_COUNT && words_of[kind][i]; ++i) {
    if (strcmp(words_of[kind][i], word) != 0) continue;
    if (out) *out = i;
    return true;
  }
  return false;
}
