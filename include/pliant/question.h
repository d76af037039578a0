/* Who is asked, and what all questions have in common.
 *
 * A question is asked of somebody: two bodies, one body, or all bodies of a scene. Who is asked
 * changes neither the question nor its options, its result or the lifetime of the result.
 *
 *   pl_touching(pl_two(cloth, table), NULL, &pairs);  // the triangles of two bodies
 *   pl_touching(pl_self(cloth), NULL, &pairs);        // of one body against itself
 *   pl_touching(pl_all(scene), NULL, &pairs);         // of all pairs of members, and of members
 *                                                     // with `self` against themselves
 *   pl_cast(pl_one(cloth), rays, count, NULL, &hits); // probes: one body, or a scene
 *
 * Options that several definitions have mean the same in all of them:
 *   sorted     true: rows of a group are sorted by their indices. false: in the order of the walk,
 *              which depends on the trees only
 *   first      end the search of a group at the first row that is found
 *   margin     features that are at most this far apart
 *   rings      within one body: leave out features that fewer than this many edges join
 *   filter     called before a pair is tested; returns false to leave it out. It sees both bodies,
 *              `a` and `b`, which are equal within one body. Several threads call it at once unless
 *              the context has one; calls into the context are refused with PL_ERROR_BUSY
 *   user       passed to filters and callbacks
 *   budget_... end after about so many volume tests, or so much wall time; 0: no limit. The result
 *              then says that it is `partial`
 *   reference  true: answer without trees, by trying all pairs in exact arithmetic. Slow; meant for
 *              checking. Rows are always sorted, and budgets are ignored
 *   holder     where the result lives; NULL: see below
 *
 * Results. A result lives in a holder until the next question of the same kind that is given this
 * holder, or until the holder is destroyed. Without a holder it lives until the same thread asks
 * the same question again in the same context. It does not change when bodies move. */
#ifndef PLIANT_QUESTION_H
#define PLIANT_QUESTION_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_scene pl_scene; /* scene.h */

/* ----------------------------------------------------------------------------------- who -- */

/* Who is asked. Get one from a function below; it owns nothing. */
typedef struct pl_who {
  pl_body *a, *b;  /* NULL for a scene; equal: one body */
  pl_scene *scene; /* NULL for bodies */
} pl_who;

/* Two bodies of one context; pl_two(a, a) is pl_self(a). */
static inline pl_who pl_two(pl_body *a, pl_body *b)
{
  pl_who who;
  who.a = a;
  who.b = b;
  who.scene = NULL;
  return who;
}

/* One body, against itself; and the same under the name that reads well for probes. */
static inline pl_who pl_self(pl_body *body) { return pl_two(body, body); }
static inline pl_who pl_one(pl_body *body) { return pl_two(body, body); }

/* All pairs of members of a scene that their groups, masks and exclusions let meet, and every
 * member with `self` against itself. */
static inline pl_who pl_all(pl_scene *scene)
{
  pl_who who;
  who.a = NULL;
  who.b = NULL;
  who.scene = scene;
  return who;
}

/* ------------------------------------------------------------------------ pairs of triangles -- */

/* Two triangles by the caller's indices: `a` of the first body, `b` of the second. Within one body
 * a < b. */
typedef struct pl_pair {
  uint32_t a, b;
} pl_pair;

/* Called before two triangles are tested. Returns false to leave them out.
 *   a, b  the bodies; equal within one body
 *   pair  a triangle of each */
typedef bool (*pl_pair_filter)(void *user, pl_body *a, pl_body *b, pl_pair pair);

/* -------------------------------------------------------------------------------- results -- */

/* The rows [begin, end) of a result that belong to two bodies, or to one: then a == b. Groups come
 * in the order in which members were added, by a, then b; only groups with rows are listed. */
typedef struct pl_group {
  pl_body *a, *b;
  size_t begin, end;
} pl_group;

/* Keeps the last result of each kind of question that is given it, so that a caller can hold
 * several results of one kind: near features of this step and of the last one. One thread at a time
 * may use a holder. */
typedef struct pl_holder pl_holder;

/* Creates an empty holder.
 *   out  NULL on failure
 * The context destroys it at the latest. */
PL_API pl_status pl_holder_create(pl_context *context, pl_holder **out);

/* Destroys the holder and the results in it. NULL is allowed. */
PL_API void pl_holder_destroy(pl_holder *holder);

#ifdef __cplusplus
}
#endif
#endif
