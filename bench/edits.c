/* What an edit costs: batches at random places of a sheet, over its number of triangles. A batch
 * splits a vertex, adds a flap with a vertex of its own, removes a triangle and gives another one
 * other corners: five edits. So many that the tree is built again at least once; that counts.
 * Volumes are current, as a question has been asked, so every batch refits those above it. One
 * thread; processor time. After the last batch the triangles that touch a ball are those of a body
 * that is created from the edited mesh. */
#include "bench/experiment.h"
#include "pliant/pliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES = 5, PER_BATCH = 5, BONES = 4, MOTIONS = 5 };

/* Bodies that match shapes build their sphere tree again for every batch: they have no row. */
static const pl_motion motions[MOTIONS] = {PL_MOTION_FREE, PL_MOTION_SKIN, PL_MOTION_EMBED, PL_MOTION_MORPH,
                                           PL_MOTION_FLIGHT};

typedef struct stage {
  pl_context *context;
  pl_motion motion;
  pl_body *sheet, *ball;
  double *xyz;
  uint32_t *triangles;
  uint32_t side;
  uint64_t draws;
} stage;

typedef struct cost {
  double first_ms, per_edit_us, longest_ms, median_us;
  size_t triangles, edits;
} cost;

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint32_t draw(stage *s, size_t below)
{
  s->draws = s->draws * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((s->draws >> 33) % below);
}

/* ------------------------------------------------------------------------------------ meshes -- */

static void make_sheet(stage *s)
{
  const uint32_t n = s->side + 1;
  uint32_t *out = s->triangles;
  for (uint32_t v = 0; v < n * n; ++v) {
    const double x = 2.0 * (v % n) / s->side - 1, z = 2.0 * (v / n) / s->side - 1;
    const double at[3] = {x, 0.1 * sin(5 * x) * cos(4 * z), z};
    memcpy(s->xyz + 3 * (size_t)v, at, sizeof at);
  }
  for (uint32_t j = 0; j < s->side; ++j)
    for (uint32_t i = 0; i < s->side; ++i, out += 6) {
      const uint32_t a = j * n + i, quad[6] = {a, a + 1, a + n, a + 1, a + n + 1, a + n};
      memcpy(out, quad, sizeof quad);
    }
}

static pl_status make_ball(stage *s)
{
  static const double corner[6][3] = {{0.2, 0, 0}, {-0.2, 0, 0}, {0, 0.2, 0}, {0, -0.2, 0}, {0, 0, 0.2}, {0, 0, -0.2}};
  static const uint32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(corner[0], 6);
  mesh.triangles = faces;
  mesh.triangle_count = 8;
  return pl_body_create_free(s->context, &mesh, NULL, &s->ball);
}

static void close_stage(stage *s)
{
  pl_context_destroy(s->context);
  free(s->xyz);
  free(s->triangles);
}

/* Two of the bones, or corners of a frame, by how far along a vertex is. */
static void weigh(double x, bool bones, uint32_t governors[4], double weights[4])
{
  const double along = fmin(fmax((x + 1) / 2, 0), 1) * (BONES - 1);
  const uint32_t first = along < BONES - 2 ? (uint32_t)along : BONES - 2;
  for (uint32_t k = 0; k < 4; ++k) {
    governors[k] = k;
    weights[k] = k == first ? 1 - (along - first) : k == first + 1 ? along - first : 0;
  }
  (void)bones;
}

static pl_status make_governed(stage *s, const pl_mesh_def *mesh)
{
  static const double controls[BONES][3] = {{-1, 0, 0}, {-0.33, 0.1, 0}, {0.33, -0.1, 0}, {1, 0, 0}};
  const size_t n = mesh->positions.count;
  uint32_t(*governors)[4] = malloc(n * sizeof *governors);
  double(*weights)[4] = malloc(n * sizeof *weights);
  pl_status status = governors && weights ? PL_OK : PL_ERROR_MEMORY;
  for (size_t v = 0; status == PL_OK && v < n; ++v) weigh(s->xyz[3 * v], true, governors[v], weights[v]);
  const pl_weights rows = {n, NULL, 4, governors ? governors[0] : NULL, weights ? weights[0] : NULL, PL_F64, false};
  pl_skin_def skin = pl_skin_def_default();
  pl_embed_def embed = pl_embed_def_default();
  skin.bone_count = BONES;
  skin.weights = embed.weights = rows;
  embed.controls = pl_positions_f64(controls[0], BONES);
  if (status == PL_OK)
    status = s->motion == PL_MOTION_SKIN ? pl_body_create_skin(s->context, mesh, &skin, NULL, &s->sheet)
                                         : pl_body_create_embed(s->context, mesh, &embed, NULL, &s->sheet);
  free(governors);
  free(weights);
  return status;
}

static pl_status make_sheet_body(stage *s, const pl_mesh_def *mesh)
{
  static const double times[2] = {0, 1};
  const pl_positions poses[2] = {mesh->positions, mesh->positions};
  pl_morph_def morph = pl_morph_def_default();
  pl_flight_def flight = pl_flight_def_default();
  morph.references = flight.poses = poses;
  morph.reference_count = 2;
  flight.times = times;
  flight.key_count = flight.pose_count = 2;
  return s->motion == PL_MOTION_FREE     ? pl_body_create_free(s->context, mesh, NULL, &s->sheet)
         : s->motion == PL_MOTION_MORPH  ? pl_body_create_morph(s->context, mesh, &morph, NULL, &s->sheet)
         : s->motion == PL_MOTION_FLIGHT ? pl_body_create_flight(s->context, mesh, &flight, NULL, &s->sheet)
                                         : make_governed(s, mesh);
}

static bool open_stage(stage *s, pl_motion motion, int triangles)
{
  pl_context_def context = pl_context_def_default();
  pl_mesh_def mesh = pl_mesh_def_default();
  context.threads = 1;
  *s = (stage){.motion = motion, .side = (uint32_t)sqrt(triangles / 2.0), .draws = 5};
  const size_t n = (size_t)(s->side + 1) * (s->side + 1), count = 2 * (size_t)s->side * s->side;
  s->xyz = malloc(3 * n * sizeof *s->xyz);
  s->triangles = malloc(3 * count * sizeof *s->triangles);
  if (!s->xyz || !s->triangles || pl_context_create(&context, &s->context) != PL_OK) return false;
  make_sheet(s);
  mesh.positions = pl_positions_f64(s->xyz, n);
  mesh.triangles = s->triangles;
  mesh.triangle_count = count;
  return make_sheet_body(s, &mesh) == PL_OK && make_ball(s) == PL_OK;
}

/* ------------------------------------------------------------------------------------- edits -- */

static bool ask(stage *s, pl_body *sheet, bool reference, pl_pair **pairs, size_t *count)
{
  const pl_result *found;
  pl_question how = pl_question_default();
  how.sorted = true;
  how.reference = reference;
  if (pl_touching(pl_two(sheet, s->ball), &how, &found) != PL_OK) return false;
  *count = found->count;
  *pairs = malloc((found->count + 1) * sizeof **pairs);
  if (*pairs) memcpy(*pairs, found->pairs, found->count * sizeof **pairs);
  return *pairs != NULL;
}

/* Two triangles of the mesh as it was, each in one batch only: the first one becomes a flap of
 * two, and the last of them is cut off along an edge; the second one is turned around. */
static pl_status play_batch(stage *s, const uint32_t *order, size_t batch)
{
  const uint32_t removed = order[2 * batch], changed = order[2 * batch + 1];
  const uint32_t *old = s->triangles + 3 * (size_t)removed, *other = s->triangles + 3 * (size_t)changed;
  const uint32_t next = (uint32_t)pl_body_vertex_count(s->sheet), all[2] = {0, 1},
                 split[1] = {next - (batch > 1 ? 2 : 1)};
  const uint32_t last = (uint32_t)pl_body_triangle_count(s->sheet) - 1; /* of the batch before */
  const uint32_t flap[6] = {old[0], old[1], next, old[1], old[2], next}, turned[3] = {other[0], other[2], other[1]};
  const double *at = s->xyz + 3 * (size_t)old[0], place[3] = {at[0], at[1] + 1e-3, at[2]};
  pl_edit edit = pl_edit_default();
  uint32_t governors[4];
  double weights[4];
  const pl_weights row = {1, NULL, 4, governors, weights, PL_F64, false};
  const pl_positions other_place = pl_positions_f64(place, 1);
  weigh(place[0], s->motion == PL_MOTION_SKIN, governors, weights);
  edit.vertices = other_place;
  if (s->motion == PL_MOTION_EMBED) {
    const pl_positions alone = {.count = 1};
    edit.vertices = alone;
  }
  if (s->motion == PL_MOTION_SKIN || s->motion == PL_MOTION_EMBED) edit.weights = &row;
  if (s->motion == PL_MOTION_MORPH || s->motion == PL_MOTION_FLIGHT) edit.poses = &other_place, edit.pose_count = 1;
  edit.split_vertices = split;
  edit.split_first = all;
  edit.split_triangles = &last;
  edit.split_count = batch > 0;
  edit.removed_triangles = &removed;
  edit.removed_triangle_count = 1;
  edit.changed_triangles = &changed;
  edit.changed_corners = turned;
  edit.changed_count = 1;
  edit.added_corners = flap;
  edit.added_count = 2;
  return pl_body_edit(s->sheet, &edit);
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* In random order, each once. */
static uint32_t *shuffled(stage *s, size_t n)
{
  uint32_t *order = malloc(n * sizeof *order);
  for (size_t k = 0; order && k < n; ++k) order[k] = (uint32_t)k;
  for (size_t k = n; order && k-- > 1;) {
    const size_t other = draw(s, k + 1);
    const uint32_t kept = order[k];
    order[k] = order[other];
    order[other] = kept;
  }
  return order;
}

static bool play(stage *s, cost *c)
{
  const size_t n = 2 * (size_t)s->side * s->side, batches = 2 * n / 5;
  uint32_t *order = shuffled(s, n);
  double *took = malloc(batches * sizeof *took), total = 0;
  pl_edit nothing = pl_edit_default();
  pl_pair *pairs = NULL;
  size_t count;
  double start = now_ms();
  bool ok = order && took && pl_body_edit(s->sheet, &nothing) == PL_OK;
  c->first_ms = now_ms() - start;
  ok = ok && ask(s, s->sheet, false, &pairs, &count);
  free(pairs);
  for (size_t k = 0; ok && k < batches; ++k) {
    start = now_ms();
    ok = play_batch(s, order, k) == PL_OK;
    took[k] = now_ms() - start;
    total += took[k];
  }
  if (ok) {
    qsort(took, batches, sizeof *took, by_value);
    c->triangles = n;
    c->edits = batches * PER_BATCH;
    c->longest_ms = took[batches - 1];
    c->median_us = 1e3 * took[batches / 2] / PER_BATCH;
    c->per_edit_us = 1e3 * total / (double)c->edits;
  }
  free(order);
  free(took);
  return ok;
}

/* ------------------------------------------------------------------------------------- check -- */

/* A body of the triangles that there are; ids: their indices. */
static pl_body *copy_of(stage *s, uint32_t *ids, size_t *count)
{
  const size_t n = pl_body_triangle_count(s->sheet), vertices = pl_body_vertex_count(s->sheet);
  uint32_t *triangles = malloc(3 * n * sizeof *triangles);
  double *xyz = malloc(3 * vertices * sizeof *xyz);
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body = NULL;
  *count = 0;
  if (triangles && xyz && pl_body_triangles(s->sheet, triangles, n) == PL_OK &&
      pl_body_positions(s->sheet, NULL, vertices, PL_F64, xyz, 0) == PL_OK) {
    for (size_t k = 0; k < n; ++k) {
      if (triangles[3 * k] == PL_NONE) continue;
      memmove(triangles + 3 * *count, triangles + 3 * k, 3 * sizeof *triangles);
      ids[(*count)++] = (uint32_t)k;
    }
    mesh.positions = pl_positions_f64(xyz, vertices);
    mesh.triangles = triangles;
    mesh.triangle_count = *count;
    if (pl_body_create_free(s->context, &mesh, NULL, &body) != PL_OK) body = NULL;
  }
  free(triangles);
  free(xyz);
  return body;
}

static bool check(stage *s, bench_report *report)
{
  uint32_t *ids = malloc(pl_body_triangle_count(s->sheet) * sizeof *ids);
  pl_pair *edited = NULL, *created = NULL, *plain = NULL;
  size_t live, count, other, all;
  pl_body *copy = ids ? copy_of(s, ids, &live) : NULL;
  bool ok = copy && ask(s, s->sheet, false, &edited, &count) && ask(s, copy, false, &created, &other) &&
            ask(s, copy, true, &plain, &all);
  ok = ok && count && count == other && count == all && !memcmp(created, plain, count * sizeof *plain);
  for (size_t k = 0; ok && k < count; ++k) ok = edited[k].a == ids[created[k].a] && edited[k].b == created[k].b;
  if (ok) bench_compared(&report->compared, "pairs", "a body created from the edited mesh", -1, count);
  if (ok) bench_compared(&report->compared, "pairs", BENCH_REFERENCE, -1, count);
  free(ids);
  free(plain);
  free(edited);
  free(created);
  return ok || (bench_fail(report, "the edited body has other pairs than one created from its mesh"), false);
}

/* --------------------------------------------------------------------------------------- run -- */

static const bench_column columns[] = {{"motion", "", 0},
                                       {"triangles", "triangles", 0},
                                       {"edits", "edits", 0},
                                       {"us", "us per edit", 2},
                                       {"median_us", "median", 2},
                                       {"first_ms", "first edit, ms", 1},
                                       {"longest_ms", "longest batch, ms", 1}};

/* The slope of the line that fits log(cost) over log(triangles). */
static double slope(const cost *c, int count)
{
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int k = 0; k < count; ++k) {
    const double a = log((double)c[k].triangles), b = log(c[k].per_edit_us);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

static bool run_size(bench_report *report, pl_motion motion, int triangles, cost *c)
{
  stage s;
  const char *word = pl_word(PL_WORDS_MOTION, (int)motion);
  bench_progress(report, "edits: %s, %d triangles", word, triangles);
  bench_compared_scene(&report->compared, 0, "%s, %d triangles", word, triangles);
  bool ok = open_stage(&s, motion, triangles) && play(&s, c);
  if (!ok) bench_fail(report, "%s", s.context ? pl_context_message(s.context) : "out of memory");
  ok = ok && check(&s, report);
  const double numbers[] = {(double)c->triangles, (double)c->edits, c->per_edit_us,
                            c->median_us,         c->first_ms,      c->longest_ms};
  if (ok) bench_text(&report->summary, word);
  for (size_t i = 0; ok && i < sizeof numbers / sizeof *numbers; ++i) bench_number(&report->summary, numbers[i]);
  close_stage(&s);
  return ok;
}

/* Free bodies up to a million triangles, the others up to a hundred thousand. */
bool edits_run(const bench_options *options, bench_report *report)
{
  const int least = options->quick ? 1000 : 10000, sizes = options->quick ? 3 : SIZES;
  double worst = 0, largest = 0;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  for (int m = 0; m < MOTIONS; ++m) {
    cost costs[SIZES] = {{0}};
    const int count = m ? 3 : sizes;
    for (int k = 0; k < count; ++k)
      if (!run_size(report, motions[m], (int)(least * pow(10, 0.5 * k)), &costs[k])) return false;
    const double exponent = slope(costs, count);
    if (!m) largest = costs[count - 1].per_edit_us;
    if (!m) bench_headline_add(report, "exponent", exponent, NAN);
    worst = fmax(worst, exponent);
  }
  bench_headline_add(report, "us", largest, NAN);
  bench_headline_add(report, "exponent_worst", worst, NAN);
  bench_note(report,
             "Processor time per edit in batches of %d, of all batches but the first edit, with the trees "
             "that are built again; the longest batch is one that builds a tree. exponent_worst: of any motion.",
             PER_BATCH);
  return true;
}
