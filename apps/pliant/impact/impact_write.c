/* Intervals as JSON, as lines for people, and as a page. */
#include "common/output.h"
#include "impact/impact.h"
#include "io/show.h"

/* -------------------------------------------------------------------------------------- JSON -- */

static void put_vector(json *j, const char *key, const double v[3])
{
  json_put_open(j, key, '[');
  for (int k = 0; k < 3; ++k) json_real(j, v[k]);
  json_close(j, ']');
}

/* One side of a contact: its body, and a vertex, a triangle or an edge. */
static void put_side(json *j, const char *key, const char *body, const char *word, const uint32_t feature[2])
{
  json_put_open(j, key, '{');
  json_put_text(j, "body", body);
  if (word) {
    json_put_whole(j, word, feature[0]);
  } else {
    json_put_open(j, "edge", '[');
    json_whole(j, feature[0]);
    json_whole(j, feature[1]);
    json_close(j, ']');
  }
  json_close(j, '}');
}

static const char *word_of(pl_feature kind, bool a)
{
  if (kind == PL_FEATURE_EDGE_EDGE) return NULL;
  return (kind == PL_FEATURE_VERTEX_FACE) == a ? "vertex" : "triangle";
}

static void put_impact(json *j, const impact_job *job, const pl_impact *i)
{
  const stage_body *bodies = job->stage.bodies;
  json_open(j, '{');
  json_put_real(j, "time", i->time);
  json_put_text(j, "kind", pl_word(PL_WORDS_FEATURE, i->kind));
  put_side(j, "a", bodies[impact_body(job, i->a)].name, word_of(i->kind, true), i->feature_a);
  put_side(j, "b", bodies[impact_body(job, i->b)].name, word_of(i->kind, false), i->feature_b);
  put_vector(j, "normal", i->normal);
  put_vector(j, "point", i->point);
  json_close(j, '}');
}

static void write_json(const impact_job *job, const impact_interval *interval)
{
  const pl_result *found = interval->found;
  char label[STAGE_LABEL];
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_whole(&j, "interval", interval->index);
  json_put_text(&j, "from", stage_label_raw(&job->stage, interval->index, label));
  json_put_text(&j, "to", stage_label_raw(&job->stage, interval->index + 1, label));
  json_put_real(&j, "time", found->time); /* infinite: null */
  json_put_real(&j, "safe_step", found->safe_step);
  json_put_whole(&j, "vertex_face", found->vertex_face);
  json_put_whole(&j, "edge_edge", found->edge_edge);
  json_put_bool(&j, "partial", found->partial);
  if (found->count) {
    json_key(&j, "features");
    put_impact(&j, job, &found->impacts[0]);
  }
  if (job->options.list) {
    json_put_open(&j, "list", '[');
    for (size_t i = 0; i < found->count; ++i) put_impact(&j, job, &found->impacts[i]);
    json_close(&j, ']');
  }
  json_put_work(&j, "n_v", found->counters.n_v);
  json_put_work(&j, "n_p", found->counters.n_p);
  json_put_work(&j, "n_u", found->counters.n_u);
  json_put_ms(&j, "ms_set", interval->ms_set);
  json_put_ms(&j, "ms_update", found->counters.ms_update);
  json_put_ms(&j, "ms_query", found->counters.ms_query);
  if (job->options.check) json_put_bool(&j, "checked", true);
  json_close(&j, '}');
  putchar('\n');
}

/* -------------------------------------------------------------------------------- for people -- */

static void write_feature(const char *word, const uint32_t feature[2])
{
  if (word)
    printf("%s %u", word, feature[0]);
  else
    printf("edge %u-%u", feature[0], feature[1]);
}

static void write_line(const impact_job *job, const pl_impact *i)
{
  printf("  %.9f  ", i->time);
  write_feature(word_of(i->kind, true), i->feature_a);
  printf(" of %s, ", io_show(job->stage.bodies[impact_body(job, i->a)].name).text);
  write_feature(word_of(i->kind, false), i->feature_b);
  printf(" of %s\n", io_show(job->stage.bodies[impact_body(job, i->b)].name).text);
}

void impact_write_interval(const impact_job *job, const impact_interval *interval)
{
  const pl_result *found = interval->found;
  if (job->options.json) {
    write_json(job, interval);
    return;
  }
  if (!found->count) return;
  printf("frames %zu to %zu: first contact at %.9f; %zu vertex-face, %zu edge-edge%s\n", interval->index,
         interval->index + 1, found->time, found->vertex_face, found->edge_edge, found->partial ? " (partial)" : "");
  for (size_t i = 0; i < (job->options.list ? found->count : 1); ++i) write_line(job, &found->impacts[i]);
}

void impact_write_summary(const impact_job *job)
{
  printf("intervals %zu, %zu with contact; %zu contacts%s\n", job->intervals, job->with_contact, job->contacts,
         job->options.first ? " (the first of each interval only)" : "");
  if (job->partial) printf("          %zu partial: the budget ended them, there may be other contacts\n", job->partial);
  stage_write_clips(&job->stage);
  stage_write_range(&job->stage);
  if (job->page) printf("report    %s\n", io_show(job->options.report).text);
}
