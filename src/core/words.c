/* The words of every enumeration, both ways. A table has one word for each value and a NULL at
 * the end. */
#include "core/kinds.h"

#include "pliant/pliant.h"

#include <string.h>

static const char *const kind_words[PL_WORDS_COUNT + 1] = {
    [PL_WORDS_KIND] = "kind",       [PL_WORDS_STRATEGY] = "strategy", [PL_WORDS_VOLUME] = "volume",
    [PL_WORDS_BUILDER] = "builder", [PL_WORDS_CUT] = "cut",           [PL_WORDS_CRITERION] = "criterion",
    [PL_WORDS_GROWTH] = "growth",   [PL_WORDS_MOTION] = "motion",     [PL_WORDS_MORPH] = "morph",
    [PL_WORDS_PATH] = "path",       [PL_WORDS_MATCH] = "match",       [PL_WORDS_SOUP] = "soup",
    [PL_WORDS_BROAD] = "broad",     [PL_WORDS_FRESH] = "fresh",       [PL_WORDS_SELF] = "self",
    [PL_WORDS_RAY] = "ray",         [PL_WORDS_CLOSURE] = "closure",   [PL_WORDS_SIDE] = "side",
    [PL_WORDS_FEATURE] = "feature", [PL_WORDS_ZONE] = "zone",
};
static const char *const strategy_words[PL_STRATEGY_COUNT + 1] = {
#define WORD(name, word) [PL_STRATEGY_##name] = word,
    STRATEGY_LIST(WORD)
#undef WORD
};
static const char *const volume_words[PL_VOLUME_COUNT + 1] = {
#define WORD(name, word) [PL_VOLUME_##name] = word,
    VOLUME_LIST(WORD)
#undef WORD
};
static const char *const builder_words[PL_BUILDER_COUNT + 1] = {
    [PL_BUILDER_SPLIT] = "split",
    [PL_BUILDER_PARTITION] = "partition",
    [PL_BUILDER_MATCHING] = "matching",
};
static const char *const cut_words[PL_CUT_COUNT + 1] = {
    [PL_CUT_MEDIAN] = "median",
    [PL_CUT_CENTRE] = "centre",
    [PL_CUT_MEAN] = "mean",
};
static const char *const criterion_words[PL_CRITERION_COUNT + 1] = {
    [PL_CRITERION_A] = "a",
    [PL_CRITERION_B] = "b",
    [PL_CRITERION_A_AND_B] = "a-and-b",
    [PL_CRITERION_B_AND_C] = "b-and-c",
    [PL_CRITERION_A_AND_B_AND_C] = "a-and-b-and-c",
    [PL_CRITERION_A_OR_BC] = "a-or-bc",
    [PL_CRITERION_AB_OR_BC] = "ab-or-bc",
    [PL_CRITERION_REFIT_ALL] = "refit-all",
    [PL_CRITERION_REFIT_NONE] = "refit-none",
};
static const char *const growth_words[PL_GROWTH_COUNT + 1] = {
    [PL_GROWTH_FOLLOW] = "follow",
    [PL_GROWTH_STAND] = "stand",
};
static const char *const motion_words[PL_MOTION_COUNT + 1] = {
#define WORD(name, word) [PL_MOTION_##name] = word,
    MOTION_LIST(WORD)
#undef WORD
};
static const char *const morph_words[PL_MORPH_COUNT + 1] = {
    [PL_MORPH_CONVEX] = "convex",
    [PL_MORPH_ADDITIVE] = "additive",
};
static const char *const path_words[PL_PATH_COUNT + 1] = {
    [PL_PATH_LINEAR] = "linear",
    [PL_PATH_QUADRATIC] = "quadratic",
};
static const char *const match_words[PL_MATCH_COUNT + 1] = {
    [PL_MATCH_RIGID] = "rigid",
    [PL_MATCH_LINEAR] = "linear",
    [PL_MATCH_QUADRATIC] = "quadratic",
};
static const char *const soup_words[PL_SOUP_COUNT + 1] = {
    [PL_SOUP_AUTO] = "auto",
    [PL_SOUP_KEYS] = "keys",
    [PL_SOUP_GRID] = "grid",
};
static const char *const broad_words[PL_BROAD_COUNT + 1] = {
    [PL_BROAD_AUTO] = "auto",
    [PL_BROAD_EVERY] = "every",
    [PL_BROAD_SWEEP] = "sweep",
};
static const char *const fresh_words[PL_FRESH_COUNT + 1] = {
    [PL_FRESH_STALE] = "stale",
    [PL_FRESH_EAGER] = "eager",
    [PL_FRESH_DEMAND] = "demand",
};
static const char *const self_words[PL_SELF_METHOD_COUNT + 1] = {
#define WORD(name, word) [PL_SELF_METHOD_##name] = word,
    SELF_METHOD_LIST(WORD)
#undef WORD
};
static const char *const ray_words[PL_RAY_MODE_COUNT + 1] = {
    [PL_RAY_MODE_CLOSEST] = "closest",
    [PL_RAY_MODE_ANY] = "any",
    [PL_RAY_MODE_ALL] = "all",
};
static const char *const closure_words[PL_CLOSURE_COUNT + 1] = {
    [PL_CLOSURE_CLOSED] = "closed",
    [PL_CLOSURE_UNORIENTED] = "unoriented",
    [PL_CLOSURE_OPEN] = "open",
};
static const char *const side_words[PL_SIDE_COUNT + 1] = {
    [PL_SIDE_OUTSIDE] = "outside",
    [PL_SIDE_INSIDE] = "inside",
    [PL_SIDE_ON] = "on",
};
static const char *const feature_words[PL_FEATURE_COUNT + 1] = {
    [PL_FEATURE_VERTEX_FACE] = "vertex-face", [PL_FEATURE_FACE_VERTEX] = "face-vertex",
    [PL_FEATURE_EDGE_EDGE] = "edge-edge",     [PL_FEATURE_VERTEX_EDGE] = "vertex-edge",
    [PL_FEATURE_EDGE_VERTEX] = "edge-vertex", [PL_FEATURE_VERTEX_VERTEX] = "vertex-vertex",
};
static const char *const zone_words[PL_ZONE_COUNT + 1] = {
    [PL_ZONE_BOX] = "box",
    [PL_ZONE_SPHERE] = "sphere",
    [PL_ZONE_FRUSTUM] = "frustum",
};

/* As many names in the lists as values, and no value twice (the compiler warns of it): lists and
 * enumerations agree. */
#define ONE(name, word) +1
_Static_assert(0 STRATEGY_LIST(ONE) == PL_STRATEGY_COUNT && 0 VOLUME_LIST(ONE) == PL_VOLUME_COUNT &&
                   0 MOTION_LIST(ONE) == PL_MOTION_COUNT && 0 SELF_METHOD_LIST(ONE) == PL_SELF_METHOD_COUNT,
               "a list lacks a value of its enumeration");

static const char *const *words_of(pl_words kind)
{
  static const char *const *const all[PL_WORDS_COUNT] = {
      [PL_WORDS_KIND] = kind_words,       [PL_WORDS_STRATEGY] = strategy_words, [PL_WORDS_VOLUME] = volume_words,
      [PL_WORDS_BUILDER] = builder_words, [PL_WORDS_CUT] = cut_words,           [PL_WORDS_CRITERION] = criterion_words,
      [PL_WORDS_GROWTH] = growth_words,   [PL_WORDS_MOTION] = motion_words,     [PL_WORDS_MORPH] = morph_words,
      [PL_WORDS_PATH] = path_words,       [PL_WORDS_MATCH] = match_words,       [PL_WORDS_SOUP] = soup_words,
      [PL_WORDS_BROAD] = broad_words,     [PL_WORDS_FRESH] = fresh_words,       [PL_WORDS_SELF] = self_words,
      [PL_WORDS_RAY] = ray_words,         [PL_WORDS_CLOSURE] = closure_words,   [PL_WORDS_SIDE] = side_words,
      [PL_WORDS_FEATURE] = feature_words, [PL_WORDS_ZONE] = zone_words,
  };
  return (unsigned)kind < PL_WORDS_COUNT ? all[kind] : NULL;
}

/* Step by step: only the NULL at the end says how long a table is. */
const char *pl_word(pl_words kind, int value)
{
  const char *const *words = value < 0 ? NULL : words_of(kind);
  while (words && value > 0 && *words) {
    --value;
    ++words;
  }
  return words ? *words : NULL;
}

bool pl_word_parse(pl_words kind, const char *word, int *out)
{
  const char *const *words = words_of(kind);
  for (int i = 0; words && word && words[i]; ++i) {
    if (strcmp(words[i], word) != 0) continue;
    if (out) *out = i;
    return true;
  }
  return false;
}
