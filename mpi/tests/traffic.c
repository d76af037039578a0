/* What a frame costs each rank: bytes by kind, memory, work. One line of CSV on rank 0, the most
 * of any rank in each column; `mpi/bench.sh` makes a table of them.
 *
 *   mpirun -np N pliant_mpi_traffic WORLD TRIANGLES FRAMES QUESTION [ROUNDS]
 *
 * ROUNDS: so many times triangles may be moved between ranks before the last frame. */
#include "pliant_mpi.h"
#include "world.h"

#include <stdio.h>
#include <sys/resource.h>

static int rank, size;

static void check(bool good, const char *what)
{
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void add(const world *w, pl_dist *d)
{
  for (size_t i = 0; i < w->count; ++i) {
    uint64_t body;
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count);
    mesh.triangles = w->meshes[i].triangles;
    mesh.triangle_count = w->meshes[i].triangle_count;
    check(pl_dist_add_whole(d, 0, rank ? NULL : &mesh, w->self[i], &body) == PL_OK, pl_dist_message(d));
  }
}

static void move(const world *w, pl_dist *d)
{
  for (size_t i = 0; i < w->count; ++i) {
    const uint64_t *ids;
    size_t count = pl_dist_vertices(d, i, &ids);
    double *own = malloc((3 * count + 1) * sizeof *own);
    check(own != NULL, "memory");
    for (size_t k = 0; k < count; ++k) memcpy(own + 3 * k, w->xyz[i] + 3 * ids[k], 3 * sizeof *own);
    check(pl_dist_set_positions(d, i, pl_positions_f64(own, count)) == PL_OK, pl_dist_message(d));
    free(own);
  }
}

static pl_dist_counters ask(pl_dist *d, const char *question)
{
  pl_dist_question def = pl_dist_question_default();
  pl_dist_pairs pairs = {0};
  pl_dist_features features = {0};
  pl_dist_nearest_result nearest = {.row.distance = 0};
  def.margin = 0.005;
  if (!strcmp(question, "touching")) {
    check(pl_dist_touching(d, NULL, &pairs) == PL_OK, pl_dist_message(d));
    return pairs.counters;
  }
  if (!strcmp(question, "near")) {
    check(pl_dist_near(d, &def, &features) == PL_OK, pl_dist_message(d));
    return features.counters;
  }
  check(pl_dist_nearest(d, NULL, &nearest) == PL_OK, pl_dist_message(d));
  return nearest.counters;
}

/* A frame in which topology was sent before. */
static void print_line(const world *w, const pl_dist_counters *c, uint64_t first_sent, const char *question)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  unsigned long long mine[] = {c->bytes_boxes,
                               c->bytes_sent,
                               c->bytes_received,
                               c->patches_sent,
                               first_sent,
                               c->n_v + c->n_p + c->n_u,
                               (unsigned long long)usage.ru_maxrss};
  enum { COLUMNS = sizeof mine / sizeof *mine };
  unsigned long long most[COLUMNS], sum[COLUMNS];
  size_t triangles = 0;
  for (size_t i = 0; i < w->count; ++i) triangles += w->meshes[i].triangle_count;
  MPI_Reduce(mine, most, COLUMNS, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine, sum, COLUMNS, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank) return;
  printf("%s,%s,%zu,%d", w->name, question, triangles, size);
  for (int i = 0; i < COLUMNS; ++i) printf(",%llu", most[i]);
  printf(",%llu\n", sum[5]);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(argc >= 5, "WORLD TRIANGLES FRAMES QUESTION are wanted");
  int rounds = argc > 5 ? atoi(argv[5]) : 0;
  world w;
  pl_dist *d;
  pl_dist_counters c = {0}, first = {0};
  check(world_make(&w, argv[1], atoi(argv[2])) && world_pose(&w, 0), "world");
  check(pl_dist_create(MPI_COMM_WORLD, NULL, &d) == PL_OK, "create");
  add(&w, d);
  for (int frame = 0; frame < atoi(argv[3]); ++frame) {
    check(world_pose(&w, frame), "pose");
    move(&w, d);
    c = ask(d, argv[4]);
    if (frame == 0) first = c;
  }
  for (int i = 0; i < rounds; ++i) {
    bool moved;
    check(pl_dist_rebalance(d, 1.1, &moved) == PL_OK, pl_dist_message(d));
    if (!moved) break;
    ask(d, argv[4]); /* shapes are sent again */
    move(&w, d);
    c = ask(d, argv[4]);
  }
  print_line(&w, &c, first.bytes_sent, argv[4]);
  pl_dist_destroy(d);
  world_free(&w);
  MPI_Finalize();
  return 0;
}
