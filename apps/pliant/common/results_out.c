#include "common/results_out.h"

#include "common/number_name.h"
#include "common/output.h"
#include "common/shard.h"
#include "io/show.h"

#include <stdlib.h>

int results_out_check(const play_options *o, const char *command)
{
  int code = contacts_out_check(command, o->out);
  if (code == OPTIONS_GO_ON)
    code = shard_refuse(command, o->out && number_name_find(o->out) != 1, "--out",
                        "put a number into its name, as in found_%04d.ply");
  return code == OPTIONS_GO_ON ? report_check(command, o->report) : code;
}

bool results_out_open(results_out *f, const play_options *o, const report_def *def)
{
  *f = (results_out){.wanted = o->out || o->report || (o->json && o->list)};
  if (!f->wanted) return true;
  report_def own = *def;
  own.path = o->report;
  return world_positions_create(&f->where, def->stage) &&
         (!o->out || shard_replays() || contacts_out_create(o->out, def->stage, &f->out)) &&
         (!o->report || report_create(&own, &f->report));
}

void results_out_close(results_out *f)
{
  world_positions_free(&f->where);
  contacts_out_free(f->out);
  report_free(f->report);
  free(f->marks);
  *f = (results_out){0};
}

mark *results_out_reserve(results_out *f, size_t count)
{
  if (count <= f->room && f->marks) return f->marks;
  mark *moved = realloc(f->marks, (count + count / 2 + 16) * sizeof *moved);
  if (!moved) {
    output_complain("out of memory for %zu pairs of triangles", count);
    return NULL;
  }
  f->marks = moved;
  f->room = count + count / 2 + 16;
  return moved;
}

/* Each two bodies once, with the number of their marks. */
static bool report_marks(results_out *f, double value, size_t count, bool nearest)
{
  for (size_t i = 0, end; i < count; i = end) {
    const mark *m = &f->marks[i];
    uint64_t look = 0;
    for (end = i; end < count && f->marks[end].a == m->a && f->marks[end].b == m->b; ++end)
      look += report_look(f->marks[end].triangle_a, f->marks[end].triangle_b);
    if (!report_pair(f->report, m->a, m->b, nearest ? value : (double)(end - i), look)) return false;
  }
  return true;
}

bool results_out_frame(results_out *f, size_t frame, double value, size_t count)
{
  if (!f->wanted) return true;
  world_positions_next(&f->where);
  if (f->out && !contacts_out_frame(f->out, frame, &f->where, f->marks, count)) return false;
  return !f->report ||
         (report_frame(f->report, frame, value) && report_marks(f, value, count, report_is_nearest(f->report)));
}

bool results_out_replay(results_out *f, const shard_record *record)
{
  return !f->report || report_replay(f->report, record);
}

bool results_out_put_points(results_out *f, json *j, size_t count)
{
  json_put_open(j, "points", '[');
  bool good = true;
  for (size_t i = 0; i < count && good; ++i) {
    double p[3];
    good = world_positions_touch(&f->where, &f->marks[i], p);
    json_open(j, '[');
    for (int k = 0; k < 3 && good; ++k) json_real(j, p[k]);
    json_close(j, ']');
  }
  json_close(j, ']');
  return good;
}

bool results_out_finish(results_out *f, report_ask ask, void *user)
{
  return (!f->out || contacts_out_finish(f->out)) && (!f->report || report_finish(f->report, ask, user));
}

void results_out_write_end(const results_out *f, const play_options *o)
{
  if (f->out) contacts_out_write_end(f->out);
  if (f->report) printf("report    %s   (open it in a browser)\n", io_show(o->report).text);
}
