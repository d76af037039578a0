/* The search: NLopt's evolutionary algorithm over criterion, p_max, k and gamma, as F. Bitar
 * (2011) searched with a genetic one. How volumes grow is not searched but given: what growing
 * them costs stands in no count. Invariant: the sequence of points depends on the seed, the
 * population and the scores alone. A search is resumed by going through it again with the scores
 * of its log, which costs nothing, until the log ends; no state of NLopt's is needed. The log
 * grows by a line a run, and the best settings are saved beside the output at every improvement,
 * until they are confirmed: whatever ends the search, nothing is lost. Cost: population *
 * generations runs of the scene at most; settings that differ only in what their criterion does
 * not read are played once. */
#include "common/command.h"
#include "common/output.h"
#include "common/progress.h"
#include "io/output.h"
#include "tune/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* OUT.part; false where it is too long. */
static bool part_of(const char *out, const char *ending, char path[PATH_SIZE])
{
  int length = snprintf(path, PATH_SIZE, "%s%s", out, ending);
  return length > 0 && length < PATH_SIZE;
}

/* Whole or not at all. */
static bool save_part(const char *out, const pl_body_def *def)
{
  char text[1024], part[PATH_SIZE];
  io_error error = {""};
  io_output file;
  if (!part_of(out, ".part", part)) {
    output_complain("%s.part: cannot be written: %s", out, strerror(ENAMETOOLONG));
    return false;
  }
  bool ok = io_output_open(&file, part, &error);
  if (ok) {
    pl_body_def_print(def, text, sizeof text);
    fprintf(file.file, "%s\n", text);
    ok = io_output_close(&file, true, &error);
  }
  if (!ok) output_complain("%s", error.text);
  return ok;
}

bool tune_settle(const char *out, bool keep)
{
  char part[PATH_SIZE];
  if (!part_of(out, ".part", part)) return true; /* nothing can have been saved */
  if (!keep) {
    unlink(part);
    return true;
  }
  if (rename(part, out) == 0) return true;
  output_complain("%s: could not be written: %s", out, strerror(errno));
  return false;
}

#ifndef PLIANT_HAVE_NLOPT

bool tune_possible(void) { return false; }

bool tune_search(tune_scene *s, const pl_body_def *base, const tune_costs *costs, const tune_options *o,
                 tune_result *out)
{
  (void)s, (void)base, (void)costs, (void)o;
  *out = (tune_result){0};
  return false;
}

#else

#include <nlopt.h>

enum { DIMENSIONS = 4, SEARCHED = PL_CRITERION_AB_OR_BC + 1, TIME_REPEATS = 3 };

typedef struct search {
  tune_scene *scene;
  const pl_body_def *base;
  const tune_costs *costs;
  const tune_options *options;
  tune_limit limit; /* of a run */
  nlopt_opt nlopt;
  tune_point *known; /* all runs so far */
  size_t count, capacity, asked;
  FILE *log; /* NULL: none is kept */
  progress bar;
  tune_result *result;
  bool failed; /* stderr says why */
} search;

bool tune_possible(void) { return true; }

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
  (void)signal_number;
  interrupted = 1;
}

/* ------------------------------------------------------------------------------------ points -- */

/* Steps of 0.0001: as fine as anything that can be told apart, and exact in text. */
static double round_to_step(double x) { return round(x * 10000) / 10000; }

/* Whether a criterion reads p_max; k and gamma. */
static bool reads_a(pl_criterion c)
{
  return c == PL_CRITERION_A || c == PL_CRITERION_A_AND_B || c == PL_CRITERION_A_AND_B_AND_C ||
         c == PL_CRITERION_A_OR_BC || c == PL_CRITERION_AB_OR_BC;
}
static bool reads_c(pl_criterion c)
{
  return c == PL_CRITERION_B_AND_C || c == PL_CRITERION_A_AND_B_AND_C || c == PL_CRITERION_A_OR_BC ||
         c == PL_CRITERION_AB_OR_BC;
}

/* The search goes through p_max by its cube root and through k and gamma by their square roots:
 * small values are where a little matters, and a tenth of the range of p_max has most of what is
 * ever best. */
static double cube(double u) { return 10 * u * u * u; }
static double uncube(double p_max) { return cbrt(p_max / 10); }

/* Coordinates of the search as settings; what the criterion does not read stays as it was. */
static pl_inflate_def settings_at(const search *s, const double x[DIMENSIONS])
{
  pl_inflate_def d = s->base->inflate;
  int criterion = s->options->criterion >= 0 ? s->options->criterion : (int)x[0];
  d.criterion = (pl_criterion)(criterion < 0                     ? 0
                               : criterion >= PL_CRITERION_COUNT ? PL_CRITERION_COUNT - 1
                                                                 : criterion);
  if (reads_a(d.criterion)) d.p_max = round_to_step(cube(x[1]));
  if (reads_c(d.criterion)) {
    d.k = round_to_step(x[2] * x[2]);
    d.gamma = round_to_step(x[3] * x[3]);
  }
  return d;
}

static bool same_settings(const pl_inflate_def *a, const pl_inflate_def *b)
{
  return a->criterion == b->criterion && a->p_max == b->p_max && a->k == b->k && a->gamma == b->gamma;
}

static const tune_point *find_known(const search *s, const pl_inflate_def *d)
{
  for (size_t i = 0; i < s->count; ++i)
    if (same_settings(&s->known[i].inflate, d)) return &s->known[i];
  return NULL;
}

static bool remember(search *s, tune_point point)
{
  if (s->count == s->capacity) {
    size_t capacity = s->capacity ? 2 * s->capacity : 256;
    tune_point *grown = realloc(s->known, capacity * sizeof *grown);
    if (!grown) return output_complain("out of memory"), false;
    s->known = grown;
    s->capacity = capacity;
  }
  s->known[s->count++] = point;
  return true;
}

/* --------------------------------------------------------------------------------------- log -- */

/* What must be the same for a log to be gone on with. The number of generations may differ: a
 * search can be made longer. */
static void log_head(const search *s, char *text, size_t size)
{
  char base[1024];
  pl_body_def_print(s->base, base, sizeof base);
  const tune_options *o = s->options;
  const tune_costs *c = s->costs;
  snprintf(text, size,
           "pliant tune 2 scene %016" PRIx64 " seed %d population %d criterion %d %s %.15g %.15g %.15g %.15g %s",
           tune_scene_hash(s->scene), o->seed, o->population, o->criterion, o->by_time ? "time" : "counts", c->v, c->p,
           c->u, c->frame, base);
}

/* A line of a run; false where it is none: the last one may have been cut off. */
static bool parse_line(const char *line, pl_growth growth, tune_point *out)
{
  int criterion, used = 0;
  if (sscanf(line, "%d %lf %lf %lf %lf;%n", &criterion, &out->inflate.p_max, &out->inflate.k, &out->inflate.gamma,
             &out->score, &used) != 5 ||
      used == 0 || line[used] != '\n' || criterion < 0 || criterion >= PL_CRITERION_COUNT || !isfinite(out->score))
    return false;
  out->inflate.criterion = (pl_criterion)criterion;
  out->inflate.growth = growth; /* of the whole search: the log's head has it */
  return true;
}

/* Reads the runs of an old log. *good: the length of what can be kept of it. */
static bool read_log(search *s, FILE *file, const char *head, long *good)
{
  char line[2048];
  *good = 0;
  if (!fgets(line, sizeof line, file)) return true; /* empty: as if it were not there */
  line[strcspn(line, "\n")] = '\0';
  if (strcmp(line, head) != 0) {
    output_complain("%s: the log of another search, or of other options or files; give another file",
                    s->options->resume);
    return false;
  }
  *good = ftell(file);
  tune_point point;
  while (fgets(line, sizeof line, file) && parse_line(line, s->base->inflate.growth, &point)) {
    if (!remember(s, point)) return false;
    *good = ftell(file);
  }
  s->result->resumed = s->count;
  return true;
}

/* For reading and writing, made where there is none; a regular file only, as a pipe would keep
 * us waiting. NULL: stderr says why. */
static FILE *open_regular(const char *path)
{
  struct stat about;
  int file = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  bool known = file >= 0 && fstat(file, &about) == 0;
  if (known && !S_ISREG(about.st_mode)) {
    output_complain("%s: is not a regular file; give another name for the log", path);
    close(file);
    return NULL;
  }
  FILE *opened = known ? fdopen(file, "r+") : NULL;
  if (opened) return opened;
  output_complain("%s: could not be written: %s", path, strerror(errno));
  if (file >= 0) close(file);
  return NULL;
}

static bool open_log(search *s)
{
  const char *path = s->options->resume;
  if (!path) return true;
  char head[2048];
  long good = 0;
  log_head(s, head, sizeof head);
  s->log = open_regular(path);
  if (!s->log || !read_log(s, s->log, head, &good)) return false;
  bool ok = fseek(s->log, good, SEEK_SET) == 0 && ftruncate(fileno(s->log), good) == 0;
  if (ok && good == 0) ok = fprintf(s->log, "%s\n", head) > 0 && fflush(s->log) == 0;
  if (!ok) output_complain("%s: could not be written: %s", path, strerror(errno));
  return ok;
}

static bool add_to_log(search *s, const tune_point *p)
{
  if (!s->log) return true;
  bool ok = fprintf(s->log, "%d %.15g %.15g %.15g %.17g;\n", (int)p->inflate.criterion, p->inflate.p_max, p->inflate.k,
                    p->inflate.gamma, p->score) > 0 &&
            fflush(s->log) == 0;
  if (!ok) output_complain("%s: could not be written: %s", s->options->resume, strerror(errno));
  return ok;
}

/* ------------------------------------------------------------------------------------ search -- */

/* A run that has cost HOPELESS times what the defaults do is ended, and its score is what it
 * would have come to at that rate: such settings only have to be ranked below the others. By
 * counts even where the clock scores, so that a search can be gone on with. */
static bool set_limit(search *s)
{
  enum { HOPELESS = 4 };
  tune_counts counts;
  if (!tune_play(s->scene, s->base, TUNE_FULL, NULL, &counts)) return false;
  s->limit = (tune_limit){*s->costs, HOPELESS * tune_score(s->costs, &counts)};
  return true;
}

static bool score_of(search *s, const pl_inflate_def *d, double *score)
{
  pl_body_def def = *s->base;
  def.inflate = *d;
  *score = INFINITY;
  for (int k = 0; k < (s->options->by_time ? TIME_REPEATS : 1); ++k) {
    tune_counts counts;
    if (!tune_play(s->scene, &def, TUNE_FULL, &s->limit, &counts)) return false;
    double all = s->scene->weighted / counts.frames;
    *score = fmin(*score, all * (s->options->by_time ? 1e6 * counts.ms : tune_score(s->costs, &counts)));
  }
  return true;
}

/* The score of settings, played or known; keeps the best. false: could not be played, or not be
 * kept. */
static bool run_settings(search *s, const pl_inflate_def *d, double *score)
{
  const tune_point *known = find_known(s, d);
  tune_point point = known ? *known : (tune_point){.inflate = *d};
  if (!known && (!score_of(s, d, &point.score) || !remember(s, point) || !add_to_log(s, &point))) return false;
  *score = point.score;
  bool first = s->result->best.score == 0;
  if (first || point.score < s->result->best.score) {
    s->result->best = point;
    pl_body_def def = *s->base;
    def.inflate = *d;
    if (!first && s->options->out && !save_part(s->options->out, &def)) return false;
  }
  return true;
}

static double objective(unsigned n, const double *x, double *gradient, void *user)
{
  (void)n;
  (void)gradient;
  search *s = user;
  double score = HUGE_VAL;
  if (interrupted || s->failed) {
    nlopt_force_stop(s->nlopt);
    return HUGE_VAL;
  }
  pl_inflate_def d = settings_at(s, x);
  if (!run_settings(s, &d, &score)) {
    s->failed = true;
    nlopt_force_stop(s->nlopt);
  }
  progress_step(&s->bar, ++s->asked);
  return score;
}

static bool set_up(search *s, double x[DIMENSIONS])
{
  const double low[DIMENSIONS] = {0, 0, 0, 0}, high[DIMENSIONS] = {SEARCHED - 1e-9, 1, 1, 1};
  const pl_inflate_def *d = &s->base->inflate;
  const double start[DIMENSIONS] = {(double)d->criterion + 0.5, uncube(d->p_max), sqrt(d->k), sqrt(d->gamma)};
  for (int i = 0; i < DIMENSIONS; ++i) x[i] = fmin(fmax(start[i], low[i]), high[i]);
  s->nlopt = nlopt_create(NLOPT_GN_ESCH, DIMENSIONS);
  int runs = s->options->population * s->options->generations;
  bool ok = s->nlopt && nlopt_set_lower_bounds(s->nlopt, low) == NLOPT_SUCCESS &&
            nlopt_set_upper_bounds(s->nlopt, high) == NLOPT_SUCCESS &&
            nlopt_set_min_objective(s->nlopt, objective, s) == NLOPT_SUCCESS &&
            nlopt_set_population(s->nlopt, (unsigned)s->options->population) == NLOPT_SUCCESS &&
            nlopt_set_maxeval(s->nlopt, runs) == NLOPT_SUCCESS;
  nlopt_srand((unsigned long)s->options->seed);
  return ok ? true : (output_complain("out of memory"), false);
}

bool tune_search(tune_scene *scene, const pl_body_def *base, const tune_costs *costs, const tune_options *o,
                 tune_result *out)
{
  search s = {.scene = scene, .base = base, .costs = costs, .options = o, .result = out};
  double x[DIMENSIONS], score;
  *out = (tune_result){0};
  interrupted = 0;
  struct sigaction stop = {.sa_handler = interrupt}, before[2];
  sigaction(SIGINT, &stop, &before[0]);
  sigaction(SIGTERM, &stop, &before[1]);
  bool ok = open_log(&s) && set_limit(&s) && run_settings(&s, &base->inflate, &score) && set_up(&s, x);
  if (ok) {
    out->start = out->best;
    s.bar = progress_begin("runs", (size_t)o->population * (size_t)o->generations, o->quiet);
    nlopt_optimize(s.nlopt, x, &score);
    progress_end(&s.bar);
    ok = !s.failed;
  }
  out->runs = s.count;
  out->tried = s.asked;
  out->planned = (size_t)o->population * (size_t)o->generations;
  out->stopped = interrupted;
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
  nlopt_destroy(s.nlopt);
  if (s.log && fclose(s.log) != 0 && ok) ok = (output_complain("%s: could not be written", o->resume), false);
  free(s.known);
  return ok;
}

#endif
