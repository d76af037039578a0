/* Bad input and lack of memory on one rank are a status on all; a rank that ends ends the job. */
#include "dist_test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Memory of all that is linked into this program, pliant_mpi and the library among it: the linker
 * sends their calls here. From the n-th request on there is none. */
static bool counting;
static long requests_left;
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static bool is_out(void) { return counting && requests_left-- <= 0; }
void *__wrap_malloc(size_t bytes) { return is_out() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return is_out() ? NULL : __real_calloc(count, bytes); }
void *__wrap_realloc(void *memory, size_t bytes) { return is_out() ? NULL : __real_realloc(memory, bytes); }

static pl_mesh_def mesh_of(const world *w, size_t i)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count);
  mesh.triangles = w->meshes[i].triangles;
  mesh.triangle_count = w->meshes[i].triangle_count;
  return mesh;
}

/* The same on all ranks. */
static void agreed(pl_status status, pl_status want, const char *what)
{
  int mine = (int)status, least, most;
  MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  check(least == most, "ranks disagree on the status");
  check(status == want, what);
}

static void fail_positions(pl_dist *d)
{
  const uint64_t *ids;
  size_t number = pl_dist_vertices(d, 0, &ids);
  double *bad = calloc(3 * number + 1, sizeof *bad);
  check(bad != NULL, "memory");
  if (rank == size - 1) bad[3 * number - 1] = NAN;
  agreed(pl_dist_set_positions(d, 0, pl_positions_f64(bad, number)), PL_ERROR_POSITIONS, "a NaN on one rank");
  char want[64];
  snprintf(want, sizeof want, "rank %d: vertex %s", size - 1, "");
  check(!strncmp(pl_dist_message(d), want, strlen(want)), pl_dist_message(d));
  agreed(pl_dist_set_positions(d, 0, pl_positions_f64(bad, rank ? number : number - 1)), PL_ERROR_MISMATCH,
         "a wrong count on one rank");
  agreed(pl_dist_set_positions(d, 9, pl_positions_f64(bad, number)), PL_ERROR_ARGUMENT, "no such body");
  free(bad);
}

static void fail_meshes(const world *w, pl_dist *d)
{
  uint64_t body;
  uint32_t corners[3] = {0, 1, 1000000};
  pl_mesh_def mesh = mesh_of(w, 0);
  mesh.triangles = corners;
  mesh.triangle_count = 1;
  agreed(pl_dist_add_whole(d, 0, rank ? NULL : &mesh, false, &body), PL_ERROR_MESH, "an index out of range");
  agreed(pl_dist_add_whole(d, 0, NULL, false, &body), PL_ERROR_ARGUMENT, "no mesh");
  agreed(pl_dist_add_whole(d, size, NULL, false, &body), PL_ERROR_ARGUMENT, "no such rank");
  const uint64_t ids[3] = {4, 7, rank == size - 1 ? 7 : 8}, triangle = (uint64_t)rank;
  const double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t one[3] = {0, 1, 2};
  pl_dist_part_def part = pl_dist_part_def_default();
  part.positions = pl_positions_f64(xyz, 3);
  part.vertices = ids;
  part.triangles = one;
  part.triangle_ids = &triangle;
  part.triangle_count = 1;
  agreed(pl_dist_add_part(d, &part, &body), PL_ERROR_ARGUMENT, "ids that do not ascend on one rank");
  if (rank == size - 1) part.vertices = NULL;
  agreed(pl_dist_add_part(d, &part, &body), PL_ERROR_ARGUMENT, "no ids on one rank");
}

static void fail_questions(pl_dist *d)
{
  pl_dist_question def = pl_dist_question_default();
  pl_dist_pairs pairs;
  pl_dist_features features;
  bool moved;
  def.margin = rank == size - 1 ? NAN : 0.01;
  agreed(pl_dist_near(d, &def, &features), PL_ERROR_ARGUMENT, "a margin that is no number, on one rank");
  def = pl_dist_question_default();
  def.root = size;
  agreed(pl_dist_touching(d, &def, &pairs), PL_ERROR_ARGUMENT, "a root that is no rank");
  agreed(pl_dist_rebalance(d, 0.5, &moved), PL_ERROR_ARGUMENT, "work that is more than even");
}

/* Ranks that differ in what they ask get a status, and not each other's messages. */
static void fail_differing(const world *w, pl_dist *d)
{
  const pl_ray rays[2] = {{.direction = {1, 0, 0}}, {.direction = {0, 1, 0}}};
  bool last = rank == size - 1, moved;
  pl_mesh_def mesh = mesh_of(w, 0);
  pl_positions all = mesh.positions, few = all;
  pl_dist_question def = pl_dist_question_default();
  pl_dist_pairs pairs;
  pl_dist_features features;
  pl_dist_hits hits;
  uint64_t body;
  --few.count;
  agreed(pl_dist_scatter_positions(d, 0, 0, few), PL_ERROR_MISMATCH, "fewer positions than vertices");
  agreed(pl_dist_scatter_positions(d, 0, last ? 0 : size - 1, all), PL_ERROR_ARGUMENT, "two roots of positions");
  agreed(pl_dist_scatter_positions(d, last, 0, all), PL_ERROR_ARGUMENT, "positions of two bodies");
  agreed(pl_dist_add_whole(d, last, &mesh, false, &body), PL_ERROR_ARGUMENT, "two roots of a mesh");
  agreed(pl_dist_cast(d, rays, last ? 1 : 2, &hits), PL_ERROR_ARGUMENT, "different numbers of rays");
  def.root = last ? 0 : -1;
  agreed(pl_dist_touching(d, &def, &pairs), PL_ERROR_ARGUMENT, "two roots of rows");
  def.root = 0;
  def.margin = last ? 0.1 : 0.2;
  agreed(pl_dist_near(d, &def, &features), PL_ERROR_ARGUMENT, "two margins");
  agreed(pl_dist_rebalance(d, last ? 2 : 3, &moved), PL_ERROR_ARGUMENT, "two limits of work");
  agreed(last ? pl_dist_touching(d, NULL, &pairs) : pl_dist_near(d, NULL, &features), PL_ERROR_ARGUMENT,
         "two questions");
  agreed(last ? pl_dist_keep_poses(d) : pl_dist_cast(d, rays, 2, &hits), PL_ERROR_ARGUMENT, "two calls");
}

void fail_input(void)
{
  world w;
  pl_dist *d;
  pl_dist_pairs before, after;
  check(world_make(&w, "balls", 500) && world_pose(&w, 0), "world");
  check(pl_dist_create(MPI_COMM_WORLD, NULL, &d) == PL_OK, "create");
  add_bodies(&w, d);
  check(pl_dist_touching(d, NULL, &before) == PL_OK, "touching");
  size_t count = before.count;
  fail_positions(d);
  fail_meshes(&w, d);
  fail_questions(d);
  if (size > 1) fail_differing(&w, d);
  check(pl_dist_touching(d, NULL, &after) == PL_OK && after.count == count, "a refused call changed something");
  pl_dist_destroy(d);
  world_free(&w);
}

/* All that a scene does, once. The status is that of the first call that fails. */
static pl_status play_once(const world *w, pl_dist **d)
{
  pl_dist_def def = pl_dist_def_default();
  pl_dist_question near = pl_dist_question_default();
  pl_dist_pairs pairs;
  pl_dist_features features;
  pl_dist_nearest_result nearest;
  pl_dist_impact_result impacts;
  pl_dist_near_pairs triangles;
  pl_dist_hits hits;
  const pl_ray ray = {.direction = {0.3, 0.2, 0.1}};
  uint64_t body;
  bool moved;
  def.patches = 8;
  near.margin = 0.01;
  near.root = 0;
  pl_status status = pl_dist_create(MPI_COMM_WORLD, &def, d);
  for (size_t i = 0; i < w->count && status == PL_OK; ++i) {
    pl_mesh_def mesh = mesh_of(w, i);
    status = pl_dist_add_whole(*d, 0, rank ? NULL : &mesh, w->self[i], &body);
  }
  if (status == PL_OK) status = pl_dist_touching(*d, NULL, &pairs);
  if (status == PL_OK) status = pl_dist_near(*d, &near, &features);
  if (status == PL_OK) status = pl_dist_nearest(*d, NULL, &nearest);
  if (status == PL_OK) status = pl_dist_near_triangles(*d, &near, &triangles);
  if (status == PL_OK) status = pl_dist_cast(*d, &ray, 1, &hits);
  if (status == PL_OK) status = pl_dist_keep_poses(*d);
  if (status == PL_OK) status = pl_dist_scatter_positions(*d, 0, size - 1, mesh_of(w, 0).positions);
  if (status == PL_OK) status = pl_dist_rebalance(*d, 1, &moved);
  return status == PL_OK ? pl_dist_impacts(*d, &near, &impacts) : status;
}

/* The last rank runs out of memory at every request in turn. */
void fail_memory(void)
{
  world w;
  check(world_make(&w, "cloth", 300) && world_pose(&w, 0), "world");
  bool all = false;
  int refused = 0;
  for (long at = 0; !all && at < 100000; at += at < 60 ? 1 : 1 + at / 12) {
    pl_dist *d = NULL;
    requests_left = at;
    counting = rank == size - 1;
    pl_status status = play_once(&w, &d);
    counting = false;
    all = status == PL_OK;
    agreed(status, all ? PL_OK : PL_ERROR_MEMORY, "status of a lack of memory");
    refused += !all;
    pl_dist_destroy(d);
  }
  check(all && refused > 60, "never enough memory, or never too little");
  world_free(&w);
}

/* The last rank may have little more than it has: a status on all ranks, or MPI ends the job. */
void fail_hungry(void)
{
  world w;
  pl_dist *d;
  uint64_t body;
  check(world_make(&w, "cloth", 400000) && world_pose(&w, 0), "world");
  pl_mesh_def mesh = mesh_of(&w, 0);
  check(pl_dist_create(MPI_COMM_WORLD, NULL, &d) == PL_OK, "create");
  struct rlimit limit = {0, 0};
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file && fscanf(file, "%lu", &pages) == 1 && rank == size - 1) {
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + 4000000;
    setrlimit(RLIMIT_AS, &limit);
  }
  if (file) fclose(file);
  agreed(pl_dist_add_whole(d, 0, rank ? NULL : &mesh, true, &body), PL_ERROR_MEMORY, "status of a lack of memory");
  limit.rlim_cur = limit.rlim_max;
  if (rank == size - 1) setrlimit(RLIMIT_AS, &limit);
  agreed(pl_dist_add_whole(d, 0, rank ? NULL : &mesh, true, &body), PL_OK, "the scene cannot be used afterwards");
  pl_dist_destroy(d);
  world_free(&w);
}

static void end(const char *how)
{
  if (rank == size - 1 && !strcmp(how, "abort")) abort();
  if (rank == size - 1 && !strcmp(how, "kill")) raise(SIGKILL);
  if (rank == size - 1 && !strcmp(how, "exit")) _exit(5);
  if (rank == size - 1 && !strcmp(how, "leave")) _exit(0);
}

/* The last rank ends between two questions: the others are in the next one. */
void fail_rank(const char *how)
{
  world w;
  pl_dist *d;
  pl_dist_pairs pairs;
  check(world_make(&w, "balls", 500) && world_pose(&w, 0), "world");
  check(pl_dist_create(MPI_COMM_WORLD, NULL, &d) == PL_OK, "create");
  add_bodies(&w, d);
  check(pl_dist_touching(d, NULL, &pairs) == PL_OK, "touching");
  end(how);
  check(pl_dist_touching(d, NULL, &pairs) == PL_OK, "touching");
  fprintf(stderr, "rank %d went on\n", rank);
}

bool is_end(const char *what)
{
  return !strcmp(what, "abort") || !strcmp(what, "kill") || !strcmp(what, "exit") || !strcmp(what, "leave");
}
