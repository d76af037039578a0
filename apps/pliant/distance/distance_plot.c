/* The curve of distances as a picture: SVG by our own hand, PNG through gnuplot. */
#include "distance/distance.h"

#include "common/output.h"
#include "common/ticks.h"
#include "io/gnuplot.h"
#include "io/output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 960, HEIGHT = 420, LEFT = 80, RIGHT = 20, TOP = 44, BOTTOM = 48 };

static bool ends_in(const char *path, const char *ending)
{
  size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

bool distance_plot_fits(const char *path) { return ends_in(path, ".svg") || ends_in(path, ".png"); }

typedef struct axes {
  double x_most, y_most; /* both start at 0 */
} axes;

static axes axes_of(const distance_curve *c)
{
  axes a = {c->count > 1 ? (double)(c->count - 1) : 1, 0};
  for (size_t i = 0; i < c->count; ++i)
    if (isfinite(c->values[i])) a.y_most = fmax(a.y_most, c->values[i]);
  if (!(a.y_most > 0)) a.y_most = 1;
  return a;
}

static double place_x(const axes *a, double x) { return LEFT + x / a->x_most * (WIDTH - LEFT - RIGHT); }
static double place_y(const axes *a, double y) { return HEIGHT - BOTTOM - y / a->y_most * (HEIGHT - TOP - BOTTOM); }

static void write_marks(FILE *f, const axes *a)
{
  ticks up = ticks_make(a->y_most, 5, 0), along = ticks_make(a->x_most, 5, 1);
  for (size_t i = 0; i < up.count; ++i)
    fprintf(f,
            "<path d='M%d %.1fH%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end' "
            "dominant-baseline='middle'>%.6g</text>\n",
            LEFT, place_y(a, up.at[i]), WIDTH - RIGHT, LEFT - 8, place_y(a, up.at[i]), up.at[i]);
  for (size_t i = 0; i < along.count; ++i)
    fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>%.6g</text>\n", place_x(a, along.at[i]),
            HEIGHT - BOTTOM + 20, along.at[i]);
}

static void write_svg(FILE *f, const distance_curve *c, const char *title)
{
  axes a = axes_of(c);
  fprintf(f,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' font-family='sans-serif' "
          "font-size='13' fill='#333'>\n<title>%s</title>\n<rect width='100%%' height='100%%' fill='#fff'/>\n"
          "<text x='%d' y='26' font-size='16'>%s</text>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT, title, LEFT, title);
  write_marks(f, &a);
  fprintf(f, "<text x='%d' y='%d' text-anchor='end'>frame</text>\n", WIDTH - RIGHT, HEIGHT - 8);
  fprintf(f, "<path fill='none' stroke='#0050b0' stroke-width='2' stroke-linejoin='round' d='");
  bool pen = false;
  for (size_t i = 0; i < c->count; ++i) {
    bool there = isfinite(c->values[i]);
    if (there) fprintf(f, "%c%.2f %.2f", pen ? 'L' : 'M', place_x(&a, (double)i), place_y(&a, c->values[i]));
    pen = there;
  }
  fprintf(f, "'/>\n");
  for (size_t i = 0; i < c->count; ++i) /* what no line shows: a frame between gaps, or the only one */
    if (isfinite(c->values[i]) && (i == 0 || !isfinite(c->values[i - 1])) &&
        (i + 1 == c->count || !isfinite(c->values[i + 1])))
      fprintf(f, "<circle cx='%.2f' cy='%.2f' r='3' fill='#0050b0'/>\n", place_x(&a, (double)i),
              place_y(&a, c->values[i]));
  fprintf(f, "</svg>\n");
}

/* ----------------------------------------------------------------------------------- gnuplot -- */

/* No name stands in the script: gnuplot writes to its stdout, and all that varies is numbers.
 * They are parts of the greatest distance, because gnuplot's own arithmetic does not reach to
 * the ends of the doubles. */
static void write_script(FILE *f, const distance_curve *c, const char *title)
{
  axes a = axes_of(c);
  ticks up = ticks_make(a.y_most, 5, 0);
  fprintf(f,
          "set terminal pngcairo size %d,%d font 'sans,11' background '#ffffff'\nset title '%s'\nset xlabel 'frame'\n"
          "set xrange [0:%.17g]\nset yrange [0:1.02]\nset grid lc rgb '#dddddd' lt 1\nunset key\nset ytics (",
          WIDTH, HEIGHT, title, a.x_most);
  for (size_t i = 0; i < up.count; ++i) fprintf(f, "%s'%.6g' %.17g", i ? ", " : "", up.at[i], up.at[i] / a.y_most);
  fprintf(f, ")\nplot '-' with %s lc rgb '#0050b0'\n", c->count > 1 ? "lines lw 2" : "points pt 7");
  for (size_t i = 0; i < c->count; ++i) {
    if (isfinite(c->values[i]))
      fprintf(f, "%zu %.17g\n", i, c->values[i] / a.y_most);
    else
      fputc('\n', f);
  }
  fputs("e\n", f);
}

static bool plot_png(const char *path, const distance_curve *c, const char *title)
{
  io_output picture;
  io_error error = {""};
  FILE *script = tmpfile();
  if (!script) {
    output_complain("%s: no temporary file for gnuplot's script: %s", path, strerror(errno));
    return false;
  }
  if (!io_output_open(&picture, path, &error)) {
    output_complain("%s", error.text);
    fclose(script);
    return false;
  }
  write_script(script, c, title);
  rewind(script);
  int code = io_gnuplot(NULL, NULL, script, picture.file);
  bool good = code == 0 && ftell(picture.file) != 0; /* it may end well without a picture */
  fclose(script);
  if (io_output_close(&picture, good, &error)) return true;
  if (code == IO_GNUPLOT_MISSING)
    output_complain("%s: a .png needs gnuplot, which is not installed: ask for an .svg, or install it", path);
  else if (!good)
    output_complain("%s: gnuplot ended with code %d and no picture: ask for an .svg", path, code);
  else
    output_complain("%s", error.text);
  return false;
}

bool distance_plot(const char *path, const distance_curve *curve, const char *title)
{
  if (curve->full) {
    output_complain("%s: out of memory for the curve of %zu frames", path, curve->count);
    return false;
  }
  if (ends_in(path, ".png")) return plot_png(path, curve, title);
  io_output out;
  io_error error = {""};
  bool good = io_output_open(&out, path, &error);
  if (good) {
    write_svg(out.file, curve, title);
    good = io_output_close(&out, true, &error);
  }
  if (!good) output_complain("%s", error.text);
  return good;
}
