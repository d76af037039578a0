#include "core/version.h"

#include <stdio.h>
#include <string.h>

static size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

static size_t size_of(const void *def)
{
  size_t size;
  memcpy(&size, def, sizeof size);
  return size;
}

void result_give(void *out, size_t out_size, const void *result, size_t size)
{
  memcpy(out, result, lesser(out_size, size));
  if (out_size > size) memset((char *)out + size, 0, out_size - size);
}

void def_copy(const void *def, void *out, size_t size)
{
  memcpy(out, def, lesser(size_of(def), size));
  memcpy(out, &size, sizeof size);
}

bool def_is_good(const void *def, size_t size, const char *name, char text[DEF_SENTENCE])
{
  size_t theirs = size_of(def);
  if (theirs < sizeof theirs || theirs > DEF_MOST_BYTES) {
    snprintf(text, DEF_SENTENCE, "struct_size of %s is %zu: start from %s_default()", name, theirs, name);
    return false;
  }
  for (size_t i = size; i < theirs; ++i)
    if (((const unsigned char *)def)[i]) {
      snprintf(text, DEF_SENTENCE,
               "byte %zu of %s is set, which pliant %s does not know: leave it 0 or use a newer library", i, name,
               pl_version());
      return false;
    }
  return true;
}

pl_status def_read(pl_context *context, const void *def, void *out, size_t size, const char *name)
{
  if (!def) return PL_OK;
  char text[DEF_SENTENCE];
  if (!def_is_good(def, size, name, text)) return fail(context, PL_ERROR_ARGUMENT, "%s", text);
  def_copy(def, out, size);
  return PL_OK;
}

void def_write(void *def, const void *full, size_t size)
{
  size_t theirs = size_of(def);
  memcpy(def, full, lesser(theirs, size));
  memcpy(def, &theirs, sizeof theirs);
}
