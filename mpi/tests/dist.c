/* Every question of the distributed scene, byte by byte against the library on one rank, frame
 * after frame.
 *
 *   mpirun -np N pliant_mpi_dist WORLD TRIANGLES FRAMES [PATCHES]   prints "done N: " and the
 *   rows on rank 0
 *   mpirun -np N pliant_mpi_dist all FRAMES               all worlds, with few and with many
 *   patches
 *   mpirun -np N pliant_mpi_dist files MARGIN FILE...     the frames of one body
 *   mpirun -np N pliant_mpi_dist fail                     bad input and lack of memory on one
 *   rank
 *   mpirun -np N pliant_mpi_dist abort                    the last rank aborts */
#include "pliant_mpi.h"
#include "world.h"

#include <stdio.h>

typedef struct serial {
  pl_context *context;
  pl_body *bodies[WORLD_BODIES];
} serial;

typedef struct list {
  char *data;
  size_t size, count;
} list;

static int rank, size;
enum { TOUCHING, NEAR_TRIANGLES, NEAR, NEAREST, IMPACTS, RAY_HITS, QUESTIONS };
static const char *const questions[QUESTIONS] = {"touching", "near triangles", "near", "nearest", "impacts", "rays"};
static size_t rows_seen[QUESTIONS];

static void check(bool good, const char *what)
{
  if (good) return;
  fprintf(stderr, "rank %d: FAILED: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void *list_add(list *l, size_t bytes)
{
  l->data = realloc(l->data, (l->count + 1) * bytes);
  check(l->data != NULL, "memory");
  return memset(l->data + bytes * l->count++, 0, bytes);
}

static void same_rows(list *want, const void *got, size_t count, size_t bytes, int question)
{
  const char *what = questions[question];
  char text[200];
  snprintf(text, sizeof text, "%s: %zu rows instead of %zu", what, count, want->count);
  check(count == want->count, text);
  for (size_t i = 0; i < count; ++i) {
    snprintf(text, sizeof text, "%s: row %zu of %zu differs", what, i, count);
    check(!memcmp(want->data + i * bytes, (const char *)got + i * bytes, bytes), text);
  }
  rows_seen[question] += count;
  free(want->data);
  *want = (list){0};
}

/* ------------------------------------------------------------------------------------ serial -- */

static void serial_make(serial *s, const world *w)
{
  check(pl_context_create(NULL, &s->context) == PL_OK, "context");
  for (size_t i = 0; i < w->count; ++i) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count);
    mesh.triangles = w->meshes[i].triangles;
    mesh.triangle_count = w->meshes[i].triangle_count;
    bool rigid = w->rigid && i == 0;
    if (rigid) mesh.positions = pl_positions_f32(w->meshes[i].rest, w->meshes[i].vertex_count);
    check((rigid ? pl_body_create_rigid : pl_body_create_free)(s->context, &mesh, NULL, &s->bodies[i]) == PL_OK,
          pl_context_message(s->context));
  }
}

static void serial_move(serial *s, const world *w)
{
  for (size_t i = 0; i < w->count; ++i) {
    pl_transform place;
    memcpy(place.m, w->place, sizeof place.m);
    memcpy(place.t, w->place + 9, sizeof place.t);
    check((w->rigid && i == 0
               ? pl_body_set_transform(s->bodies[i], &place)
               : pl_body_set_positions(s->bodies[i], pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count))) == PL_OK,
          "set");
  }
}

/* Calls `ask` for each body with itself and each two bodies, in order. */
static void each_two(const world *w, serial *s, double margin, list *out,
                     void (*ask)(serial *s, size_t a, size_t b, double margin, list *out))
{
  for (size_t a = 0; a < w->count; ++a)
    for (size_t b = a; b < w->count; ++b)
      if (a != b || w->self[a]) ask(s, a, b, margin, out);
}

static void serial_touching(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  (void)margin;
  def.sorted = true;
  check(pl_touching(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial touching");
  for (size_t i = 0; i < found->count; ++i) {
    pl_dist_pair *row = list_add(out, sizeof *row);
    *row = (pl_dist_pair){a, b, found->pairs[i].a, found->pairs[i].b};
  }
}

static void serial_near(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.margin = margin;
  check(pl_near_triangles(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial near");
  for (size_t i = 0; i < found->count; ++i) {
    const pl_near_pair *p = &found->near_pairs[i];
    pl_dist_near_pair *row = list_add(out, sizeof *row);
    *row = (pl_dist_near_pair){a, b, p->a, p->b, .distance = p->distance};
    memcpy(row->point_a, p->point_a, sizeof row->point_a);
    memcpy(row->point_b, p->point_b, sizeof row->point_b);
  }
}

static void serial_features(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.margin = margin;
  check(pl_near(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial features");
  for (size_t i = 0; i < found->count; ++i) {
    const pl_feature_pair *p = &found->features[i];
    pl_dist_feature *row = list_add(out, sizeof *row);
    *row = (pl_dist_feature){a, b, p->triangle_a, p->triangle_b, .kind = p->kind, .distance = p->distance};
    for (int k = 0; k < 3; ++k) {
      row->vertex_a[k] = p->vertex_a[k];
      row->vertex_b[k] = p->vertex_b[k];
    }
    memcpy(row->weight_a, p->weight_a, sizeof row->weight_a);
    memcpy(row->weight_b, p->weight_b, sizeof row->weight_b);
    memcpy(row->normal, p->normal, sizeof row->normal);
  }
}

static void serial_impacts(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.all = true;
  def.margin = margin;
  check(pl_impacts(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial impacts");
  for (size_t i = 0; i < found->count; ++i) {
    const pl_impact *p = &found->impacts[i];
    pl_dist_impact *row = list_add(out, sizeof *row);
    *row = (pl_dist_impact){a, b, .time = p->time, .kind = p->kind};
    for (int k = 0; k < 2; ++k) {
      row->feature_a[k] = p->feature_a[k];
      row->feature_b[k] = p->feature_b[k];
    }
    memcpy(row->normal, p->normal, sizeof row->normal);
    memcpy(row->point, p->point, sizeof row->point);
  }
}

static int compare_impacts(const void *x, const void *y)
{
  const pl_dist_impact *a = x, *b = y;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  const uint64_t p[] = {a->body_a,       a->body_b,       a->kind,        a->feature_a[0],
                        a->feature_a[1], a->feature_b[0], a->feature_b[1]};
  const uint64_t q[] = {b->body_a,       b->body_b,       b->kind,        b->feature_a[0],
                        b->feature_a[1], b->feature_b[0], b->feature_b[1]};
  for (int i = 0; i < 7; ++i)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}

/* --------------------------------------------------------------------------------- questions -- */

static void ask_rows(const world *w, pl_dist *d, serial *s, double margin)
{
  pl_dist_question def = pl_dist_question_default();
  list want = {0};
  pl_dist_pairs pairs;
  pl_dist_near_pairs near;
  pl_dist_features features;
  def.root = 0;
  def.margin = margin;
  check(pl_dist_touching(d, &def, &pairs) == PL_OK, pl_dist_message(d));
  if (rank == 0) each_two(w, s, 0, &want, serial_touching);
  same_rows(&want, pairs.rows, pairs.count, sizeof *pairs.rows, TOUCHING);
  check(pl_dist_near_triangles(d, &def, &near) == PL_OK, pl_dist_message(d));
  if (rank == 0) each_two(w, s, margin, &want, serial_near);
  same_rows(&want, near.rows, near.count, sizeof *near.rows, NEAR_TRIANGLES);
  check(pl_dist_near(d, &def, &features) == PL_OK, pl_dist_message(d));
  if (rank == 0) each_two(w, s, margin, &want, serial_features);
  same_rows(&want, features.rows, features.count, sizeof *features.rows, NEAR);
}

static void ask_impacts(const world *w, pl_dist *d, serial *s, double margin)
{
  pl_dist_question def = pl_dist_question_default();
  pl_dist_impact_result found;
  list want = {0};
  def.root = 0;
  def.margin = margin;
  check(pl_dist_impacts(d, &def, &found) == PL_OK, pl_dist_message(d));
  if (rank == 0) {
    each_two(w, s, margin, &want, serial_impacts);
    if (want.count) qsort(want.data, want.count, sizeof(pl_dist_impact), compare_impacts);
    double first = want.count ? ((const pl_dist_impact *)(const void *)want.data)->time : INFINITY;
    check(found.time == first, "time of the first impact");
  }
  same_rows(&want, found.rows, found.count, sizeof *found.rows, IMPACTS);
}

static void ask_nearest(const world *w, pl_dist *d, serial *s)
{
  pl_dist_nearest_result found;
  check(pl_dist_nearest(d, NULL, &found) == PL_OK, pl_dist_message(d));
  if (rank) return;
  list want = {0};
  pl_dist_near_pair *best = list_add(&want, sizeof *best);
  best->distance = INFINITY;
  for (size_t a = 0; a < w->count; ++a)
    for (size_t b = a + 1; b < w->count; ++b) {
      const pl_result *result;
      check(pl_nearest(pl_two(s->bodies[a], s->bodies[b]), NULL, &result) == PL_OK, "serial distance");
      const pl_distance at = result->distances[0];
      if (at.distance >= best->distance) continue;
      *best = (pl_dist_near_pair){a, b, at.triangle_a, at.triangle_b, .distance = at.distance};
      memcpy(best->point_a, at.point_a, sizeof at.point_a);
      memcpy(best->point_b, at.point_b, sizeof at.point_b);
    }
  same_rows(&want, &found.row, 1, sizeof found.row, NEAREST);
}

enum { RAYS = 200 };

static void ask_rays(const world *w, pl_dist *d, serial *s)
{
  pl_ray rays[RAYS];
  pl_dist_hits found;
  for (int i = 0; i < RAYS; ++i) {
    double from[3] = {cos(i * 0.7) * 5, sin(i * 1.3) * 5, cos(i * 2.9) * 5}, to[3];
    for (int k = 0; k < 3; ++k) to[k] = 0.3 * sin(i * 3.1 + k) - from[k];
    rays[i] = pl_ray_from(from, to);
  }
  check(pl_dist_cast(d, rays, RAYS, &found) == PL_OK, pl_dist_message(d));
  if (rank) return;
  list want = {0};
  for (int i = 0; i < RAYS; ++i) ((pl_dist_hit *)list_add(&want, sizeof(pl_dist_hit)))->t = INFINITY;
  pl_dist_hit *hits = (void *)want.data;
  for (size_t b = 0; b < w->count; ++b) {
    const pl_result *at;
    check(pl_cast(pl_one(s->bodies[b]), rays, RAYS, NULL, &at) == PL_OK, "serial rays");
    for (int i = 0; i < RAYS; ++i) {
      const pl_hit *h = &at->hits[i];
      if (!(h->t < hits[i].t)) continue;
      hits[i] = (pl_dist_hit){.t = h->t, .u = h->u, .v = h->v, .body = b, .triangle = h->triangle};
      memcpy(hits[i].normal, h->normal, sizeof h->normal);
    }
  }
  same_rows(&want, found.rows, found.count, sizeof *found.rows, RAY_HITS);
}

/* Rows that stay with their owners are those of the whole, each once. */
static void count_owned(pl_dist *d)
{
  pl_dist_pairs all, own;
  pl_dist_question def = pl_dist_question_default();
  check(pl_dist_touching(d, NULL, &own) == PL_OK, pl_dist_message(d));
  unsigned long long mine = own.count, sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  def.root = 0;
  check(pl_dist_touching(d, &def, &all) == PL_OK, pl_dist_message(d));
  check(rank != 0 || all.count == sum, "the owners' rows are not those of the whole");
  check(rank == 0 || all.count == 0, "rows on a rank that is not the root");
}

/* ------------------------------------------------------------------------------------ worlds -- */

static void add_bodies(const world *w, pl_dist *d)
{
  for (size_t i = 0; i < w->count; ++i) {
    uint64_t body;
    pl_mesh_def mesh = pl_mesh_def_default();
    int root = (int)i % size; /* a different rank brings each */
    mesh.positions = pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count);
    mesh.triangles = w->meshes[i].triangles;
    mesh.triangle_count = w->meshes[i].triangle_count;
    check(pl_dist_add_whole(d, root, rank == root ? &mesh : NULL, w->self[i], &body) == PL_OK, pl_dist_message(d));
    check(body == i, "number of a body");
  }
}

/* Even frames: each rank its own; odd ones: from a root. */
static void move_bodies(const world *w, pl_dist *d, int frame)
{
  for (size_t i = 0; i < w->count; ++i) {
    const uint64_t *ids;
    size_t count = pl_dist_vertices(d, i, &ids);
    double *own = malloc((3 * count + 1) * sizeof *own);
    check(own != NULL, "memory");
    for (size_t k = 0; k < count; ++k) memcpy(own + 3 * k, w->xyz[i] + 3 * ids[k], 3 * sizeof *own);
    pl_status status =
        frame % 2 ? pl_dist_scatter_positions(d, i, size - 1, pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count))
                  : pl_dist_set_positions(d, i, pl_positions_f64(own, count));
    check(status == PL_OK, pl_dist_message(d));
    free(own);
  }
}

static void play_frames(world *w, int frames, int patches, double margin)
{
  serial s = {0};
  pl_dist *d;
  pl_dist_def def = pl_dist_def_default();
  def.patches = patches;
  check(pl_dist_create(MPI_COMM_WORLD, &def, &d) == PL_OK, "create");
  add_bodies(w, d);
  if (rank == 0) serial_make(&s, w);
  for (int frame = 0; frame < frames; ++frame) {
    check(world_pose(w, frame), "pose");
    if (rank == 0) serial_move(&s, w);
    move_bodies(w, d, frame);
    ask_rows(w, d, &s, margin);
    ask_nearest(w, d, &s);
    ask_rays(w, d, &s);
    if (frame > 0) ask_impacts(w, d, &s, frame % 2 ? 0 : 0.05 * margin);
    for (size_t i = 0; i < w->count && rank == 0; ++i) check(pl_body_keep_pose(s.bodies[i]) == PL_OK, "keep");
    check(pl_dist_keep_poses(d) == PL_OK, "keep");
  }
  count_owned(d);
  pl_dist_destroy(d);
  pl_context_destroy(s.context);
  world_free(w);
}

static void play(const char *name, int triangles, int frames, int patches)
{
  world w;
  check(world_make(&w, name, triangles) && world_pose(&w, 0), "world");
  play_frames(&w, frames, patches, 0.02);
}

/* ------------------------------------------------------------------------------------- wrong -- */

/* An allocator that fails from its n-th request on. */
static long requests_left;

static void *allocate(void *user, size_t bytes)
{
  (void)user;
  if (requests_left-- <= 0) return NULL;
  return malloc(bytes);
}

static void deallocate(void *user, void *memory, size_t bytes)
{
  (void)user, (void)bytes;
  free(memory);
}

static void fail_input(void)
{
  world w;
  pl_dist *d;
  pl_dist_pairs before, after;
  check(world_make(&w, "balls", 500) && world_pose(&w, 0), "world");
  check(pl_dist_create(MPI_COMM_WORLD, NULL, &d) == PL_OK, "create");
  add_bodies(&w, d);
  check(pl_dist_touching(d, NULL, &before) == PL_OK, "touching");
  size_t count = before.count, number = 0;
  const uint64_t *ids;
  number = pl_dist_vertices(d, 0, &ids);
  double *bad = calloc(3 * number + 1, sizeof *bad);
  check(bad != NULL, "memory");
  if (rank == size - 1) bad[3 * number - 1] = NAN;
  check(pl_dist_set_positions(d, 0, pl_positions_f64(bad, number)) == PL_ERROR_POSITIONS, "a NaN on one rank");
  char want[64];
  snprintf(want, sizeof want, "rank %d: vertex %s", size - 1, "");
  check(!strncmp(pl_dist_message(d), want, strlen(want)), pl_dist_message(d));
  check(pl_dist_set_positions(d, 0, pl_positions_f64(bad, rank ? number : number - 1)) != PL_OK, "a wrong count");
  check(pl_dist_set_positions(d, 9, pl_positions_f64(bad, number)) == PL_ERROR_ARGUMENT, "no such body");
  check(pl_dist_touching(d, NULL, &after) == PL_OK && after.count == count, "a refused call changed something");
  free(bad);
  pl_dist_destroy(d);
  world_free(&w);
}

/* The last rank runs out of memory at every request in turn. */
static void fail_memory(void)
{
  world w;
  check(world_make(&w, "cloth", 300) && world_pose(&w, 0), "world");
  bool all = false;
  for (long at = 0; !all && at < 3000; at += at < 40 ? 1 : 37) {
    pl_dist *d = NULL;
    pl_context_def context = pl_context_def_default();
    pl_dist_def def = pl_dist_def_default();
    def.patches = 8;
    context.threads = 1;
    context.allocator.allocate = allocate;
    context.allocator.release = deallocate;
    requests_left = at;
    if (rank == size - 1) def.context = &context;
    pl_status status = pl_dist_create(MPI_COMM_WORLD, &def, &d);
    uint64_t body;
    pl_dist_pairs pairs;
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(w.xyz[0], w.meshes[0].vertex_count);
    mesh.triangles = w.meshes[0].triangles;
    mesh.triangle_count = w.meshes[0].triangle_count;
    if (status == PL_OK) status = pl_dist_add_whole(d, 0, rank ? NULL : &mesh, true, &body);
    if (status == PL_OK) status = pl_dist_touching(d, NULL, &pairs);
    int mine = (int)status, least, most;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    check(least == most, "ranks disagree on the status");
    check(status == PL_OK || status == PL_ERROR_MEMORY, "status of a lack of memory");
    all = status == PL_OK;
    pl_dist_destroy(d);
  }
  check(all, "never enough memory");
  world_free(&w);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "balls";
  if (!strcmp(what, "abort")) {
    if (rank == size - 1) abort();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!strcmp(what, "fail")) {
    fail_input();
    fail_memory();
  } else if (!strcmp(what, "files")) {
    world w;
    check(argc > 3 && world_make_files(&w, argv + 3, argc - 3), "files");
    play_frames(&w, argc - 3, 64, atof(argv[2]));
  } else if (!strcmp(what, "all")) {
    int frames = argc > 2 ? atoi(argv[2]) : 4;
    play("balls", 1000, frames, 16);
    play("apart", 1000, 2, 16);
    play("rigid", 1000, frames, 16);
    play("cloth", 600, frames, 16);
    play("cloth", 600, 2, 1);    /* one patch for each rank and body */
    play("cloth", 200, 2, 1000); /* more patches than triangles */
    play("soup", 200, 2, 16);
  } else {
    int triangles = argc > 2 ? atoi(argv[2]) : 1000, frames = argc > 3 ? atoi(argv[3]) : 4;
    play(what, triangles, frames, argc > 4 ? atoi(argv[4]) : 16);
  }
  if (rank == 0) {
    printf("done %d:", size);
    for (int i = 0; i < QUESTIONS; ++i) printf(" %zu %s%s", rows_seen[i], questions[i], i + 1 < QUESTIONS ? "," : "\n");
  }
  MPI_Finalize();
  return 0;
}
