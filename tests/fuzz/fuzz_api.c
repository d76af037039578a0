/* build: src tests/fuzz/api */
/* Sequences of calls against the reference: bytes are a world of bodies and scenes and what is
 * done with them (api/world.h). Under libFuzzer, or by itself:
 *
 *   fuzz_api --worlds N [--seed S] [--profile ordinary|scaled|mixed|denormal] [--write FILE]
 *   N random worlds
 *   fuzz_api [--trace] FILE|FOLDER...                                                  the
 *   worlds in files
 *   fuzz_api --reduce FILE                                   makes a world that differs as short
 *   as it gets, in its file
 *
 * A difference ends the program; the calls that led to it are printed as C. */
#include "../../extras/scenes/ask.h"
#include "api/run.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* X(call, weight). What the next byte chooses from, and how often. */
#define CALL_LIST(X)                                                                                                   \
  X(create, 4)                                                                                                         \
  X(destroy, 1)                                                                                                        \
  X(positions, 4)                                                                                                      \
  X(vertices, 3)                                                                                                       \
  X(transform, 3)                                                                                                      \
  X(weights, 3)                                                                                                        \
  X(bones, 3)                                                                                                          \
  X(controls, 4)                                                                                                       \
  X(key_pose, 1)                                                                                                       \
  X(facts, 3)                                                                                                          \
  X(wrong, 1)                                                                                                          \
  X(collide, 6)                                                                                                        \
  X(distance, 6)                                                                                                       \
  X(distance_point, 3)                                                                                                 \
  X(near, 3)                                                                                                           \
  X(closer, 1)                                                                                                         \
  X(cast, 5)                                                                                                           \
  X(scene, 2)                                                                                                          \
  X(member, 4)                                                                                                         \
  X(scene_collide, 3)                                                                                                  \
  X(scene_distance, 3)                                                                                                 \
  X(scene_cast, 3)                                                                                                     \
  X(self, 4)                                                                                                           \
  X(features, 3)                                                                                                       \
  X(region, 3)                                                                                                         \
  X(points, 3)                                                                                                         \
  X(segments, 2)                                                                                                       \
  X(depths, 2)                                                                                                         \
  X(keep, 3)                                                                                                           \
  X(impacts, 3)                                                                                                        \
  X(candidates, 2)                                                                                                     \
  X(exclude, 2)                                                                                                        \
  X(scene_near, 2)                                                                                                     \
  X(scene_features, 2)                                                                                                 \
  X(scene_impacts, 2)                                                                                                  \
  X(list, 2)                                                                                                           \
  X(match, 2)                                                                                                          \
  X(edit, 4)

static void call_fail(world *w) { w->memory.armed = true; } /* the next call runs out of memory */

static void call_context(world *w)
{
  if (!chance(w, 4)) return;
  context_close(w);
  context_open(w);
}

static void one_call(world *w)
{
  static void (*const calls[])(world *) = {
#define CALL_NAME(name, weight) call_##name,
      CALL_LIST(CALL_NAME)
#undef CALL_NAME
          call_fail,
      call_context};
  static const int weights[] = {
#define CALL_WEIGHT(name, weight) weight,
      CALL_LIST(CALL_WEIGHT)
#undef CALL_WEIGHT
          3,
      1};
  enum { KINDS = sizeof calls / sizeof *calls };
  int total = 0, kind = 0;
  for (int i = 0; i < KINDS; ++i) total += weights[i];
  int at = pick(w, total);
  while (at >= weights[kind]) at -= weights[kind++];
  calls[kind](w);
}

/* ------------------------------------------------------------------------------------ worlds -- */

static const char *const prelude =
    "#include \"pliant/pliant.h\"\n#include \"scenes/ask.h\"\n#include "
    "<math.h>\n#include <string.h>\n\n"
    "int main(void)\n{\n"
    "  pl_context *context; pl_body *body[%d] = {0}; pl_scene *scene[%d] = {0}; const pl_result *pairs; "
    "least_row "
    "distance;\n"
    "  const pl_result *near; bool closer; const pl_result *hits; const pl_result *contacts; "
    "least_row nearest;\n"
    "  pl_counters counters; pl_body_info info; pl_body_info inflate; float lower[3], upper[3]; uint32_t "
    "order[%d];\n";

static void run(world *w)
{
  trace(w, prelude, SLOTS + CROWD, SCENES, MOST_VERTICES);
  w->sum = 0xcbf29ce484222325u;
  static const profile profiles[] = {PROFILE_ORDINARY, PROFILE_ORDINARY, PROFILE_ORDINARY, PROFILE_ORDINARY,
                                     PROFILE_ORDINARY, PROFILE_SCALED,   PROFILE_MIXED,    PROFILE_DENORMAL};
  w->profile = profiles[pick(w, 8)];
  w->style = pick(w, 6);
  w->exponent = w->profile == PROFILE_SCALED ? pick(w, 256) * 8 - 1060 : 0;
  context_open(w);
  for (; w->at < w->end && w->calls < w->stop_at; ++w->calls) {
    one_call(w);
    w->hash[w->calls] = w->sum;
  }
  context_close(w);
  pl_context_destroy(w->oracle);
  w->oracle = NULL;
}

static world *world_of(const uint8_t *bytes, size_t size, variant how, int stop_at)
{
  static world worlds[2];
  world *w = &worlds[stop_at < 0];
  memset(w, 0, sizeof *w);
  w->begin = w->at = bytes;
  w->end = bytes + size;
  w->how = how;
  w->stop_at = abs(stop_at);
  return w;
}

void run_traced(const uint8_t *bytes, size_t size, variant how, int stop_at)
{
  world *w = calloc(1, sizeof *w);
  if (!w) abort();
  w->begin = w->at = bytes;
  w->end = bytes + size;
  w->how = how;
  w->stop_at = stop_at;
  w->tracing = true;
  run(w);
  fprintf(stderr, "  return 0;\n}\n");
  free(w);
}

/* Two bytes say how the world is run, and what it is compared with. */
static void run_world(const uint8_t *bytes, size_t size, bool tracing)
{
  static const char *const simd[] = {NULL, "scalar", "sse2", "avx2"};
  if (size < 4) return;
  variant how = {.threads = 1, .simd = simd[bytes[0] % 4]}, other = {.simd = simd[bytes[0] / 4 % 4]};
  other.threads = 1 + bytes[0] / 16 % 4;
  other.real_threads = bytes[1] % 64 == 63; /* starting threads takes longer than the rest of it */
  bool compare = bytes[1] % 4 == 3;
  if (!compare && bytes[1] % 4 == 2) how = other;
  if (tracing) {
    run_traced(bytes + 2, size - 2, how, MOST_CALLS);
    return;
  }
  world *w = world_of(bytes + 2, size - 2, how, MOST_CALLS);
  run(w);
  if (!compare || w->failing) return;
  world *x = world_of(bytes + 2, size - 2, other, -MOST_CALLS);
  run(x);
  for (int i = 0; i < w->calls; ++i) {
    if (w->hash[i] == x->hash[i]) continue;
    fprintf(stderr, "difference: the last call gives other bytes with %d threads and %s than with %d and %s\n",
            how.threads, how.simd ? how.simd : "the best", other.threads, other.simd ? other.simd : "the best");
    run_traced(bytes + 2, size - 2, how, i + 1);
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  run_world(data, size, false);
  return 0;
}

/* ----------------------------------------------------------------------------------- program -- */

#ifdef FUZZ_MAIN

typedef struct options {
  long worlds;
  uint64_t seed;
  int profile; /* -1: any */
  bool trace;
  const char *write;
} options;

enum { MOST_BYTES = 1024 };

static size_t random_world(const options *o, uint64_t number, uint8_t bytes[MOST_BYTES])
{
  static const uint8_t first_of[PROFILE_COUNT] = {0, 5, 6, 7};
  world w = {.random = (o->seed << 32) + number};
  size_t size = 40 + (size_t)below(&w, below(&w, 4) ? 300 : MOST_BYTES - 40);
  for (size_t i = 0; i < size; ++i) bytes[i] = (uint8_t)random_bits(&w);
  if (o->profile >= 0) bytes[2] = first_of[o->profile];
  return size;
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
    fprintf(stderr, "fuzz_api: cannot write %s\n", path);
    exit(2);
  }
}

static int run_random(const options *o)
{
  static uint8_t bytes[MOST_BYTES];
  for (long i = 0; i < o->worlds; ++i) {
    size_t size = random_world(o, (uint64_t)i, bytes);
    if (o->write) write_bytes(o->write, bytes, size); /* the last one stays */
    run_world(bytes, size, o->trace);
  }
  printf("fuzz_api: %ld worlds from seed %llu, no difference\n", o->worlds, (unsigned long long)o->seed);
  return 0;
}

static int run_path(const options *o, const char *path)
{
  static uint8_t bytes[1 << 16];
  struct stat s;
  if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
      char inner[4096];
      snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
      if (e->d_name[0] != '.') count += run_path(o, inner);
    }
    if (folder) closedir(folder);
    return count;
  }
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "fuzz_api: cannot read %s\n", path);
    exit(2);
  }
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  run_world(bytes, size, o->trace);
  return 1;
}

/* ---------------------------------------------------------------------------------- reducing -- */

/* Run in a process of its own, so that it may abort. */
static bool differs(const uint8_t *bytes, size_t size)
{
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    alarm(10);
    run_world(bytes, size, false);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

/* Leaves out pieces, large ones first, and sets bytes to smaller ones, as long as that helps. */
static int reduce(const char *path)
{
  static uint8_t bytes[1 << 16], shorter[1 << 16];
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  if (!size || !differs(bytes, size)) {
    fprintf(stderr, "fuzz_api: %s shows no difference\n", path);
    return 2;
  }
  for (bool better = true; better;) {
    better = false;
    for (size_t piece = size / 2; piece; piece = piece > 8 ? piece / 2 : piece - 1)
      for (size_t at = 2; at + piece <= size;) {
        memcpy(shorter, bytes, at);
        memcpy(shorter + at, bytes + at + piece, size - at - piece);
        if (!differs(shorter, size - piece)) {
          at += piece > 8 ? piece / 2 : 1;
          continue;
        }
        size -= piece;
        memcpy(bytes, shorter, size);
        better = true;
      }
    for (size_t i = 0; i < size; ++i) {
      uint8_t old = bytes[i];
      for (int smaller = 0; smaller < old && smaller < 3; ++smaller) {
        bytes[i] = (uint8_t)smaller;
        if (differs(bytes, size)) break;
        bytes[i] = old;
      }
      better = better || bytes[i] != old;
    }
    write_bytes(path, bytes, size);
  }
  printf("fuzz_api: %s has %zu bytes now\n", path, size);
  return 0;
}

static int usage(void)
{
  fprintf(stderr, "usage: fuzz_api --worlds N [--seed S] [--profile ordinary|scaled|mixed|denormal] [--write FILE]\n"
                  "       fuzz_api [--trace] FILE|FOLDER...\n"
                  "       fuzz_api --reduce FILE\n");
  return 64;
}

int main(int argc, char **argv)
{
#define PROFILE_WORD(name, word) word,
  static const char *const profiles[] = {PROFILE_LIST(PROFILE_WORD)};
  options o = {.profile = -1};
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(argv[i], "--trace")) {
      o.trace = true;
    } else if (!strncmp(argv[i], "--", 2)) {
      if (!value) return usage();
      if (!strcmp(argv[i], "--reduce")) return reduce(value);
      if (!strcmp(argv[i], "--worlds"))
        o.worlds = atol(value);
      else if (!strcmp(argv[i], "--seed"))
        o.seed = strtoull(value, NULL, 10);
      else if (!strcmp(argv[i], "--write"))
        o.write = value;
      else if (!strcmp(argv[i], "--profile"))
        for (o.profile = 0; o.profile < PROFILE_COUNT && strcmp(profiles[o.profile], value);) ++o.profile;
      else
        return usage();
      if (o.profile == PROFILE_COUNT) return usage();
      ++i;
    } else {
      files += run_path(&o, argv[i]);
    }
  }
  if (files) printf("fuzz_api: %d worlds from files, no difference\n", files);
  if (o.worlds > 0) return run_random(&o);
  return files ? 0 : usage();
}

#endif
