/* The page itself: cards, the curve, pictures, the table. Without scripts it loses only what the
 * pointer shows. */
#include "common/report_inside.h"

#include "common/output.h"
#include "common/page.h"
#include "common/ticks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 500, MOST_POINTS = 1600, LEFT = 64, RIGHT = 948, TOP = 16, BOTTOM = 220, STRIP = 220 };

static const char style[] =
    "<style>table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid "
    "var(--line);border-radius:10px;"
    "font-variant-numeric:tabular-nums}td,th{padding:.35rem .7rem;text-align:left;border-bottom:1px solid var(--line)}"
    "th{color:var(--soft);font-weight:600}td.n,th.n{text-align:right}.wide{overflow-x:auto}"
    ".strip{width:220px;height:12px}.strip rect{fill:var(--count)}.strip .back{fill:var(--line)}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:.5rem}"
    "details{margin-top:1rem}summary{cursor:pointer}.dot{fill:var(--count)}"
    "#curve{position:relative}#tip{min-height:1.5em;color:var(--soft);font-variant-numeric:tabular-nums}</style>\n";

static void put_text(FILE *f, const char *text)
{
  for (const char *c = text; *c; ++c) {
    if (*c == '<')
      fputs("&lt;", f);
    else if (*c == '>')
      fputs("&gt;", f);
    else if (*c == '&')
      fputs("&amp;", f);
    else if (*c == '"')
      fputs("&quot;", f);
    else
      fputc((unsigned char)*c < 32 || *c == 127 ? '?' : *c, f);
  }
}

static void put_value(FILE *f, const report *r, double value)
{
  char text[OUTPUT_NUMBER_SIZE];
  if (r->def.nearest)
    fprintf(f, "%.6g", value);
  else
    fputs(output_count((uint64_t)value, text), f);
}

/* "60 (2 s)" */
static void put_frame(FILE *f, const report *r, size_t frame)
{
  char label[STAGE_LABEL];
  fprintf(f, "%zu", frame);
  if (!stage_label(r->def.stage, frame, label)[0]) return;
  fputs(" (", f);
  put_text(f, label);
  fputc(')', f);
}

/* ------------------------------------------------------------------------------------- cards -- */

static size_t worst_frame(const report *r)
{
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < r->count; ++i)
    if (report_shows(r, r->values[i]) && (best == SIZE_MAX || report_is_worse(r, r->values[i], r->values[best])))
      best = i;
  return best;
}

static void put_card(FILE *f, const char *value, const char *meaning)
{
  fprintf(f, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", value, meaning);
}

/* What has a value. */
static const char *step_of(const report *r) { return r->def.step ? r->def.step : "frame"; }

static void put_cards(FILE *f, const report *r)
{
  char text[OUTPUT_NUMBER_SIZE], plural[32];
  snprintf(plural, sizeof plural, "%s%s", step_of(r), r->count == 1 ? "" : "s");
  size_t shown = 0, worst = worst_frame(r);
  for (size_t i = 0; i < r->count; ++i) shown += r->def.nearest ? r->values[i] == 0 : r->values[i] > 0;
  fputs("<div class=\"cards\">\n", f);
  put_card(f, output_count(r->count, text), plural);
  put_card(f, output_count(shown, text), "of them with contact");
  if (worst != SIZE_MAX) {
    fputs("<div class=\"card\"><b>", f);
    put_value(f, r, r->values[worst]);
    fprintf(f, "</b><span>%s%s, %s ", r->def.nearest ? "least " : "most ", r->def.found, step_of(r));
    put_frame(f, r, r->frames[worst]);
    fputs("</span></div>\n", f);
  }
  if (r->def.alone)
    put_card(f, output_count(r->row_count, text),
             r->row_count == 1 ? "body that touches itself" : "bodies that touch themselves");
  else
    put_card(f, output_count(r->row_count, text), r->row_count == 1 ? "pair of bodies" : "pairs of bodies");
  fputs("</div>\n", f);
}

/* ------------------------------------------------------------------------------------- curve -- */

static double greatest(const report *r)
{
  double high = 0;
  for (size_t i = 0; i < r->count; ++i)
    if (isfinite(r->values[i])) high = fmax(high, r->values[i]);
  return high > 0 ? high : 1;
}

static double place_x(const report *r, size_t frame)
{
  size_t first = r->frames[0], last = r->frames[r->count - 1];
  return last > first ? LEFT + (double)(RIGHT - LEFT) * (double)(frame - first) / (double)(last - first)
                      : (LEFT + RIGHT) / 2.0;
}

static double place_y(double value, double top) { return BOTTOM - (BOTTOM - TOP) * (value / top); }

static void put_axes(FILE *f, const report *r, double top)
{
  ticks up = ticks_make(top, 4, 0), along = ticks_make((double)r->frames[r->count - 1], 5, 1);
  for (size_t i = 0; i < up.count; ++i) {
    double y = place_y(up.at[i], top);
    fprintf(f, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT, y, y);
    fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 8, y + 4, up.at[i]);
  }
  for (size_t i = 0; i < along.count; ++i)
    if (along.at[i] >= (double)r->frames[0])
      fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", place_x(r, (size_t)along.at[i]),
              BOTTOM + 18, along.at[i]);
  fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", RIGHT, BOTTOM + 34, step_of(r));
}

/* Many frames share a point: the worst of them stands for all. */
static void put_curve(FILE *f, const report *r, double top)
{
  size_t step = (r->count + MOST_POINTS - 1) / MOST_POINTS;
  bool pen = false;
  fputs("<path class=\"curve count\" d=\"", f);
  for (size_t i = 0; i < r->count; i += step) {
    size_t worst = i;
    for (size_t k = i; k < i + step && k < r->count; ++k)
      if (isfinite(r->values[k]) && (!isfinite(r->values[worst]) || report_is_worse(r, r->values[k], r->values[worst])))
        worst = k;
    bool there = isfinite(r->values[worst]);
    if (there) fprintf(f, "%c%.1f %.1f", pen ? 'L' : 'M', place_x(r, r->frames[worst]), place_y(r->values[worst], top));
    pen = there;
  }
  fputs("\"/>\n", f);
}

static void put_chart(FILE *f, const report *r)
{
  if (r->count == 0) return;
  double top = greatest(r);
  fprintf(f,
          "<h2>Over the %ss</h2>\n<figure id=\"curve\"><svg viewBox=\"0 0 960 258\" role=\"img\" aria-label=\"%s "
          "per %s\">\n",
          step_of(r), r->def.found, step_of(r));
  put_axes(f, r, top);
  put_curve(f, r, top);
  for (size_t i = 0; i < r->picture_count; ++i)
    fprintf(f, "<a href=\"#f%zu\"><circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/></a>\n", r->pictures[i].frame,
            place_x(r, r->pictures[i].frame), place_y(r->pictures[i].value, top));
  fprintf(f,
          "<line class=\"now\" x1=\"-9\" x2=\"-9\" y1=\"%d\" y2=\"%d\"/>\n</svg><div id=\"tip\">%s per "
          "%s%s%s%s</div></figure>\n",
          TOP, BOTTOM, r->def.found, step_of(r), r->picture_count ? "; dots are the " : "",
          r->picture_count ? step_of(r) : "", r->picture_count ? "s shown above" : "");
}

static void put_script(FILE *f, const report *r)
{
  if (r->count < 2) return;
  fprintf(f, "<script>\nconst first=%zu,values=[", r->frames[0]);
  for (size_t i = 0; i < r->count; ++i) {
    char text[OUTPUT_NUMBER_SIZE];
    if (isfinite(r->values[i]))
      fprintf(f, "%s%s", i ? "," : "",
              r->def.nearest ? (snprintf(text, sizeof text, "%.6g", r->values[i]), text)
                             : output_number(r->values[i], text));
    else
      fprintf(f, "%snull", i ? "," : "");
  }
  fprintf(
      f,
      "];\nconst svg=document.querySelector('#curve "
      "svg'),now=svg.querySelector('.now'),tip=document.querySelector('#tip');\n"
      "svg.addEventListener('pointermove',e=>{const b=svg.getBoundingClientRect(),x=(e.clientX-b.left)/b.width*960;\n"
      "const "
      "i=Math.max(0,Math.min(values.length-1,Math.round((x-%d)/%d*(values.length-1)))),at=%d+%d*i/(values.length-1);\n"
      "now.setAttribute('x1',at);now.setAttribute('x2',at);\n"
      "tip.textContent=`%s ${first+i}: ${values[i]===null?'none':values[i]} %s`});\n</script>\n",
      LEFT, RIGHT - LEFT, LEFT, RIGHT - LEFT, step_of(r), r->def.nearest ? "" : r->def.found);
}

/* ---------------------------------------------------------------------------------- pictures -- */

static void put_image(FILE *f, const report *r, const report_picture *p, bool whole)
{
  fprintf(f, "<img width=\"%d\" height=\"%d\" alt=\"%s in %s %zu\" src=\"", REPORT_WIDTH, REPORT_HEIGHT,
          whole ? "All bodies" : "The place", step_of(r), p->frame);
  page_embed_bytes(f, (const uint8_t *)(whole ? p->whole : p->near), whole ? p->whole_size : p->near_size);
  fputs("\">\n", f);
}

static bool row_has(const report_row *row, size_t frame)
{
  for (size_t i = 0; i < row->range_count; ++i)
    if (row->ranges[i].first <= frame && frame <= row->ranges[i].last) return true;
  return false;
}

static void put_names(FILE *f, const report *r, size_t frame)
{
  enum { MOST_NAMES = 3 };
  size_t count = 0;
  const stage *s = r->def.stage;
  for (size_t i = 0; i < r->row_count; ++i) {
    if (!row_has(&r->rows[i], frame) || ++count > MOST_NAMES) continue;
    fputs(count > 1 ? "; " : ": ", f);
    put_text(f, s->bodies[r->rows[i].a].name);
    if (r->def.alone) continue;
    fputs(" and ", f);
    put_text(f, s->bodies[r->rows[i].b].name);
  }
  if (count > MOST_NAMES) fprintf(f, "; and %zu more", count - MOST_NAMES);
}

static void put_pictures(FILE *f, const report *r)
{
  if (r->picture_count == 0) return;
  fprintf(f, "<h2>The %s %ss</h2>\n<div class=\"grid\">\n", r->def.nearest ? "nearest" : "worst", step_of(r));
  for (size_t i = 0; i < r->picture_count; ++i) {
    const report_picture *p = &r->pictures[i];
    fprintf(f, "<figure id=\"f%zu\"><div class=\"pair\">\n", p->frame);
    put_image(f, r, p, true);
    if (p->near) put_image(f, r, p, false);
    fprintf(f, "</div><figcaption>%s ", step_of(r));
    put_frame(f, r, p->frame);
    fputs(": ", f);
    if (r->def.nearest) fprintf(f, "%s ", r->def.found);
    put_value(f, r, p->value);
    if (!r->def.nearest) fprintf(f, " %s", r->def.found);
    put_names(f, r, p->frame);
    fputs("</figcaption></figure>\n", f);
  }
  fputs("</div>\n<p>Triangles that were found are red. Bodies are transparent to show contacts inside; bodies "
        "without such triangles are grey.</p>\n",
        f);
}

/* ------------------------------------------------------------------------------------- table -- */

static void put_strip(FILE *f, const report *r, const report_row *row)
{
  size_t first = r->frames[0], count = r->frames[r->count - 1] - first + 1;
  double unit = (double)STRIP / (double)count, end = -1;
  fprintf(f,
          "<svg class=\"strip\" viewBox=\"0 0 %d 12\" preserveAspectRatio=\"none\"><rect class=\"back\" width=\"%d\" "
          "height=\"12\"/>",
          STRIP, STRIP);
  for (size_t i = 0; i < row->range_count; ++i) {
    double x = unit * (double)(row->ranges[i].first - first);
    double width = fmax(1, unit * (double)(row->ranges[i].last - row->ranges[i].first + 1));
    if (x + width <= end) continue; /* what is narrower than a pixel is drawn once */
    fprintf(f, "<rect x=\"%.2f\" width=\"%.2f\" height=\"12\"/>", x, width);
    end = x + width;
  }
  fputs("</svg>", f);
}

static void put_row(FILE *f, const report *r, const report_row *row)
{
  const stage *s = r->def.stage;
  fputs("<tr><td>", f);
  put_text(f, s->bodies[row->a].name);
  if (!r->def.alone) {
    fputs("</td><td>", f);
    put_text(f, s->bodies[row->b].name);
  }
  fprintf(f, "</td><td class=\"n\">%zu</td><td class=\"n\">", row->frames);
  put_frame(f, r, row->ranges[0].first);
  fputs("</td><td class=\"n\">", f);
  put_value(f, r, row->worst);
  fputs("</td><td class=\"n\">", f);
  put_frame(f, r, row->worst_at);
  fputs("</td><td>", f);
  put_strip(f, r, row);
  fputs("</td></tr>\n", f);
}

static void put_table(FILE *f, const report *r)
{
  const char *title = r->def.alone ? "Bodies" : "Pairs of bodies";
  if (r->row_count == 0) {
    fprintf(f, "<h2>%s</h2>\n<p>%s.</p>\n", title,
            r->def.alone     ? "No body touches itself"
            : r->def.nearest ? "No two bodies were measured"
                             : "No two bodies touch");
    return;
  }
  fprintf(f,
          "<h2>%s</h2>\n<div class=\"wide\"><table><tr><th>body</th>%s<th class=\"n\">%ss%s</th>"
          "<th class=\"n\">first in %s</th><th class=\"n\">%s %s</th><th class=\"n\">in %s</th><th>when</th></tr>\n",
          title, r->def.alone ? "" : "<th>body</th>", step_of(r), r->def.nearest ? " nearest" : "", step_of(r),
          r->def.nearest ? "least" : "most", r->def.found, step_of(r));
  for (size_t i = 0; i < r->row_count && i < MOST_ROWS; ++i) put_row(f, r, &r->rows[i]);
  fputs("</table></div>\n", f);
  if (r->row_count > MOST_ROWS)
    fprintf(f, "<p>And %zu more %s: --json names all.</p>\n", r->row_count - MOST_ROWS,
            r->def.alone ? "bodies" : "pairs of bodies");
}

/* --only-new: who touches at rest. */
static void put_rest(FILE *f, const report *r)
{
  const pair_choice *c = r->def.choice;
  if (!c || c->rest_count == 0) return;
  fprintf(f, "<details><summary>%zu pair%s of bodies touch in the first frame and are left out</summary><ul>\n",
          c->rest_count, c->rest_count == 1 ? "" : "s");
  for (size_t i = 0; i < c->rest_count && i < MOST_ROWS; ++i) {
    fputs("<li>", f);
    put_text(f, c->stage->bodies[c->rest[i].a].name);
    fputs(" and ", f);
    put_text(f, c->stage->bodies[c->rest[i].b].name);
    fprintf(f, ": %zu pair%s</li>\n", c->rest[i].pairs, c->rest[i].pairs == 1 ? "" : "s");
  }
  if (c->rest_count > MOST_ROWS) fprintf(f, "<li>and %zu more</li>\n", c->rest_count - MOST_ROWS);
  fputs("</ul></details>\n", f);
}

bool report_write_page(const report *r, FILE *f)
{
  const stage *s = r->def.stage;
  char title[64];
  snprintf(title, sizeof title, "pliant %s", r->def.command);
  page_begin(f, title);
  fputs(style, f);
  fprintf(f, "<h1>%s</h1>\n<p>", title);
  for (size_t i = 0; i < s->input_count; ++i) {
    if (i) fputs(", ", f);
    put_text(f, s->inputs[i].def.names[0]);
  }
  fprintf(f, ": %zu bod%s. %s</p>\n", s->body_count, s->body_count == 1 ? "y" : "ies",
          r->def.nearest ? "How near surfaces come to each other, frame by frame."
                         : "Where surfaces touch or pass through each other, frame by frame: in red, seen through "
                           "the bodies.");
  put_cards(f, r);
  put_pictures(f, r);
  put_chart(f, r);
  put_table(f, r);
  if (r->def.more) r->def.more(f, r->def.user);
  put_rest(f, r);
  fprintf(f, "<footer>pliant %s; the answers are exact for the numbers in the files, touching counts.</footer>\n",
          pl_version());
  put_script(f, r);
  page_end(f);
  return true;
}
