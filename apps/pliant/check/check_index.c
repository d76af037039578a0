/* --index: a page for the whole library. A card for each asset, the worst first, with its pictures,
 * what was found in it, and a player that opens at the worst frame. Pictures and players are files
 * of their own, loaded when they are looked at, so that the page of a thousand assets is small. */
#include "check/check.h"
#include "common/folders.h"
#include "common/output.h"
#include "common/page.h"
#include "common/viewer.h"
#include "io/output.h"
#include "io/show.h"

#include <stdlib.h>
#include <string.h>

/* Assets with pictures and players. */
enum { MOST_SHOWN = 200, PATH_ROOM = 4096, CHART_WIDTH = 480, CHART_HEIGHT = 40 };

static const char style[] =
    "<style>.asset{margin:1rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:10px}"
    ".asset.fails{border-left:6px solid var(--count)}.asset h2{margin:0 0 .3rem;overflow-wrap:anywhere}"
    ".asset p{margin:.2rem 0;max-width:none}.shots{display:grid;gap:.5rem;grid-template-columns:repeat(auto-fit,minmax("
    "min(100%,19rem),1fr));margin:.6rem 0}.shots img{width:100%;border-radius:6px;display:block}"
    ".shots img:only-child{max-width:max(50%,19rem)}.card.fails b{color:var(--count)}.folder{color:var(--soft)}"
    ".tag{display:inline-block;border-radius:6px;padding:0 .5em;font-size:.85rem;background:var(--line)}"
    ".tag.fails{background:var(--count);color:#fff}iframe{width:100%;height:min(80vh,44rem);border:1px solid "
    "var(--line);border-radius:6px}summary{cursor:pointer;padding:.3rem 0}ul{margin:.3rem 0;padding-left:1.2rem}"
    ".clip{color:var(--soft);font-size:.9rem}.clip svg{height:40px}.bar{fill:var(--count)}</style>\n";

static const char script[] =
    "<script>for(const d of document.querySelectorAll('details.player'))d.addEventListener('toggle',()=>{const "
    "f=d.querySelector('iframe');if(d.open&&!f.src)f.src=f.dataset.src});</script>\n";

/* A direction of writing in a name would turn the depth behind it, too. */
static void put_text(FILE *f, const char *text)
{
  char shown[CHECK_SENTENCE];
  io_show_into(shown, sizeof shown, text);
  for (const char *c = shown; *c; ++c)
    if (*c == '<' || *c == '>' || *c == '&' || *c == '"')
      fprintf(f, "&#%d;", *c);
    else
      fputc(*c, f);
}

/* ------------------------------------------------------------------------------------- order -- */

static double worst_depth(const check_asset *a)
{
  const check_finding *f = check_worst(a);
  return f ? f->depth / (a->diagonal > 0 ? a->diagonal : 1) : -1;
}

/* What could not be read first, then what fails, by depth over size. */
static int compare_assets(const void *x, const void *y)
{
  const check_asset *a = *(check_asset *const *)x, *b = *(check_asset *const *)y;
  if (a->readable != b->readable) return a->readable ? 1 : -1;
  if ((a->failures > 0) != (b->failures > 0)) return a->failures > 0 ? -1 : 1;
  double p = worst_depth(a), q = worst_depth(b);
  if (p != q) return p > q ? -1 : 1;
  return strcmp(a->name, b->name);
}

static check_asset **sorted(check_job *job)
{
  size_t count = job->end - job->begin, place = 0;
  check_asset **list = malloc((count + 1) * sizeof(check_asset *));
  for (size_t i = 0; list && i < count; ++i) list[i] = &job->assets[job->begin + i];
  if (list && count) qsort(list, count, sizeof *list, compare_assets);
  for (size_t i = 0; list && i < count; ++i)
    list[i]->place = list[i]->readable && list[i]->finding_count && place < MOST_SHOWN ? ++place : 0;
  return list;
}

/* ------------------------------------------------------------------------------------ player -- */

typedef struct path_list {
  char **paths;
  size_t count;
} path_list;

static void add_path(void *user, const char *path)
{
  path_list *list = user;
  char **moved = realloc(list->paths, (list->count + 1) * sizeof *moved);
  if (!moved) return;
  list->paths = moved;
  if ((moved[list->count] = strdup(path))) ++list->count;
}

static bool write_player(const check_job *job, const check_asset *a, const char *path)
{
  path_list list = {0};
  gltf_options how = {.allow_outside = job->options.stage.allow_outside, .buffer_file = add_path, .user = &list};
  gltf_scene *scene = NULL;
  io_error error;
  double size;
  for (int i = 0; i < a->file_count; ++i) add_path(&list, a->files[i]);
  bool good = !gltf_is_name(a->name) || gltf_read_with(a->name, &how, &scene, &error);
  gltf_free(scene);
  char *findings = check_places_json(a);
  viewer_def def = {.page = job->options.page, .paths = list.paths, .count = list.count, .findings = findings};
  good = good && findings && list.count && viewer_write(&def, path, &size);
  for (size_t i = 0; i < list.count; ++i) free(list.paths[i]);
  free(list.paths);
  free(findings);
  return good;
}

static const char *place(const check_job *job, const check_asset *a, const char *what, char path[PATH_ROOM])
{
  snprintf(path, PATH_ROOM, "%s/%zu%s", job->options.index, a->place, what);
  return path;
}

bool check_index_asset(const check_job *job, check_asset *a, int threads)
{
  char whole[PATH_ROOM], near[PATH_ROOM], player[PATH_ROOM];
  place(job, a, "-whole.png", whole);
  place(job, a, "-near.png", near);
  bool good = check_paint(job, a, threads, whole, near);
  output_end_notes(false);
  return good && write_player(job, a, place(job, a, ".html", player));
}

/* ------------------------------------------------------------------------------------- cards -- */

/* How much of the names of all assets is the same folder: it is said once. */
static size_t common_folder(const check_job *job)
{
  size_t same = 0;
  if (job->begin == job->end) return 0;
  const char *first = job->assets[job->begin].name;
  for (size_t i = 0; first[i]; ++i) {
    for (size_t k = job->begin; k < job->end; ++k)
      if (job->assets[k].name[i] != first[i]) return same;
    if (first[i] == '/') same = i + 1;
  }
  return same;
}

static bool exists(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

static void put_clip(FILE *f, const check_asset *a, const check_clip *c)
{
  double most = 0, wide = (double)CHART_WIDTH / (double)(c->count ? c->count : 1);
  char depth[CHECK_LENGTH];
  bool any = false;
  for (size_t i = 0; i < c->count; ++i) {
    most = c->depth[i] > most ? c->depth[i] : most;
    any = any || c->regions[i] > 0;
  }
  if (!any) return;
  fputs("<div class=\"clip\">", f);
  put_text(f, c->animation[0] ? c->animation : "frames");
  fprintf(f, ", deepest %s<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">", check_length_text(a, most, depth),
          CHART_WIDTH, CHART_HEIGHT);
  for (size_t i = 0; i < c->count; ++i) {
    if (!(c->regions[i] > 0)) continue;
    double high = 3 + (CHART_HEIGHT - 3) * (most > 0 ? c->depth[i] / most : 0);
    fprintf(f, "<rect class=\"bar\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>", wide * (double)i,
            CHART_HEIGHT - high, wide, high);
  }
  fputs("</svg></div>\n", f);
}

static void put_findings(FILE *f, const check_asset *a)
{
  const check_finding **list = check_sorted_findings(a);
  char text[CHECK_SENTENCE];
  fprintf(f, "<details><summary>%zu place%s</summary><ul>\n", a->finding_count, a->finding_count == 1 ? "" : "s");
  for (size_t i = 0; list && i < a->finding_count && i < CHECK_MOST_LISTED; ++i) {
    fprintf(f, "<li><span class=\"tag%s\">%s</span> ", list[i]->fails ? " fails" : "", check_kind(list[i]));
    put_text(f, check_sentence(a, list[i], text));
    fputs("</li>\n", f);
  }
  if (a->finding_count > CHECK_MOST_LISTED) fprintf(f, "<li>and %zu more</li>\n", a->finding_count - CHECK_MOST_LISTED);
  fputs("</ul></details>\n", f);
  free(list);
}

static void put_pictures(FILE *f, const check_job *job, const check_asset *a)
{
  static const char *const names[] = {"-near.png", "-whole.png"};
  char path[PATH_ROOM];
  fputs("<div class=\"shots\">", f);
  for (int i = 0; i < 2; ++i)
    if (exists(place(job, a, names[i], path)))
      fprintf(f, "<img loading=\"lazy\" src=\"%zu%s\" alt=\"%s\">", a->place, names[i],
              i ? "the whole asset, contact in red" : "the contact, in red, close up");
  fputs("</div>\n", f);
  if (!exists(place(job, a, ".html", path))) return;
  fprintf(f,
          "<details class=\"player\"><summary>Play it, from the worst frame</summary><iframe title=\"player\" "
          "data-src=\"%zu.html\"></iframe></details>\n",
          a->place);
}

static void put_card(FILE *f, const check_job *job, const check_asset *a)
{
  char text[CHECK_SENTENCE];
  const check_finding *worst = check_worst(a);
  fprintf(f, "<section class=\"asset%s\"><h2>", a->failures || !a->readable ? " fails" : "");
  put_text(f, a->name + common_folder(job));
  fputs("</h2>\n<p>", f);
  if (!a->readable) {
    fputs("<span class=\"tag fails\">could not be read</span> ", f);
    put_text(f, a->messages ? a->messages + 1 : "");
  } else {
    fprintf(f, "<span class=\"tag%s\">%s</span> ", worst->fails ? " fails" : "", check_kind(worst));
    put_text(f, check_sentence(a, worst, text));
  }
  fputs("</p>\n", f);
  if (a->place) put_pictures(f, job, a);
  for (size_t i = a->clip_count > 1 ? 1 : 0; i < a->clip_count && worst && a->clips[i].count > 1; ++i)
    put_clip(f, a, &a->clips[i]);
  if (worst) put_findings(f, a);
  fputs("</section>\n", f);
}

static bool is_quiet(const check_asset *a) { return a->readable && !check_worst(a); }

/* Assets without anything to look at: a line each. */
static void put_quiet(FILE *f, const check_job *job, check_asset *const *list)
{
  size_t quiet = 0, count = job->end - job->begin;
  for (size_t i = 0; i < count; ++i) quiet += is_quiet(list[i]);
  if (!quiet) return;
  fprintf(f, "<details class=\"quiet\"%s><summary>%zu asset%s without intersections</summary><ul>\n",
          quiet == count ? " open" : "", quiet, quiet == 1 ? "" : "s");
  for (size_t i = 0; i < count; ++i) {
    if (!is_quiet(list[i])) continue;
    fputs("<li>", f);
    put_text(f, list[i]->name + common_folder(job));
    fprintf(f, ", %zu frame%s</li>\n", list[i]->frames, list[i]->frames == 1 ? "" : "s");
  }
  fputs("</ul></details>\n", f);
}

static void put_summary(FILE *f, const check_job *job)
{
  size_t failing = 0, played = 0, folder = common_folder(job);
  for (size_t i = job->begin; i < job->end; ++i) {
    failing += job->assets[i].failures > 0;
    played += job->assets[i].frames;
  }
  const struct {
    size_t value;
    const char *meaning;
    bool fails; /* where it is not 0 */
  } cards[] = {{job->failures, "places fail", true},  {failing, "assets fail", true},
               {job->unreadable, "unreadable", true}, {job->end - job->begin, "assets", false},
               {played, "frames played", false},      {job->ignored, "places ignored", false}};
  fputs("<h1>Intersections of an asset library</h1>\n<p>Where surfaces of an asset pass through themselves or each "
        "other, in every frame of every animation. The worst comes first; contacts are red and seen through the "
        "bodies.</p>\n",
        f);
  if (folder) {
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%.*s", (int)folder, job->assets[job->begin].name);
    fputs("<p class=\"folder\">", f);
    put_text(f, path);
    fputs("</p>\n", f);
  }
  fputs("<div class=\"cards\">\n", f);
  for (size_t i = 0; i < sizeof cards / sizeof *cards; ++i)
    fprintf(f, "<div class=\"card%s\"><b>%zu</b><span>%s</span></div>\n",
            cards[i].fails && cards[i].value ? " fails" : "", cards[i].value, cards[i].meaning);
  fputs("</div>\n", f);
}

static bool write_page(const check_job *job, check_asset **list)
{
  char path[PATH_ROOM];
  io_output out;
  io_error error = {""};
  size_t count = job->end - job->begin, shown = 0, with = 0;
  snprintf(path, sizeof path, "%s/index.html", job->options.index);
  if (!io_output_open(&out, path, &error)) return output_complain("%s", error.text), false;
  page_begin(out.file, "pliant check");
  fputs(style, out.file);
  put_summary(out.file, job);
  for (size_t i = 0; i < count; ++i) {
    if (!is_quiet(list[i])) put_card(out.file, job, list[i]);
    shown += list[i]->place > 0;
    with += list[i]->finding_count > 0;
  }
  if (shown < with)
    fprintf(out.file, "<p>Pictures and players are of the %zu worst of %zu assets with intersections.</p>\n", shown,
            with);
  put_quiet(out.file, job, list);
  fputs(script, out.file);
  page_end(out.file);
  if (io_output_close(&out, !ferror(out.file), &error)) return true;
  return output_complain("%s", error.text), false;
}

bool check_index_write(check_job *job)
{
  if (!viewer_is_there(job->options.page) || !make_directories(job->options.index)) return false;
  check_asset **list = sorted(job);
  bool good = (list || (output_complain("out of memory"), false)) && check_run_pages(job) && write_page(job, list);
  free(list);
  return good;
}
