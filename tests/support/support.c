#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool data_present(void)
{
  struct stat s;
  return stat(PLIANT_DATA_DIR "/README.md", &s) == 0;
}

void data_needed(void)
{
  if (data_present()) return;
  print_message("skipped: no data at %s\n", PLIANT_DATA_DIR);
  skip();
}

const char *data_path(const char *relative)
{
  static char paths[5][1024];
  static int next;
  data_needed();
  char *path = paths[next++ % 5];
  snprintf(path, sizeof paths[0], "%s/%s", PLIANT_DATA_DIR, relative);
  return path;
}

bool test_soaks(void) { return getenv("PLIANT_SOAK") != NULL; }

int test_rounds(int all)
{
#ifdef __SANITIZE_ADDRESS__
  const int part = 8;
#else
  const int part = 4;
#endif
  return test_soaks() ? all : (all + part - 1) / part;
}

uint64_t test_random(test_rng *rng)
{
  uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double test_uniform(test_rng *rng, double low, double high)
{
  return low + (high - low) * ((double)(test_random(rng) >> 11) * 0x1p-53);
}

int test_below(test_rng *rng, int bound) { return (int)(test_random(rng) % (uint64_t)bound); }

void *failing_allocate(void *user, size_t size)
{
  failing *f = user;
  ++f->requests;
  if (f->until == 0) return NULL;
  if (f->until > 0) --f->until;
  ++f->live;
  return malloc(size);
}

void failing_release(void *user, void *memory, size_t size)
{
  (void)size;
  --((failing *)user)->live;
  free(memory);
}
