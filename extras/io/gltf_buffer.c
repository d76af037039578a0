/* Buffers and their views: the binary chunk of a .glb, a data: URI, or a file beside the .gltf.
 * A buffer is loaded when something first needs it. A file is looked for only in the folder of
 * the .gltf and below, links followed, unless the caller allows more: a scene from elsewhere
 * must not make the reader open what it likes. */
#include "io/gltf_inside.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %41 in place. false: a % without two digits, or a zero byte. */
static bool percent_decode(char *text)
{
  char *to = text;
  for (const char *at = text; *at; ++to) {
    if (*at != '%') {
      *to = *at++;
      continue;
    }
    int high = hex_digit(at[1]), low = high < 0 ? -1 : hex_digit(at[2]);
    if (low < 0 || (high | low) == 0) return false;
    *to = (char)(high * 16 + low);
    at += 3;
  }
  *to = '\0';
  return true;
}

/* Does one of the parts between slashes say ".."? */
static bool climbs(const char *path)
{
  while (path) {
    if (path[0] == '.' && path[1] == '.' && (path[2] == '/' || !path[2])) return true;
    path = strchr(path, '/');
    path += path != NULL;
  }
  return false;
}

/* Returns whether this name, below the folder that `path` begins with, may be read. */
static bool may_read(gltf_document *d, const char *where, const char *uri, const char *path, const char *name)
{
  gltf_place shown = gltf_shown(uri);
  if (d->allow_outside) return true;
  if (*name == '/' || climbs(name))
    return gltf_fail(d, "%s is '%s', outside the folder of the .gltf; put it beside it, or use --allow-outside", where,
                     shown.text);
  int inside = io_is_inside(d->folder, path);
  if (inside < 0) return gltf_fail(d, "out of memory");
  return inside || gltf_fail(d,
                             "%s is '%s', a link that leads out of the folder of the .gltf; put the file there, or use "
                             "--allow-outside",
                             where, shown.text);
}

static bool has_scheme(const char *uri)
{
  size_t n = strcspn(uri, ":/?#");
  return uri[n] == ':';
}

static bool load_file(gltf_document *d, const char *where, const char *uri, gltf_buffer *out)
{
  gltf_place shown = gltf_shown(uri);
  if (!d->folder) return gltf_fail(d, "%s is the file '%s', but there is no folder to read it from", where, shown.text);
  if (has_scheme(uri))
    return gltf_fail(d, "%s is at '%s'; only files beside the .gltf are read: put it there", where, shown.text);
  size_t folder = strlen(d->folder), length = strlen(uri);
  char *path = malloc(folder + length + 1);
  if (!path) return gltf_fail(d, "out of memory");
  memcpy(path, d->folder, folder);
  char *name = memcpy(path + folder, uri, length + 1);
  bool ok = percent_decode(name) && *name;
  if (!ok) gltf_fail(d, "%s: '%s' is not the name of a file; write a percent sign as %%25", where, shown.text);
  io_source file = {0};
  const char *found = *name == '/' ? name : path;
  ok = ok && may_read(d, where, uri, path, name) && io_file_load(found, &file, d->error);
  if (ok && d->buffer_file) d->buffer_file(d->user, found);
  free(path);
  if (!ok) return false;
  *out = (gltf_buffer){(const unsigned char *)file.data, file.size, (char *)file.data};
  d->allowed += 64 * (uint64_t)file.size;
  return true;
}

static int base64_digit(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Returns the number of bytes, at most 3/4 of the text's length. SIZE_MAX: not base64. */
static size_t base64_decode(const char *text, unsigned char *out)
{
  size_t n = 0, digits = 0;
  uint32_t bits = 0;
  for (int digit; (digit = base64_digit(*text)) >= 0; ++text) {
    bits = (bits << 6 | (uint32_t)digit) & 0xffffff;
    if (++digits % 4 == 0) {
      out[n++] = (unsigned char)(bits >> 16);
      out[n++] = (unsigned char)(bits >> 8);
      out[n++] = (unsigned char)bits;
    }
  }
  size_t rest = digits % 4, padding = strspn(text, "=");
  if (text[padding] || rest == 1 || (padding && rest + padding != 4)) return SIZE_MAX;
  if (rest >= 2) out[n++] = (unsigned char)(bits >> (rest == 2 ? 4 : 10));
  if (rest == 3) out[n++] = (unsigned char)(bits >> 2);
  return n;
}

static bool load_data_uri(gltf_document *d, const char *where, const char *uri, gltf_buffer *out)
{
  const char *comma = strchr(uri, ',');
  if (!comma || comma - uri < 7 || strncasecmp(comma - 7, ";base64", 7) != 0)
    return gltf_fail(d, "%s: its data: URI is not base64", where);
  size_t length = strlen(comma + 1);
  unsigned char *data = malloc(length / 4 * 3 + 3);
  if (!data) return gltf_fail(d, "out of memory");
  size_t size = base64_decode(comma + 1, data);
  *out = (gltf_buffer){data, size, (char *)data};
  return size == SIZE_MAX ? gltf_fail(d, "%s: its data: URI is not base64", where) : true;
}

static bool load_bytes(gltf_document *d, const char *where, size_t index, const gltf_value *buffer, gltf_buffer *out)
{
  const gltf_value *uri = gltf_json_member(buffer, "uri");
  if (!uri) {
    if (index != 0 || !d->bin) return gltf_fail(d, "%s has neither a URI nor the binary chunk of a .glb", where);
    *out = (gltf_buffer){(const unsigned char *)d->bin, d->bin_size, NULL};
    return true;
  }
  if (gltf_json_kind(uri) != GLTF_STRING) return gltf_fail(d, "%s: 'uri' is not a text", where);
  const char *text = gltf_json_text(uri);
  return strncasecmp(text, "data:", 5) == 0 ? load_data_uri(d, where, text, out) : load_file(d, where, text, out);
}

static bool buffer_open(gltf_document *d, size_t index, gltf_buffer *out)
{
  gltf_place where = gltf_at("buffer %zu", index);
  const gltf_value *buffer = gltf_object(d, d->buffers, "buffer", index);
  uint64_t claimed;
  if (!buffer || !gltf_integer(d, where.text, buffer, "byteLength", GLTF_REQUIRED, GLTF_SIZE_LIMIT, &claimed))
    return false;
  if (!load_bytes(d, where.text, index, buffer, out)) return false;
  if (claimed == 0) return gltf_fail(d, "%s is empty", where.text);
  if (claimed > out->size)
    return gltf_fail(d, "%s should have %llu bytes and has %zu; the file is cut short", where.text,
                     (unsigned long long)claimed, out->size);
  out->size = (size_t)claimed;
  return true;
}

static bool buffer_of(gltf_document *d, uint64_t index, const gltf_buffer **out)
{
  gltf_buffer *b = &d->loaded[index];
  *out = b;
  if (b->data) return true;
  gltf_buffer fresh = {0};
  if (!buffer_open(d, (size_t)index, &fresh)) {
    free(fresh.owned);
    return false;
  }
  *b = fresh;
  return true;
}

bool gltf_range_open(gltf_document *d, const char *where, const char *user, const gltf_value *value, gltf_view *out)
{
  uint64_t buffer, offset;
  const gltf_buffer *b;
  if (!gltf_index(d, where, value, "buffer", GLTF_REQUIRED, d->loaded_count, &buffer) ||
      !gltf_integer(d, where, value, "byteOffset", 0, GLTF_SIZE_LIMIT, &offset) ||
      !gltf_integer(d, where, value, "byteLength", GLTF_REQUIRED, GLTF_SIZE_LIMIT, &out->length) ||
      !buffer_of(d, buffer, &b))
    return false;
  if (offset > b->size || out->length > b->size - offset)
    return gltf_fail(d, "%s (for %s) reaches to byte %llu of a buffer of %zu", where, user,
                     (unsigned long long)(offset + out->length), b->size);
  out->data = b->data + offset;
  out->stride = 0;
  return true;
}

bool gltf_view_open(gltf_document *d, const char *where, uint64_t index, gltf_view *out)
{
  gltf_place at = gltf_at("buffer view %llu", (unsigned long long)index);
  const gltf_value *view = gltf_object(d, d->views, "buffer view", (size_t)index);
  uint64_t stride;
  bool found;
  if (!view || !gltf_open_meshopt(d, at.text, index, view, out, &found)) return false;
  if (found) return true;
  if (!gltf_integer(d, at.text, view, "byteStride", GLTF_NONE, 252, &stride) ||
      !gltf_range_open(d, at.text, where, view, out))
    return false;
  if (stride == 0) return gltf_fail(d, "%s: 'byteStride' is 0", at.text);
  out->stride = stride == GLTF_NONE ? 0 : stride;
  return true;
}

void gltf_buffers_free(gltf_document *d)
{
  for (size_t i = 0; d->loaded && i < d->loaded_count; ++i) free(d->loaded[i].owned);
  free(d->loaded);
  d->loaded = NULL;
}
