/* Pictures through libpng. */
#include "io/reader.h"

#ifdef PLIANT_HAVE_PNG
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "io/output.h"

/* Levels of zlib: files are as small as they are by default, pictures of pages are written in
 * half the time and are a tenth larger. */
enum { SMALL = 6, FAST = 3 };

/* libpng's own message, kept for ours; nothing goes to stderr. */
static void keep_message(png_structp png, png_const_charp message)
{
  char *kept = png_get_error_ptr(png);
  snprintf(kept, 128, "%s", message);
  png_longjmp(png, 1);
}

static void drop_warning(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

/* A function of its own: after a longjmp only what it was given is still certain. */
static bool write_rows(FILE *file, const uint8_t *rgb, int width, int height, int level, char message[128])
{
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, keep_message, drop_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    snprintf(message, 128, "out of memory");
    return false;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_init_io(png, file);
  png_set_compression_level(png, level);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < height; ++y) png_write_row(png, rgb + (size_t)3 * (size_t)width * (size_t)y);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  return true;
}

bool io_png_write(const char *path, const uint8_t *rgb, int width, int height, io_error *error)
{
  error->text[0] = '\0';
  if (!rgb || width < 1 || height < 1) return io_fail(error, path, 0, "a picture needs at least one pixel");
  io_output out;
  if (!io_output_open(&out, path, error)) return false;
  char message[128] = "";
  errno = 0;
  bool ok = write_rows(out.file, rgb, width, height, SMALL, message);
  if (!ok) io_fail(error, path, 0, "cannot be written: %s", errno ? strerror(errno) : message);
  return io_output_close(&out, ok, error);
}

bool io_png_stream(FILE *file, const uint8_t *rgb, int width, int height)
{
  char message[128];
  return write_rows(file, rgb, width, height, FAST, message);
}
#else
bool io_png_stream(FILE *file, const uint8_t *rgb, int width, int height)
{
  (void)file;
  (void)rgb;
  (void)width;
  (void)height;
  return false;
}

bool io_png_write(const char *path, const uint8_t *rgb, int width, int height, io_error *error)
{
  (void)rgb;
  (void)width;
  (void)height;
  return io_fail(error, path, 0, "this build writes no PNG; install libpng-dev and build again");
}
#endif
