/* Readers of point caches: a head that says how many frames, points and bytes there are, and then
 * plain numbers. What the head claims is compared with the size of the file before anything is
 * allocated. */
#include "io/cache.h"
#include "io/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 4096 };

struct io_cache {
  char *path;
  FILE *file;
  size_t frames, points;
  uint64_t first; /* byte of the first frame */
  size_t width;   /* bytes of a number: 4 or 8 */
  bool big;       /* the highest byte comes first */
  unsigned char *row;
};

bool io_cache_is_name(const char *path)
{
  return io_ending_is(path, "pc2") || io_ending_is(path, "mdd") || io_ending_is(path, "npy");
}

size_t io_cache_frames(const io_cache *cache) { return cache->frames; }
size_t io_cache_points(const io_cache *cache) { return cache->points; }
bool io_cache_is_double(const io_cache *cache) { return cache->width == 8; }

static uint32_t number(const unsigned char *p, bool big)
{
  return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
             : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* ------------------------------------------------------------------------------------- heads -- */

static bool open_pc2(io_cache *c, const unsigned char *head, size_t size, io_error *error)
{
  if (size < 32 || memcmp(head, "POINTCACHE2", 12) != 0)
    return io_fail(error, c->path, 0, "is no PC2 cache: it does not begin with POINTCACHE2");
  if (number(head + 12, false) != 1)
    return io_fail(error, c->path, 0, "is PC2 of version %u; only 1 is read", number(head + 12, false));
  c->points = number(head + 16, false);
  c->frames = number(head + 28, false);
  c->first = 32;
  return true;
}

static bool open_mdd(io_cache *c, const unsigned char *head, size_t size, io_error *error)
{
  if (size < 8) return io_fail(error, c->path, 0, "is cut short at byte %zu", size);
  c->big = true;
  c->frames = number(head, true);
  c->points = number(head + 4, true);
  c->first = 8 + 4 * (uint64_t)c->frames; /* times */
  return true;
}

/* (T, V, 3) behind 'shape'. */
static bool take_shape(const char *text, io_cache *c)
{
  const char *at = strstr(text, "'shape'");
  at = at ? strchr(at, '(') : NULL;
  unsigned long long shape[3];
  int end = 0;
  if (!at || sscanf(at, "( %llu , %llu , %llu )%n", &shape[0], &shape[1], &shape[2], &end) != 3 || !end) return false;
  c->frames = (size_t)shape[0];
  c->points = (size_t)shape[1];
  return shape[2] == 3 && shape[0] <= UINT32_MAX && shape[1] <= UINT32_MAX;
}

static bool open_npy(io_cache *c, unsigned char *head, size_t size, io_error *error)
{
  if (size < 12 || memcmp(head, "\x93NUMPY", 6) != 0) return io_fail(error, c->path, 0, "is no NPY file");
  bool wide = head[6] >= 2; /* the version */
  size_t length = wide ? number(head + 8, false) : (size_t)(head[8] | head[9] << 8), begin = wide ? 12 : 10;
  if (length > size - begin) return io_fail(error, c->path, 0, "its head is cut short, or longer than %d bytes", HEAD);
  char *text = (char *)head + begin;
  text[length - (length > 0)] = '\0'; /* a newline */
  c->first = begin + length;
  if (!strstr(text, "'fortran_order': False"))
    return io_fail(error, c->path, 0, "is in Fortran order; save it with numpy.ascontiguousarray()");
  c->width = strstr(text, "'<f8'") ? 8 : strstr(text, "'<f4'") ? 4 : 0;
  if (!c->width) return io_fail(error, c->path, 0, "its numbers are neither float32 nor float64, lowest byte first");
  return take_shape(text, c) || io_fail(error, c->path, 0, "its shape is not (frames, vertices, 3)");
}

static bool open_head(io_cache *c, uint64_t size, io_error *error)
{
  unsigned char head[HEAD + 1] = {0};
  size_t got = fread(head, 1, HEAD, c->file);
  c->width = 4;
  bool ok = io_ending_is(c->path, "pc2")   ? open_pc2(c, head, got, error)
            : io_ending_is(c->path, "mdd") ? open_mdd(c, head, got, error)
                                           : open_npy(c, head, got, error);
  if (!ok) return false;
  if (!c->frames || !c->points) return io_fail(error, c->path, 0, "has no frames or no points");
  uint64_t frame = 3 * (uint64_t)c->points * c->width; /* 32 bits each: no product overflows */
  uint64_t wanted = c->first + frame * (uint64_t)c->frames;
  if (c->frames > (UINT64_MAX - c->first) / frame || wanted != size)
    return io_fail(error, c->path, 0,
                   "should have %zu frames of %zu points, and its %llu bytes are not that; it is cut "
                   "short or not a cache",
                   c->frames, c->points, (unsigned long long)size);
  return true;
}

bool io_cache_open(const char *path, io_cache **out, io_error *error)
{
  io_cache *c = calloc(1, sizeof *c);
  *out = NULL;
  error->text[0] = '\0';
  if (!c || !(c->path = strdup(path))) {
    free(c);
    return io_fail(error, path, 0, "out of memory");
  }
  c->file = fopen(path, "rb");
  off_t size = c->file && fseeko(c->file, 0, SEEK_END) == 0 ? ftello(c->file) : -1;
  bool ok = size >= 0 && fseeko(c->file, 0, SEEK_SET) == 0;
  if (!ok) io_fail(error, path, 0, "cannot be read");
  ok = ok && open_head(c, (uint64_t)size, error);
  if (ok && !(c->row = malloc(3 * c->points * c->width))) ok = io_fail(error, path, 0, "out of memory");
  if (ok)
    *out = c;
  else
    io_cache_close(c);
  return ok;
}

void io_cache_close(io_cache *c)
{
  if (!c) return;
  if (c->file) fclose(c->file);
  free(c->row);
  free(c->path);
  free(c);
}

/* ------------------------------------------------------------------------------------ frames -- */

static double value(const io_cache *c, const unsigned char *p)
{
  if (c->width == 8) {
    uint64_t bits = (uint64_t)number(p + 4, false) << 32 | number(p, false);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  uint32_t bits = number(p, c->big);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

bool io_cache_read(io_cache *c, size_t frame, double *xyz, io_error *error)
{
  size_t count = 3 * c->points;
  if (fseeko(c->file, (off_t)(c->first + (uint64_t)frame * count * c->width), SEEK_SET) != 0 ||
      fread(c->row, c->width, count, c->file) != count)
    return io_fail(error, c->path, 0, "frame %zu cannot be read", frame);
  for (size_t i = 0; i < count; ++i) {
    xyz[i] = value(c, c->row + i * c->width);
    if (!isfinite(xyz[i]))
      return io_fail(error, c->path, 0, "vertex %zu of frame %zu is not a finite number", i / 3, frame);
  }
  return true;
}
