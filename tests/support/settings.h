/* The settings of free bodies as a product: builder, cut, arity, leaf size, strategy, volume,
 * scalar, instruction set, threads, borrowed positions, eager and lazy levels. Every pair of
 * kinds is played, and what `wish` asks for beyond; a new kind joins by its line in its
 * PL_*_LIST.
 *
 *   product p;
 *   settings_open(&p, &(settings_wish){.each_tree = true});
 *   for (size_t i = 0; i < p.row_count; ++i) {
 *     setting s = setting_of(&p, i);
 *     ... s.body, s.context, s.doubles ...
 *     product_saw(&p, p.rows[i]);
 *   }
 *   settings_close(&p); */
#ifndef TESTS_SETTINGS_H
#define TESTS_SETTINGS_H

#include "support/product.h"
#include "support/worlds.h"

typedef struct settings_wish {
  /* every structure (builder, cut, arity, leaf size) with every strategy */
  bool each_tree;
  /* floats and doubles each have all that the others ask for; otherwise they share it */
  bool both;
  bool each_shape; /* every strategy with every volume and arity */
  /* leaf sizes are 1 and every so many up to 8, with arity 2 or 4 and with arity 8; 0: 1 */
  int leaf_step, leaf_step_8;
} settings_wish;

typedef struct setting {
  pl_body_def body;
  pl_context_def context;
  bool doubles;
  int structure; /* the same number: the same tree; below SETTING_STRUCTURES */
} setting;

enum { SETTING_STRUCTURES = PL_BUILDER_COUNT * PL_CUT_COUNT * 3 * 8 };

/* The rows of a product; `wish` must live as long. */
void settings_open(product *p, const settings_wish *wish);
setting setting_of(const product *p, size_t row);

/* All that was asked for has been seen. */
void settings_close(product *p);

/* All of it in a line, for messages. */
enum { SETTING_TEXT = 160 };
const char *setting_text(const setting *s, char text[SETTING_TEXT]);

#endif
