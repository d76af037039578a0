/* Bytes, numbers, memory, traces and contexts of a fuzzed world. */
#include "world.h"

#include "run.h"

#include <stdarg.h>

/* ------------------------------------------------------------------------------------- bytes -- */

int pick(world *w, int count) { return w->at < w->end ? *w->at++ % count : 0; }
bool chance(world *w, int one_in) { return w->at < w->end && *w->at++ % one_in == one_in - 1; }

uint64_t seed_of(world *w)
{
  uint64_t high = (uint64_t)pick(w, 256);
  return w->random = (high << 8 | (uint64_t)pick(w, 256)) * 0x9e3779b97f4a7c15u + 1;
}

uint64_t random_bits(world *w)
{
  uint64_t z = (w->random += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double uniform(world *w, double low, double high)
{
  return low + (high - low) * ((double)(random_bits(w) >> 11) * 0x1p-53);
}

int below(world *w, int bound) { return (int)(random_bits(w) % (uint64_t)bound); }

double ordinary(world *w)
{
  switch (w->style) {
  case 0:
    return below(w, 7) - 3;
  case 1:
    return 0.5 * (below(w, 9) - 4);
  case 2:
    return uniform(w, -2, 2);
  case 3:
    return 1e6 + 0.25 * below(w, 16);
  case 4:
    return 1e-3 * uniform(w, -2, 2);
  default:
    return below(w, 2) ? below(w, 5) - 2 : uniform(w, -2, 2);
  }
}

/* Where something overflows, underflows or stops being a float. */
static double edge_number(world *w)
{
  static const double edges[] = {5e-324,  0x1p-1060, 2.3e-308, 1e-300, 1e-160, 1e-154,  1.5e-45, 1e-44, 1.2e-38, 1e-30,
                                 1e-20,   1e-19,     1e19,     2e19,   1e20,   1.7e38,  3.40e38, 1e39,  1e60,    1e100,
                                 1.3e154, 1e155,     1e200,    1e300,  1e307,  FLT_MAX, FLT_MIN, 0.,    1e-310,  4e76};
  double x = edges[below(w, (int)(sizeof edges / sizeof *edges))];
  return below(w, 2) ? -x : x;
}

double sized(world *w, double x)
{
  if (w->profile == PROFILE_SCALED) {
    double y = ldexp(x, w->exponent);
    return isfinite(y) ? y : copysign(1e307, x);
  }
  if (w->profile == PROFILE_MIXED && below(w, 3) == 0) return edge_number(w);
  if (w->profile == PROFILE_DENORMAL) return rint(4 * x) * 0x1p-1074;
  return x;
}

double bad_number(world *w)
{
  double numbers[] = {NAN, INFINITY, -INFINITY};
  return numbers[pick(w, 3)];
}

/* ------------------------------------------------------------------------------------- trace -- */

void trace(world *w, const char *format, ...)
{
  if (!w->tracing) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
}

static void trace_number(double x)
{
  if (isnan(x))
    fprintf(stderr, "NAN");
  else if (isinf(x))
    fprintf(stderr, x > 0 ? "INFINITY" : "-INFINITY");
  else if (x == rint(x) && fabs(x) < 1e9)
    fprintf(stderr, "%.0f", x);
  else
    fprintf(stderr, "%a", x);
}

void trace_doubles(world *w, const char *name, const double *x, size_t count)
{
  if (!w->tracing) return;
  fprintf(stderr, "  const double %s[] = {", name);
  for (size_t i = 0; i < count; ++i) {
    if (i) fprintf(stderr, ", ");
    trace_number(x[i]);
  }
  fprintf(stderr, "%s};\n", count ? "" : "0");
}

void trace_indices(world *w, const char *name, const uint32_t *x, size_t count)
{
  if (!w->tracing) return;
  fprintf(stderr, "  const uint32_t %s[] = {", name);
  for (size_t i = 0; i < count; ++i) fprintf(stderr, i ? ", %u" : "%u", x[i]);
  fprintf(stderr, "%s};\n", count ? "" : "0");
}

void trace_positions(world *w, const char *name, pl_positions p)
{
  if (!w->tracing) return;
  size_t scalar = p.type == PL_F32 ? sizeof(float) : sizeof(double);
  fprintf(stderr, "  static const %s %s_xyz[] = {", p.type == PL_F32 ? "float" : "double", name);
  for (size_t v = 0; v < p.count; ++v)
    for (size_t k = 0; k < p.stride / scalar; ++k) {
      double x = 0;
      if (k < 3) {
        const char *at = (const char *)p.data + v * p.stride + k * scalar;
        x = p.type == PL_F32 ? (double)*(const float *)(const void *)at : *(const double *)(const void *)at;
      }
      if (v || k) fprintf(stderr, ", ");
      trace_number(x);
    }
  fprintf(stderr, "};\n  pl_positions %s = pl_positions_strided(%s, %s_xyz, %zu, %zu);\n", name,
          p.type == PL_F32 ? "PL_F32" : "PL_F64", name, p.count, p.stride);
}

void require(world *w, bool condition, const char *format, ...)
{
  if (condition) return;
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, w->tracing ? "  /* " : "difference: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, w->tracing ? " */\n}\n" : "\n");
  va_end(arguments);
  if (!w->tracing) run_traced(w->begin, (size_t)(w->end - w->begin), w->how, MOST_CALLS);
  abort();
}

/* ------------------------------------------------------------------------------------ memory -- */

enum { HEADER = 16 };

static void *allocate(void *user, size_t size)
{
  memory *m = user;
  if (m->until == 0) {
    m->failed = true;
    m->until = m->every ? m->every : -1;
    return NULL;
  }
  if (m->until > 0) --m->until;
  char *block = malloc(size + HEADER);
  if (!block) abort();
  memcpy(block, &size, sizeof size);
  ++m->live;
  return block + HEADER;
}

static void release(void *user, void *block, size_t size)
{
  memory *m = user;
  size_t asked;
  memcpy(&asked, (char *)block - HEADER, sizeof asked);
  if (asked != size) {
    fprintf(stderr, "broken: %zu bytes given back as %zu\n", asked, size);
    abort();
  }
  --m->live;
  free((char *)block - HEADER);
}

void call_begin(world *w)
{
  memory *m = &w->memory;
  m->failed = false;
  if (!m->armed) return;
  m->armed = false;
  w->failing = true;
  m->until = pick(w, 24);
  m->every = pick(w, 4);
  m->give_up = chance(w, 3);
  trace(w, "  /* request %ld for memory fails, then every %ldth */\n", m->until, m->every);
}

bool call_again(world *w, pl_status status)
{
  memory *m = &w->memory;
  m->until = -1;
  w->status = status;
  bool out = status == PL_ERROR_MEMORY || (status == PL_ERROR_THREADS && w->how.real_threads);
  if (out) require(w, m->failed, "out of memory, but no request failed: %s", pl_context_message(w->context));
  if (out) w->status = PL_ERROR_MEMORY;
  if (out && !m->give_up) trace(w, "  /* out of memory: once more */\n");
  return out && !m->give_up;
}

void refused(world *w, pl_status status, const char *what)
{
  require(w, status != PL_OK, "%s was not refused", what);
  require(w, status != PL_ERROR_MEMORY || w->memory.failed, "%s: out of memory", what);
  const char *message = pl_context_message(w->context);
  require(w, *message && !strchr(message, '\n'), "%s: refused without one line about it", what);
  trace(w, "  /* refused: %s */\n", message);
}

void note(world *w, const void *data, size_t size)
{
  const unsigned char *byte = data;
  uint64_t h = w->sum;
  for (size_t i = 0; i < size; ++i) h = (h ^ byte[i]) * 0x100000001b3u;
  w->sum = h;
}

void note_counters(world *w, const pl_counters *counters)
{
  uint64_t counts[3] = {counters->n_v, counters->n_p, counters->n_u};
  note(w, counts, sizeof counts);
}

/* ---------------------------------------------------------------------------------- contexts -- */

/* The last task first, each with another worker's number. */
static void shuffled(void *user, pl_task task, void *data, int count, int workers)
{
  (void)user;
  for (int i = 0; i < count; ++i) task(data, count - 1 - i, (i * 5 + 1) % workers);
}

void context_open(world *w)
{
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){&w->memory, allocate, release};
  def.threads = w->how.threads;
  def.simd = w->how.simd;
  if (!w->how.real_threads && def.threads > 1) def.parallel = shuffled;
  w->memory.until = -1;
  pl_status status = pl_context_create(&def, &w->context);
  if (status == PL_ERROR_UNSUPPORTED) { /* not on this machine */
    def.simd = NULL;
    status = pl_context_create(&def, &w->context);
  }
  require(w, status == PL_OK, "no context");
  trace(w,
        "  { pl_context_def d = pl_context_def_default(); d.threads = %d; d.simd = %s%s%s;%s\n"
        "    pl_context_create(&d, &context); }\n",
        def.threads, def.simd ? "\"" : "", def.simd ? def.simd : "NULL", def.simd ? "\"" : "",
        def.parallel ? " d.parallel = shuffled;" : "");
  def = pl_context_def_default();
  def.threads = 1;
  if (!w->oracle) require(w, pl_context_create(&def, &w->oracle) == PL_OK, "no context for the reference");
}

void context_close(world *w)
{
  trace(w, "  pl_context_destroy(context);\n");
  pl_context_destroy(w->context);
  w->context = NULL;
  for (int i = 0; i < SLOTS + CROWD; ++i) {
    w->bodies[i].body = NULL;
    body_forget(w, &w->bodies[i]);
  }
  for (int i = 0; i < SCENES; ++i) {
    pl_scene_destroy(w->scenes[i].twin);
    memset(&w->scenes[i], 0, sizeof w->scenes[i]);
  }
  require(w, w->memory.live == 0, "%ld blocks of memory are left when the context is gone", w->memory.live);
}
