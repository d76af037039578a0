/* --report of `pliant impact`: the page of report.h. What meets is shown at the end of an
 * interval; a vertex and an edge are shown by a triangle that has them. */
#include "impact/impact.h"

#include "common/output.h"
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(void)
{
  output_complain("out of memory");
  return false;
}

/* --------------------------------------------------------------------------------- triangles -- */

static const uint32_t *fan_of(impact_job *job, size_t body)
{
  const stage_body *b = &job->stage.bodies[body];
  if (!job->fans) job->fans = calloc(job->stage.body_count + 1, sizeof *job->fans);
  if (!job->fans || job->fans[body]) return job->fans ? job->fans[body] : NULL;
  size_t corners = 3 * b->triangle_count;
  uint32_t *first = job->fans[body] = calloc(b->vertex_count + 2 + corners, sizeof *first);
  if (!first) return NULL;
  uint32_t *list = first + b->vertex_count + 2;
  for (size_t c = 0; c < corners; ++c) ++first[b->triangles[c] + 2];
  for (size_t v = 2; v < b->vertex_count + 2; ++v) first[v] += first[v - 1];
  for (size_t c = 0; c < corners; ++c) list[first[b->triangles[c] + 1]++] = (uint32_t)(c / 3);
  return first;
}

/* A triangle with both vertices, or with the first. */
static uint32_t triangle_of(impact_job *job, size_t body, const uint32_t vertex[2])
{
  const stage_body *b = &job->stage.bodies[body];
  const uint32_t *first = fan_of(job, body), *list = first ? first + b->vertex_count + 2 : NULL;
  uint32_t any = 0;
  for (uint32_t i = first ? first[vertex[0]] : 0; first && i < first[vertex[0] + 1]; ++i) {
    const uint32_t *t = b->triangles + 3 * (size_t)list[i];
    any = list[i];
    if (t[0] == vertex[1] || t[1] == vertex[1] || t[2] == vertex[1]) break;
  }
  return any;
}

static mark mark_of(impact_job *job, const pl_impact *i)
{
  size_t a = impact_body(job, i->a), b = impact_body(job, i->b);
  mark m = {(uint32_t)a, i->feature_a[0], (uint32_t)b, i->feature_b[0]};
  if (i->kind != PL_FEATURE_FACE_VERTEX) m.triangle_a = triangle_of(job, a, i->feature_a);
  if (i->kind != PL_FEATURE_VERTEX_FACE) m.triangle_b = triangle_of(job, b, i->feature_b);
  return m;
}

static int compare_marks(const void *x, const void *y)
{
  const mark *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return (a->b > b->b) - (a->b < b->b);
}

/* The marks of what was found, by bodies. */
static bool mark_all(impact_job *job, const pl_result *found)
{
  if (found->count > job->mark_room) {
    mark *more = realloc(job->marks, found->count * sizeof *more);
    if (!more) return no_memory();
    job->marks = more;
    job->mark_room = found->count;
  }
  for (size_t i = 0; i < found->count; ++i) job->marks[i] = mark_of(job, &found->impacts[i]);
  if (found->count) qsort(job->marks, found->count, sizeof *job->marks, compare_marks);
  return true;
}

/* -------------------------------------------------------------------------------------- page -- */

/* The intervals with contact. */
static void write_rows(FILE *file, const void *user)
{
  const impact_job *job = user;
  fprintf(file, "<h2>Intervals</h2>\n<div class=\"wide\"><table><tr><th>frames</th><th>first contact</th>"
                "<th>vertex-face</th><th>edge-edge</th></tr>\n");
  for (size_t i = 0; i < job->intervals; ++i) {
    const impact_row *r = &job->rows[i];
    if (isinf(r->time)) continue;
    fprintf(file, "<tr><td>%zu to %zu</td><td>%.9f</td><td>%zu</td><td>%zu</td></tr>\n", r->index, r->index + 1,
            r->time, r->vertex_face, r->edge_edge);
  }
  fprintf(file, "</table></div>\n");
}

bool impact_report_open(impact_job *job)
{
  const impact_options *o = &job->options;
  report_def def = {.path = o->report,
                    .command = "impact",
                    .found = "contacts",
                    .step = "interval",
                    .alone = o->self,
                    .stage = &job->stage,
                    .more = write_rows,
                    .user = job};
  if (!o->report) return true;
  /* intervals are written as they are found: a name that cannot be written is refused before */
  io_error error = {""};
  io_output out;
  bool good = io_output_open(&out, o->report, &error);
  /* an older page stays until the new one is whole */
  if (good) io_output_close(&out, false, &error);
  if (!good) output_complain("%s", error.text);
  return good && report_create(&def, &job->page);
}

bool impact_report_interval(impact_job *job, const impact_interval *interval)
{
  const pl_result *found = interval->found;
  if (!job->page) return true;
  if (!mark_all(job, found) || !report_frame(job->page, interval->index, (double)found->count)) return false;
  for (size_t begin = 0, end; begin < found->count; begin = end) {
    const mark *m = &job->marks[begin];
    uint64_t look = 0;
    for (end = begin; end < found->count && compare_marks(m, &job->marks[end]) == 0; ++end)
      look += report_look(job->marks[end].triangle_a, job->marks[end].triangle_b);
    if (!report_pair(job->page, m->a, m->b, (double)(end - begin), look)) return false;
  }
  return true;
}

/* For pictures: the interval once more. */
static bool ask_again(void *user, size_t frame, report_shot *out)
{
  impact_job *job = user;
  const pl_result *found;
  if (!impact_again(job, frame, &found) || !mark_all(job, found)) return false;
  *out = (report_shot){.marks = job->marks, .count = found->count};
  return true;
}

bool impact_report_finish(impact_job *job) { return !job->page || report_finish(job->page, ask_again, job); }

void impact_report_free(impact_job *job)
{
  report_free(job->page);
  for (size_t i = 0; job->fans && i < job->stage.body_count; ++i) free(job->fans[i]);
  free(job->fans);
  free(job->marks);
}
