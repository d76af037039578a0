#include "update/choice.h"

#include "motion/governed.h"

static const double on_demand = 3;     /* a volume from vertices that a walk waits for */
static const double per_read = 0.05;   /* reading a vertex in a run */
static const double enough = 0.8;      /* hysteresis */
static const double trial_share = 0.2; /* of all volumes: what a mode without a record is given */

enum { FIRST_PATIENCE = 16, MOST_PATIENCE = 1024 };

bool choice_suits(const pl_body_def *def)
{
  const strategy_row *row = strategy_row_of(def->strategy);
  if (def->eager_levels >= 0) return false;
  return row->source == &source_governed || (row->source == &source_vertices && row->schedule == &schedule_middle);
}

/* Weights per vertex decide what evaluating costs; measured on skins of 4 to 6 and particles of
 * 20. */
static void cost_of_evaluating(choice *c, const motion *m)
{
  if (!(m->kind->traits & MOTION_GOVERNED) || !m->now.evaluate) return;
  const governed *g = m->controls;
  const double weights = (double)g->live_entries / (double)g->vertex_count;
  c->per_vertex = (2 + 1.3 * weights) / 6;
  c->per_leaf = 6 + 2.5 * weights;
}

bool choice_open(update *u)
{
  u->choice = mem_new(&u->context->def.allocator, 1, sizeof *u->choice);
  return u->choice != NULL;
}

void choice_begin_with(update *u, const motion *m)
{
  const tree *t = u->tree;
  choice *c = u->choice;
  *c = (choice){.motion = m,
                .upper_levels = u->eager_levels,
                .source = u->source,
                .schedule = u->schedule,
                .mode = m->now.evaluate ? MODE_OWN : MODE_UPPER};
  cost_of_evaluating(c, m);
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i)
    if (t->nodes.level[i] < u->eager_levels) c->upper += t->nodes.children[i];
  for (int k = 0; k < ASKED_KINDS; ++k) {
    choice_record *r = &c->record[k];
    r->mode = c->mode;
    r->patience = FIRST_PATIENCE;
    for (int i = 0; i < MODE_COUNT; ++i) r->demanded[i] = -1;
  }
  if (c->mode == MODE_OWN) u->eager_levels = 0;
  u->tree->bytes += sizeof *c;
}

void choice_free(update *u)
{
  if (!u->choice) return;
  mem_free(&u->context->locked, u->choice->copy);
  mem_free(&u->context->def.allocator, u->choice);
  u->choice = NULL;
}

void choice_grown(update *u)
{
  if (!u->choice || !u->choice->copy) return;
  mem_free(&u->context->locked, u->choice->copy);
  u->choice->copy = NULL;
  u->tree->bytes -= u->choice->copied * sizeof *u->choice->copy;
}

/* --------------------------------------------------------------------------------- estimates -- */

/* What walks would ask for in another mode, from what they have asked for in the present one. */
static double demanded_in(const choice *c, const choice_record *r, update_mode mode, double all)
{
  if (r->demanded[mode] >= 0) return r->demanded[mode];
  const double upper = c->upper, root = 8, seen = r->demanded[r->mode];
  if (r->mode == MODE_WHOLE || seen < 0) return trial_share * all;
  if (mode == MODE_UPPER) return seen > upper ? seen - upper : 0;
  if (r->mode != MODE_UPPER) return seen;
  /* above each block that walks have asked for there is one block in each of the upper levels */
  const double above = root + (c->upper_levels - 1) * seen;
  return seen + (upper < above ? upper : above);
}

static void estimate(update *u, const choice_record *r)
{
  choice *c = u->choice;
  const tree *t = u->tree;
  const double all = (double)t->nodes.inner_count - 1 + t->nodes.leaf_count, vertices = (double)t->prims.vertex_count,
               store = vertices * c->per_vertex;
  double *cost = c->costs;
  c->reading = store + per_read * vertices;
  cost[MODE_WHOLE] = store + all;
  cost[MODE_UPPER] = c->reading + on_demand * (c->upper + demanded_in(c, r, MODE_UPPER, all));
  cost[MODE_NONE] = c->reading + on_demand * demanded_in(c, r, MODE_NONE, all);
  cost[MODE_OWN] = c->per_vertex > 0 ? (demanded_in(c, r, MODE_OWN, all) + r->probes) * c->per_leaf : INFINITY;
}

/* ------------------------------------------------------------------------------------- modes -- */

bool choice_store(update *u)
{
  choice *c = u->choice;
  if (c->mode != MODE_OWN) return true;
  if (!c->copy) {
    const size_t count = c->motion->vertex_count + 1; /* kernels load one float more */
    c->copy = mem_raw(&u->context->locked, count, sizeof *c->copy);
    if (!c->copy) return false;
    c->copied = count;
    u->tree->bytes += count * sizeof *c->copy;
  }
  motion_evaluate_into(u->context, c->motion, c->copy);
  c->stored = c->motion->now;
  c->stored.type = PL_F64;
  c->stored.evaluate = NULL;
  c->stored.data = (const char *)c->copy;
  c->stored.stride = sizeof *c->copy;
  u->points = &c->stored;
  u->source = &source_gathered;
  u->schedule = &schedule_middle;
  c->mode = MODE_UPPER;
  return true;
}

bool choice_wants_store(const update *u)
{
  const choice *c = u->choice;
  if (!c || c->mode != MODE_OWN) return false;
  const double all = (double)u->tree->nodes.inner_count + u->tree->nodes.leaf_count;
  return CHOICE_RAY * u->rays * c->per_leaf > u->tree->prims.vertex_count * c->per_vertex + all;
}

/* Does a mode cost less than so much of another? What both have in common does not count. */
static bool is_less(const choice *c, update_mode mode, double part, update_mode other)
{
  const bool alike = mode != MODE_WHOLE && mode != MODE_OWN && other != MODE_WHOLE && other != MODE_OWN;
  const double common = alike ? c->reading : 0;
  return c->costs[mode] - common < part * (c->costs[other] - common);
}

static update_mode least_of(const choice *c, update_mode now)
{
  update_mode best = now;
  for (int i = 0; i < MODE_COUNT; ++i)
    if (is_less(c, (update_mode)i, best == now ? enough : 1, best)) best = (update_mode)i;
  return best;
}

void choice_begin(update *u)
{
  choice *c = u->choice;
  choice_record *r = &c->record[c->kind];
  const double expected = CHOICE_LEAF * (double)c->points; /* known before the question */
  if (expected > r->probes) r->probes = expected;
  if (++r->age >= r->patience) {
    r->age = 0;
    if (r->patience < MOST_PATIENCE) r->patience *= 2;
    for (int i = 0; i < MODE_COUNT; ++i)
      if (i != (int)r->mode) r->demanded[i] = -1;
    if (r->mode == MODE_WHOLE) r->demanded[MODE_WHOLE] = -1;
  }
  if (!r->known) { /* nothing is asked of the tree so far, as far as is known */
    r->demanded[r->mode] = r->mode == MODE_OWN ? 0 : trial_share * u->tree->nodes.leaf_count;
  }
  estimate(u, r);
  update_mode mode = least_of(c, r->mode);
  if (mode != MODE_OWN && c->mode == MODE_OWN && !choice_store(u)) mode = MODE_OWN;
  if (mode != r->mode) r->age = 0;
  r->mode = c->mode = mode;
  u->eager_levels = mode == MODE_WHOLE ? u->tree->nodes.depth : mode == MODE_UPPER ? c->upper_levels : 0;
}

/* What the frame has cost. */
static void record(update *u)
{
  choice *c = u->choice;
  choice_record *r = &c->record[c->kind];
  const double before = r->demanded[c->mode], now = (double)c->demanded;
  const bool by_rays = u->whole_done && c->mode != MODE_WHOLE;
  /* the scene is another one: what other modes cost is not known any more */
  if (r->known && c->mode == r->mode && before >= 0 && (now > 2 * before + c->upper || before > 2 * now + c->upper))
    for (int i = 0; i < MODE_COUNT; ++i) r->demanded[i] = -1;
  if (c->mode != MODE_WHOLE) r->demanded[c->mode] = by_rays ? 0 : now;
  r->mode = c->mode;
  const double probes = CHOICE_LEAF * (double)c->points + CHOICE_RAY * u->rays;
  if (c->mode != MODE_WHOLE || probes > r->probes) r->probes = probes; /* rays are not counted then */
  r->known = true;
}

void choice_end(update *u)
{
  choice *c = u->choice;
  if (!u->pending) record(u);
  c->demanded = 0;
  c->points = 0;
  u->points = &c->motion->now;
  u->source = c->source;
  u->schedule = c->schedule;
  c->mode = c->per_vertex > 0 ? MODE_OWN : MODE_UPPER;
}

/* ------------------------------------------------------------------------------------- facts -- */

uint64_t choice_demanded(const update *u) { return u->choice ? u->choice->demanded : 0; }

void choice_forget(update *u, uint64_t demanded)
{
  if (u->choice) u->choice->demanded = demanded;
}

static const char *reason_of(const update *u)
{
  const choice *c = u->choice;
  if (u->pending) return "no question has been asked since positions were set";
  if (u->whole_done && c->mode != MODE_WHOLE) return "many rays entered its box";
  if (!c->record[c->kind].known) return "nothing is known about such questions yet";
  return c->mode == MODE_WHOLE  ? "walks ask for so many volumes that a pass over all costs less"
         : c->mode == MODE_NONE ? "walks ask for fewer volumes than the upper levels have"
         : c->mode == MODE_OWN  ? "walks ask for so few volumes that evaluating all vertices would cost more"
                                : "walks ask for a part of the volumes";
}

void choice_info(const update *u, pl_body_info *out)
{
  static const char *const names[] = {
      [MODE_UPPER] = "upper", [MODE_NONE] = "none", [MODE_WHOLE] = "whole", [MODE_OWN] = "own"};
  const choice *c = u->choice;
  out->choice = "fixed";
  out->reason = "the strategy was given, or no other suits the motion";
  if (!c) return;
  out->choice = names[u->whole_done ? MODE_WHOLE : c->mode];
  out->reason = reason_of(u);
  out->cost_upper = c->costs[MODE_UPPER];
  out->cost_none = c->costs[MODE_NONE];
  out->cost_whole = c->costs[MODE_WHOLE];
  out->cost_own = c->costs[MODE_OWN] < INFINITY ? c->costs[MODE_OWN] : 0;
  out->demanded = c->demanded;
}
