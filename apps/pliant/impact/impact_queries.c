/* Reads queries of four moving points with their labels, decides each, and says how many came
 * out right and how long they took. Times are of one query each: the least of several runs, so
 * that interruptions by the machine do not count, and the clock's own cost is taken off. */
#include "impact/impact_queries.h"

#include "common/command.h"
#include "common/output.h"
#include "io/queries.h"
#include "io/show.h"
#include "pliant/base.h"
#include "pliant/impacts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5 };

typedef bool (*decide_function)(const double start[4][3], const double end[4][3], double *time);

typedef struct outcome {
  size_t count[2][2]; /* label, answer */
  double us[4];       /* median, 99 %, 99.9 %, most */
} outcome;

static double now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static double clock_us(void)
{
  double least = 1e9;
  for (int i = 0; i < 1000; ++i) {
    double start = now_us(), took = now_us() - start;
    least = took < least ? took : least;
  }
  return least;
}

/* By --kind, or by the file's path. 0: neither says. */
static int kind_of(const impact_queries *o)
{
  if (o->kind != IMPACT_BY_NAME) return o->kind;
  if (strstr(o->path, "edge-edge") || strstr(o->path, "ee.csv")) return IMPACT_EDGE_EDGE;
  if (strstr(o->path, "vertex-face") || strstr(o->path, "vf.csv")) return IMPACT_VERTEX_FACE;
  return 0;
}

static const char *kind_text(int kind)
{
  return pl_word(PL_WORDS_FEATURE, kind == IMPACT_EDGE_EDGE ? PL_FEATURE_EDGE_EDGE : PL_FEATURE_VERTEX_FACE);
}

static int compare_times(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run_all(const io_queries *q, decide_function decide, double *us, outcome *out)
{
  double tick = clock_us();
  for (int run = 0; run < RUNS; ++run)
    for (size_t i = 0; i < q->count; ++i) {
      const io_query *query = &q->queries[i];
      double start = now_us();
      bool answer = decide(query->start, query->end, &(double){0});
      double took = now_us() - start - tick;
      took = took > 0 ? took : 0;
      us[i] = run == 0 || took < us[i] ? took : us[i];
      if (run == 0) ++out->count[q->labels ? q->labels[i] : answer][answer];
    }
  qsort(us, q->count, sizeof *us, compare_times);
  static const double at[4] = {0.5, 0.99, 0.999, 1};
  for (int i = 0; i < 4; ++i) out->us[i] = us[(size_t)(at[i] * (double)(q->count - 1))];
}

static void write_json(const impact_queries *o, const io_queries *q, int kind, const outcome *r)
{
  static const char *const names[4] = {"us_median", "us_p99", "us_p999", "us_max"};
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_text(&j, "file", o->path);
  json_put_text(&j, "kind", kind_text(kind));
  json_put_whole(&j, "queries", q->count);
  json_put_whole(&j, "contacts", r->count[0][1] + r->count[1][1]);
  if (q->labels) {
    json_put_whole(&j, "true_positives", r->count[1][1]);
    json_put_whole(&j, "false_positives", r->count[0][1]);
    json_put_whole(&j, "true_negatives", r->count[0][0]);
    json_put_whole(&j, "false_negatives", r->count[1][0]);
  }
  for (int i = 0; i < 4; ++i) json_put_real(&j, names[i], r->us[i]);
  json_close(&j, '}');
  putchar('\n');
}

static void write_summary(const impact_queries *o, const io_queries *q, int kind, const outcome *r)
{
  printf("%s: %zu %s queries, %zu with a contact\n", io_show(o->path).text, q->count, kind_text(kind),
         r->count[0][1] + r->count[1][1]);
  if (q->labels)
    printf("  against the labels    %zu true positives, %zu false positives, %zu true negatives, %zu false negatives\n",
           r->count[1][1], r->count[0][1], r->count[0][0], r->count[1][0]);
  else
    printf("  against the labels    the file has none; --labels names one\n");
  printf("  time of a query       median %.3f us, 99 %% %.3f us, 99.9 %% %.3f us, most %.3f us\n", r->us[0], r->us[1],
         r->us[2], r->us[3]);
}

int impact_queries_run(const impact_queries *o)
{
  int kind = kind_of(o);
  io_queries q = {0};
  io_error error;
  if (!kind)
    return output_complain("%s: the path says neither edge-edge nor vertex-face; use --kind to say which they are",
                           o->path);
  if (!io_queries_read(o->path, &q, &error)) return output_complain("%s", error.text);
  if (o->labels && !io_queries_read_labels(o->labels, &q, &error)) {
    io_queries_free(&q);
    return output_complain("%s", error.text);
  }
  double *us = calloc(q.count, sizeof *us);
  outcome r = {0};
  bool good = us != NULL;
  if (good) {
    run_all(&q, kind == IMPACT_EDGE_EDGE ? pl_edge_edge_time : pl_vertex_face_time, us, &r);
    (o->json ? write_json : write_summary)(o, &q, kind, &r);
  }
  free(us);
  io_queries_free(&q);
  if (!good) return output_complain("%s: out of memory", o->path);
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}
