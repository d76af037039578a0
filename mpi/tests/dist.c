/* Every question of the distributed scene, byte by byte against the library on one rank, frame
 * after frame.
 *
 *   mpirun -np N pliant_mpi_dist WORLD TRIANGLES FRAMES [PATCHES]   prints "done N: " and the
 *   rows on rank 0
 *   mpirun -np N pliant_mpi_dist all FRAMES               all worlds, with few and with many
 *   patches
 *   mpirun -np N pliant_mpi_dist product FRAMES [WORLD]   all kinds of worlds, cut in every way
 *   mpirun -np N pliant_mpi_dist files|cuts MARGIN FRAMES FILE...   a sequence that moves freely,
 *   and its first frame moved as rigid and as a skin; as a whole, or cut in every way
 *   mpirun -np N pliant_mpi_dist fail                     bad input and lack of memory on one
 *   rank
 *   mpirun -np N pliant_mpi_dist hungry                   the last rank has too little memory
 *   mpirun -np N pliant_mpi_dist abort|kill|exit|leave    the last rank ends so */
#include "dist_test.h"

#include <stdio.h>

int rank, size;
uint64_t first_id;
enum { TOUCHING, NEAR_TRIANGLES, NEAR, NEAREST, IMPACTS, RAY_HITS, QUESTIONS };
static const char *const questions[QUESTIONS] = {"touching", "near triangles", "near", "nearest", "impacts", "rays"};
static size_t rows_seen[QUESTIONS], moves;

void check(bool good, const char *what)
{
  if (good) return;
  fprintf(stderr, "rank %d: FAILED: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
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
  check(strcmp(w->name, "apart") != 0 || pairs.counters.bytes_sent == 0, "patches that are near nothing were sent");
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
      *best = (pl_dist_near_pair){a, b, at.triangle_a + first_id, at.triangle_b + first_id, .distance = at.distance};
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
      hits[i] = (pl_dist_hit){.t = h->t, .u = h->u, .v = h->v, .body = b, .triangle = h->triangle + first_id};
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

/* Who brings which triangle: the whole by one rank, or parts by all. */
enum { WHOLE, IN_TURN, AT_RANDOM, ONE_HAS_ALL, BODY_BY_BODY, PARTITIONS };

static int rank_of_triangle(int partition, size_t body, size_t triangle)
{
  uint64_t mixed = (triangle + 77) * 0x9e3779b97f4a7c15u;
  if (partition == IN_TURN) return (int)(triangle % (size_t)size);
  if (partition == AT_RANDOM) return (int)((mixed ^ mixed >> 31) % (uint64_t)size);
  return partition == ONE_HAS_ALL ? size - 1 : (int)body % size;
}

static void add_part(const world *w, pl_dist *d, size_t body, int partition)
{
  const scene_mesh *m = &w->meshes[body];
  uint64_t *vertices = calloc(m->vertex_count + 1, sizeof *vertices), number;
  uint64_t *ids = calloc(m->triangle_count + 1, sizeof *ids);
  uint32_t *local = calloc(m->vertex_count + 1, sizeof *local);
  uint32_t *triangles = calloc(3 * m->triangle_count + 1, sizeof *triangles);
  double *xyz = calloc(3 * m->vertex_count + 1, sizeof *xyz);
  check(vertices && ids && local && triangles && xyz, "memory");
  pl_dist_part_def def = pl_dist_part_def_default();
  for (size_t t = 0; t < m->triangle_count; ++t) {
    if (rank_of_triangle(partition, body, t) != rank) continue;
    ids[def.triangle_count++] = t + first_id;
    for (int k = 0; k < 3; ++k) local[m->triangles[3 * t + (size_t)k]] = 1;
  }
  size_t count = 0;
  for (size_t v = 0; v < m->vertex_count; ++v) {
    if (!local[v]) continue;
    memcpy(xyz + 3 * count, w->xyz[body] + 3 * v, 3 * sizeof *xyz);
    vertices[count] = v + first_id;
    local[v] = (uint32_t)count++;
  }
  for (size_t i = 0; i < 3 * def.triangle_count; ++i)
    triangles[i] = local[m->triangles[3 * (ids[i / 3] - first_id) + i % 3]];
  def.positions = pl_positions_f64(xyz, count);
  def.vertices = vertices;
  def.triangles = triangles;
  def.triangle_ids = ids;
  def.self = w->self[body];
  check(pl_dist_add_part(d, &def, &number) == PL_OK, pl_dist_message(d));
  check(number == body, "number of a body");
  free(vertices);
  free(ids);
  free(local);
  free(triangles);
  free(xyz);
}

void add_bodies(const world *w, pl_dist *d)
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

/* Even frames: each rank its own; odd ones: from a root, where ids are places in an array. */
static void move_bodies(const world *w, pl_dist *d, int frame)
{
  for (size_t i = 0; i < w->count; ++i) {
    const uint64_t *ids;
    size_t count = pl_dist_vertices(d, i, &ids);
    double *own = malloc((3 * count + 1) * sizeof *own);
    check(own != NULL, "memory");
    for (size_t k = 0; k < count; ++k) memcpy(own + 3 * k, w->xyz[i] + 3 * (ids[k] - first_id), 3 * sizeof *own);
    pl_status status =
        frame % 2 && !first_id
            ? pl_dist_scatter_positions(d, i, size - 1, pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count))
            : pl_dist_set_positions(d, i, pl_positions_f64(own, count));
    check(status == PL_OK, pl_dist_message(d));
    free(own);
  }
}

/* Triangles move between ranks after some frames: rows must not change. */
static void rebalance(pl_dist *d, int frame)
{
  bool moved;
  if (frame % 3 != 1) return;
  check(pl_dist_rebalance(d, 1, &moved) == PL_OK, pl_dist_message(d));
  moves += moved;
}

static void play_frames(world *w, int frames, int patches, double margin, int partition)
{
  serial s = {0};
  pl_dist *d;
  pl_dist_def def = pl_dist_def_default();
  def.patches = patches;
  check(pl_dist_create(MPI_COMM_WORLD, &def, &d) == PL_OK, "create");
  if (partition == WHOLE) add_bodies(w, d);
  for (size_t i = 0; i < w->count && partition != WHOLE; ++i) add_part(w, d, i, partition);
  if (rank == 0) serial_make(&s, w);
  for (int frame = 0; frame < frames; ++frame) {
    check(world_pose(w, frame), "pose");
    if (rank == 0) serial_move(&s, w);
    move_bodies(w, d, frame);
    ask_rows(w, d, &s, margin);
    ask_nearest(w, d, &s);
    ask_rays(w, d, &s);
    rebalance(d, frame); /* kept poses move as well */
    if (frame > 0) ask_impacts(w, d, &s, frame % 2 ? 0 : 0.05 * margin);
    for (size_t i = 0; i < w->count && rank == 0; ++i) check(pl_body_keep_pose(s.bodies[i]) == PL_OK, "keep");
    check(pl_dist_keep_poses(d) == PL_OK, "keep");
  }
  count_owned(d);
  pl_dist_destroy(d);
  pl_context_destroy(s.context);
  world_free(w);
}

static void play_cut(const char *name, int triangles, int frames, int patches, int partition)
{
  world w;
  check(world_make(&w, name, triangles) && world_pose(&w, 0), "world");
  play_frames(&w, frames, patches, 0.02, partition);
}

static void play(const char *name, int triangles, int frames, int patches)
{
  play_cut(name, triangles, frames, patches, WHOLE);
}

static void play_product(int frames, const char *only)
{
  static const char *const names[] = {"balls", "rigid", "skin", "cloth", "soup"};
  for (int i = 0; i < 5; ++i)
    for (int partition = WHOLE; partition < PARTITIONS; ++partition)
      if (!only || !strcmp(only, names[i])) play_cut(names[i], 300, frames, 16, partition);
}

static void play_files(int partitions, double margin, int frames, char **files, int count)
{
  static const char *const motions[] = {"free", "rigid", "skin"};
  for (int i = 0; i < 3; ++i)
    for (int partition = WHOLE; partition < partitions; ++partition) {
      world w;
      check(world_make_files(&w, motions[i], files, count) && world_pose(&w, 0), "files");
      play_frames(&w, frames, 64, margin * (i ? 1 : w.scale), partition);
    }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "balls";
  if (is_end(what)) {
    fail_rank(what);
  } else if (!strcmp(what, "hungry")) {
    fail_hungry();
  } else if (!strcmp(what, "fail")) {
    fail_input();
    fail_memory();
  } else if (!strcmp(what, "files") || !strcmp(what, "cuts")) {
    check(argc > 4, "files");
    play_files(what[0] == 'c' ? PARTITIONS : WHOLE + 1, atof(argv[2]), atoi(argv[3]), argv + 4, argc - 4);
  } else if (!strcmp(what, "product")) {
    play_product(argc > 2 ? atoi(argv[2]) : 3, argc > 3 ? argv[3] : NULL);
  } else if (!strcmp(what, "all")) {
    int frames = argc > 2 ? atoi(argv[2]) : 4;
    play("balls", 1000, frames, 16);
    play("apart", 1000, 2, 16);
    play("rigid", 1000, frames, 16);
    play("skin", 1000, frames, 16);
    play("cloth", 600, frames, 16);
    play("cloth", 600, 2, 1);    /* one patch for each rank and body */
    play("cloth", 200, 2, 1000); /* more patches than triangles */
    play("soup", 200, 2, 16);
    for (int partition = IN_TURN; partition < PARTITIONS; ++partition) play_cut("cloth", 500, 3, 16, partition);
    first_id = (uint64_t)5 << 40; /* ids have 64 bits */
    play_cut("skin", 300, 2, 16, AT_RANDOM);
    play_cut("soup", 100, 2, 16, IN_TURN);
    first_id = 0;
    check(size == 1 || moves > 0, "nothing was moved");
  } else {
    int triangles = argc > 2 ? atoi(argv[2]) : 1000, frames = argc > 3 ? atoi(argv[3]) : 4;
    play(what, triangles, frames, argc > 4 ? atoi(argv[4]) : 16);
  }
  if (rank == 0) {
    printf("done %d:", size);
    for (int i = 0; i < QUESTIONS; ++i) printf(" %zu %s,", rows_seen[i], questions[i]);
    printf(" %zu moves\n", moves);
  }
  MPI_Finalize();
  return 0;
}
