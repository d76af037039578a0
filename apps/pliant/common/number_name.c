#include "common/number_name.h"

#include <stdio.h>
#include <string.h>

typedef struct place {
  size_t begin, end;
  int digits;
} place;

static int find(const char *name, place *out)
{
  const char *at = strchr(name, '%');
  if (!at) return 0;
  *out = (place){.begin = (size_t)(at - name)};
  const char *c = at + 1;
  if (*c == '0') ++c;
  while (*c >= '0' && *c <= '9' && out->digits < 100) out->digits = 10 * out->digits + (*c++ - '0');
  if (*c != 'd' || out->digits > 9 || strchr(c, '%')) return -1;
  out->end = (size_t)(c + 1 - name);
  return 1;
}

int number_name_find(const char *name)
{
  place p;
  return find(name, &p);
}

void number_name_make(const char *name, size_t frame, char *path, size_t size)
{
  place p;
  if (find(name, &p) == 1)
    snprintf(path, size, "%.*s%0*zu%s", (int)p.begin, name, p.digits, frame, name + p.end);
  else
    snprintf(path, size, "%s", name);
}

bool name_ends_with(const char *name, const char *ending)
{
  size_t n = strlen(name), m = strlen(ending);
  return n > m && strcmp(name + n - m, ending) == 0;
}
