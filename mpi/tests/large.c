/* One sheet too large for one rank: each rank makes its own band of rows, and nobody has the whole.
 * It winds through itself, and a second sheet crosses it. Prints the pairs of both kinds, a hash of
 * them that does not depend on the number of ranks, and what each rank needed.
 *
 *   mpirun -np N pliant_mpi_large TRIANGLES [FRAMES [ROUNDS]]
 *
 * ROUNDS: so many times triangles may be moved between ranks before the last frame. Lines that
 * begin with "csv," are for tables: frame, triangles, ranks, rows, work of the busiest rank and of
 * all, bytes sent by the rank that sends most, peak kB of the largest rank and of all. */
#include "pliant_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int rank, size;

static void check(bool good, const char *what)
{
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Rows [begin, end) of squares of a sheet, and the rows of vertices around them. */
typedef struct band {
  uint64_t columns, begin, end; /* columns: of vertices, and rows of them */
  double *xyz;
  uint64_t *vertices, *triangle_ids;
  uint32_t *triangles;
  size_t vertex_count, triangle_count;
} band;

static void place(double *p, double u, double v, int body, int frame)
{
  double t = 0.02 * frame;
  if (body == 0) {
    p[0] = 0.6 * sin(7 * u + t) + 0.1 * v;
    p[1] = 2 * v - 1;
    p[2] = 0.4 * sin(11 * u + 3 * v + 2 * t);
  } else {
    p[0] = 2 * u - 1;
    p[1] = 0.05 * sin(9 * u + t) + 0.3;
    p[2] = 2 * v - 1;
  }
}

static void pose(const band *b, int body, int frame)
{
  double step = 1 / (double)(b->columns - 1);
  for (size_t i = 0; i < b->vertex_count; ++i)
    place(b->xyz + 3 * i, (double)(b->vertices[i] % b->columns) * step, (double)(b->vertices[i] / b->columns) * step,
          body, frame);
}

static void make_band(band *b, uint64_t triangles)
{
  b->columns = (uint64_t)sqrt((double)triangles / 2) + 1;
  uint64_t squares = b->columns - 1;
  b->begin = squares * (uint64_t)rank / (uint64_t)size;
  b->end = squares * ((uint64_t)rank + 1) / (uint64_t)size;
  b->triangle_count = 2 * squares * (b->end - b->begin);
  b->vertex_count = b->triangle_count ? b->columns * (b->end - b->begin + 1) : 0;
  b->xyz = malloc((3 * b->vertex_count + 1) * sizeof *b->xyz);
  b->vertices = malloc((b->vertex_count + 1) * sizeof *b->vertices);
  b->triangle_ids = malloc((b->triangle_count + 1) * sizeof *b->triangle_ids);
  b->triangles = malloc((3 * b->triangle_count + 1) * sizeof *b->triangles);
  check(b->xyz && b->vertices && b->triangle_ids && b->triangles, "out of memory for the band");
  for (size_t i = 0; i < b->vertex_count; ++i) b->vertices[i] = b->begin * b->columns + i;
  for (size_t i = 0; i < b->triangle_count; ++i) {
    uint64_t square = i / 2, row = square / squares, at = row * b->columns + square % squares;
    uint32_t *t = b->triangles + 3 * i;
    b->triangle_ids[i] = 2 * squares * b->begin + i;
    t[0] = (uint32_t)at;
    t[1] = (uint32_t)(at + (i % 2 ? b->columns + 1 : b->columns));
    t[2] = (uint32_t)(at + (i % 2 ? 1 : b->columns + 1));
  }
}

static void add_band(pl_dist *d, uint64_t triangles, int number, band *kept)
{
  band b;
  uint64_t body;
  pl_dist_part_def def = pl_dist_part_def_default();
  make_band(&b, triangles);
  pose(&b, number, 0);
  def.positions = pl_positions_f64(b.xyz, b.vertex_count);
  def.vertices = b.vertices;
  def.triangles = b.triangles;
  def.triangle_ids = b.triangle_ids;
  def.triangle_count = b.triangle_count;
  def.self = number == 0;
  check(pl_dist_add_part(d, &def, &body) == PL_OK, pl_dist_message(d));
  free(b.triangles);
  free(b.triangle_ids);
  free(b.vertices);
  free(b.xyz);
  b.vertices = b.triangle_ids = NULL;
  b.triangles = NULL;
  b.xyz = NULL;
  *kept = b;
}

static void move(pl_dist *d, const band *bands, int frame)
{
  for (int i = 0; i < 2; ++i) {
    band b = bands[i];
    const uint64_t *ids;
    b.vertex_count = pl_dist_vertices(d, (uint64_t)i, &ids);
    b.vertices = (uint64_t *)ids;
    b.xyz = malloc((3 * b.vertex_count + 1) * sizeof *b.xyz);
    check(b.xyz != NULL, "out of memory for positions");
    pose(&b, i, frame);
    check(pl_dist_set_positions(d, (uint64_t)i, pl_positions_f64(b.xyz, b.vertex_count)) == PL_OK, pl_dist_message(d));
    free(b.xyz);
  }
}

enum { SELF, BETWEEN, HASH, WORK, SENT, MEMORY, TRIANGLES, SUMS };

static void count(pl_dist *d, unsigned long long mine[SUMS])
{
  pl_dist_pairs pairs;
  check(pl_dist_touching(d, NULL, &pairs) == PL_OK, pl_dist_message(d));
  for (int i = 0; i < SUMS; ++i) mine[i] = 0;
  for (size_t i = 0; i < pairs.count; ++i) {
    const pl_dist_pair *p = &pairs.rows[i];
    ++mine[p->body_a == p->body_b ? SELF : BETWEEN];
    uint64_t h = p->triangle_a * 0x9e3779b97f4a7c15u ^ (p->triangle_b + p->body_b) * 0xbf58476d1ce4e5b9u;
    mine[HASH] += (h ^ h >> 29) * 0x94d049bb133111ebu >> 8; /* a sum: in any order */
  }
  mine[WORK] = pairs.counters.n_v + pairs.counters.n_p + pairs.counters.n_u;
  mine[SENT] = pairs.counters.bytes_boxes + pairs.counters.bytes_sent;
}

static void report(pl_dist *d, int frame, unsigned long long mine[SUMS])
{
  unsigned long long sum[SUMS], most[SUMS];
  struct rusage usage;
  const uint64_t *ids;
  getrusage(RUSAGE_SELF, &usage);
  mine[MEMORY] = 1024 * (unsigned long long)usage.ru_maxrss;
  for (uint64_t i = 0; i < 2; ++i) mine[TRIANGLES] += pl_dist_triangles(d, i, &ids);
  MPI_Reduce(mine, sum, SUMS, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine, most, SUMS, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank) return;
  printf("frame %d: %llu triangles, %llu self, %llu between, hash %llx\n", frame, sum[TRIANGLES], sum[SELF],
         sum[BETWEEN], sum[HASH]);
  printf("  %d ranks: work %llu, busiest %.2f of the mean; sent %llu bytes, most of a rank %llu; peak memory %.3f GB, "
         "of a rank %.3f GB, %.0f bytes for each triangle\n",
         size, sum[WORK], (double)most[WORK] * size / ((double)sum[WORK] + 1), sum[SENT], most[SENT],
         1e-9 * (double)sum[MEMORY], 1e-9 * (double)most[MEMORY], (double)sum[MEMORY] / (double)sum[TRIANGLES]);
  printf("csv,%d,%llu,%d,%llu,%llu,%llu,%llu,%llu,%llu\n", frame, sum[TRIANGLES], size, sum[SELF] + sum[BETWEEN],
         most[WORK], sum[WORK], most[SENT], most[MEMORY] / 1024, sum[MEMORY] / 1024);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(argc > 1, "TRIANGLES [FRAMES] are wanted");
  uint64_t triangles = strtoull(argv[1], NULL, 10);
  int frames = argc > 2 ? atoi(argv[2]) : 1, rounds = argc > 3 ? atoi(argv[3]) : 0;
  pl_dist *d;
  band bands[2];
  unsigned long long mine[SUMS];
  pl_dist_def def = pl_dist_def_default();
  def.self_method = PL_SELF_METHOD_BOXES;
  check(pl_dist_create(MPI_COMM_WORLD, &def, &d) == PL_OK, "create");
  add_band(d, triangles, 0, &bands[0]);
  add_band(d, triangles / 64, 1, &bands[1]);
  for (int frame = 0; frame < frames; ++frame) {
    if (frame) move(d, bands, frame);
    for (int i = 0; frame && frame == frames - 1 && i < rounds; ++i) {
      bool moved;
      count(d, mine);
      check(pl_dist_rebalance(d, 1.1, &moved) == PL_OK, pl_dist_message(d));
      if (!moved) break;
    }
    if (frame && rounds) move(d, bands, frame); /* sent anew, as in any frame */
    count(d, mine);
    report(d, frame, mine);
  }
  pl_dist_destroy(d);
  if (rank == 0) printf("done %d\n", size);
  MPI_Finalize();
  return 0;
}
