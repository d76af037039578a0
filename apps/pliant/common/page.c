/* SVG and HTML by hand. Charts have a view box of 480 x 260, wide enough for a curve and, at the
 * width of a phone, with letters that can still be read. Light and dark follow the reader's
 * setting. */
#include "common/page.h"

#include "common/ticks.h"

#include <math.h>
#include <stdint.h>

enum { LEFT = 52, RIGHT = 468, TOP = 30, BOTTOM = 224 };

static const char style[] =
    ":root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#5d6878;--line:#dde2e9;"
    "--ours:#1668c7;--other:#d9730d;--third:#7a5bb5;--count:#d4302f}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#12161d;--card:#1b212b;--ink:#e7ebf1;--soft:#9aa6b6;--line:#323b49;"
    "--ours:#5aa9f5;--other:#f0a04b;--third:#b79bea;--count:#ff6a62}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:68rem;margin:0 auto;padding:1.2rem 1rem 3rem}h1{font-size:1.7rem;line-height:1.2;margin:.6rem 0}"
    "h2{font-size:1.15rem;margin:2rem 0 .6rem}p{max-width:46rem}\n"
    ".grid{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}\n"
    ".cards{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr))}\n"
    "figure,.card{margin:0;background:var(--card);border:1px solid "
    "var(--line);border-radius:10px;padding:.8rem;overflow-wrap:anywhere}\n"
    ".card b{display:block;font-size:1.7rem;line-height:1.2;font-variant-numeric:tabular-nums}.card "
    "span{color:var(--soft)}\n"
    "figure img{width:100%;height:auto;display:block;border-radius:6px}figcaption{margin-top:.4rem;color:var(--soft)}"
    ".shots{grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr))}\n"
    "svg{width:100%;height:auto;display:block}svg text{font-size:13px;fill:var(--soft)}svg .title{font-size:15px;"
    "font-weight:600;fill:var(--ink)}\n"
    ".axis{stroke:var(--line);stroke-width:1}.now{stroke:var(--ink);stroke-width:1;stroke-dasharray:3 3}\n"
    ".curve{fill:none;stroke-width:2;stroke-linejoin:round}.ours{stroke:var(--ours)}.other{stroke:var(--other)}.third{"
    "stroke:var(--third)}"
    ".count{stroke:var(--count)}\n"
    "svg text.ours{fill:var(--ours);stroke:none}svg text.other{fill:var(--other);stroke:none}svg "
    "text.third{fill:var(--third);stroke:none}"
    "svg text.count{fill:var(--count);stroke:none}\n"
    ".pick{position:sticky;bottom:0;background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:.6rem .8rem;margin-top:1rem}.pick input{width:100%;margin:.2rem 0}.pick "
    "output{font-variant-numeric:tabular-nums}\n"
    "footer{margin-top:2rem;color:var(--soft);font-size:.92rem}\n";

void page_begin(FILE *file, const char *title)
{
  fprintf(file,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>%s</title>\n"
          "<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style></head><body><main>\n",
          title, style);
}

void page_end(FILE *file) { fprintf(file, "</main></body></html>\n"); }

/* ------------------------------------------------------------------------------------ charts -- */

static double greatest(const page_chart *chart)
{
  double high = 0;
  for (size_t c = 0; c < chart->curve_count; ++c)
    for (size_t i = 0; i < chart->count; ++i)
      if (isfinite(chart->curves[c].values[i])) high = fmax(high, chart->curves[c].values[i]);
  return high > 0 ? high : 1;
}

static double place_x(const page_chart *chart, double x)
{
  double first = chart->x[0], last = chart->x[chart->count - 1];
  return LEFT + (RIGHT - LEFT) * (last > first ? (x - first) / (last - first) : 0);
}

static double place_y(double y, double top) { return BOTTOM - (BOTTOM - TOP) * (y / top); }

static void write_axes(FILE *file, const page_chart *chart, double top)
{
  ticks up = ticks_make(top, 5, 0), along = ticks_make(chart->x[chart->count - 1], 5, 0);
  for (size_t i = 0; i < up.count; ++i) {
    double y = up.at[i], at = place_y(y, top);
    fprintf(file, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT, at, at);
    if (y >= 10000)
      fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%gk</text>\n", LEFT - 6, at + 4, y / 1000);
    else
      fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", LEFT - 6, at + 4, y);
  }
  for (size_t i = 0; i < along.count; ++i)
    if (along.at[i] >= chart->x[0])
      fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", place_x(chart, along.at[i]),
              BOTTOM + 18, along.at[i]);
  fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">step</text>\n", RIGHT, BOTTOM + 34);
}

static void write_curve(FILE *file, const page_chart *chart, size_t c, double top)
{
  const page_curve *curve = &chart->curves[c];
  fprintf(file, "<path class=\"curve %s\" d=\"", curve->style);
  bool pen = false;
  for (size_t i = 0; i < chart->count; ++i) {
    bool there = isfinite(curve->values[i]); /* a ratio may be of a time that no clock could tell */
    if (there)
      fprintf(file, "%c%.1f %.1f", pen ? 'L' : 'M', place_x(chart, chart->x[i]), place_y(curve->values[i], top));
    pen = there;
  }
  fprintf(file, "\"/>\n");
  /* The legend stands below, where no curve runs. */
  if (chart->curve_count > 1)
    fprintf(file, "<text class=\"%s\" x=\"%zu\" y=\"%d\">&#9679; %s</text>\n", curve->style, LEFT + c * 150,
            BOTTOM + 34, curve->label);
}

void page_chart_write(FILE *file, const page_chart *chart)
{
  double top = greatest(chart);
  fprintf(file, "<figure><svg viewBox=\"0 0 480 264\" role=\"img\" aria-label=\"%s, %s per step\">\n", chart->title,
          chart->unit);
  fprintf(file,
          "<text class=\"title\" x=\"4\" y=\"16\">%s</text><text x=\"476\" y=\"16\" text-anchor=\"end\">%s</text>\n",
          chart->title, chart->unit);
  write_axes(file, chart, top);
  for (size_t c = 0; c < chart->curve_count; ++c) write_curve(file, chart, c, top);
  fprintf(file, "<line class=\"now\" x1=\"-9\" x2=\"-9\" y1=\"%d\" y2=\"%d\" data-left=\"%d\" data-right=\"%d\"/>\n",
          TOP, BOTTOM, LEFT, RIGHT);
  fprintf(file, "</svg></figure>\n");
}

/* ---------------------------------------------------------------------------------- pictures -- */

static void write_base64(FILE *file, const uint8_t *bytes, size_t count)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    uint32_t word = (uint32_t)bytes[i] << 16;
    if (i + 1 < count) word |= (uint32_t)bytes[i + 1] << 8;
    if (i + 2 < count) word |= bytes[i + 2];
    char out[4] = {letters[word >> 18], letters[word >> 12 & 63], i + 1 < count ? letters[word >> 6 & 63] : '=',
                   i + 2 < count ? letters[word & 63] : '='};
    fwrite(out, 1, 4, file);
  }
}

void page_embed_bytes(FILE *file, const uint8_t *png, size_t size)
{
  fputs("data:image/png;base64,", file);
  write_base64(file, png, size);
}

bool page_embed(FILE *file, const char *path)
{
  FILE *picture = fopen(path, "rb");
  if (!picture) return false;
  uint8_t block[3 * 4096]; /* a multiple of 3: no padding in the middle */
  size_t count;
  fputs("data:image/png;base64,", file);
  while ((count = fread(block, 1, sizeof block, picture)) > 0) write_base64(file, block, count);
  bool good = !ferror(picture);
  fclose(picture);
  return good;
}
