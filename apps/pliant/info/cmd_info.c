/* `pliant info`: what a file or a sequence holds, whether it is fit for use, and the tree it
 * gets. */
#include "common/command.h"
#include "common/frames.h"
#include "common/inputs.h"
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/shard.h"
#include "common/tree_options.h"
#include "info/info.h"
#include "io/show.h"
#include "pliant/pliant.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct info_options {
  bool json, rounded, still, explain, allow_outside;
  const char *scene; /* of a glTF file; NULL: its default one */
  int gaps;          /* io_gaps */
  tree_options tree;
} info_options;

/* How far the vertices of a sequence go from one frame to the next, as parts of the box's
 * diagonal. */
typedef struct info_motion {
  bool known;
  double mean;  /* over frames, of the largest step of a vertex */
  double most;  /* the largest step of all */
  size_t frame; /* that ends with it */
} info_motion;

typedef struct info_report {
  const char *name; /* as given */
  frames frames;
  bool is_double;
  pl_mesh_info mesh;
  pl_body_info tree;
  pl_strategy strategy;
  info_motion motion;
} info_report;

static const char *const gaps_words[] = {"skip", "stop", "refuse", NULL};

static const option table[] = {
    {.name = "json",
     .letter = 'j',
     .kind = OPTION_FLAG,
     .offset = offsetof(info_options, json),
     .help = "one JSON object per FILE, a line each"},
    {.name = "float",
     .kind = OPTION_FLAG,
     .offset = offsetof(info_options, rounded),
     .help = "round positions to float first"},
    {.name = "still",
     .kind = OPTION_FLAG,
     .offset = offsetof(info_options, still),
     .help =
         "read only the first frame of a sequence; otherwise all frames are read, to measure how far vertices move"},
    {.name = "explain",
     .kind = OPTION_FLAG,
     .offset = offsetof(info_options, explain),
     .help = "ask some questions in the first frames, and show for each what auto chose, why, and what the "
             "alternatives would cost, in refits of a volume"},
    {.name = "gaps",
     .kind = OPTION_WORD,
     .offset = offsetof(info_options, gaps),
     .words = gaps_words,
     .help = "how to treat a missing frame number, as for collide"},
    {.name = "scene",
     .kind = OPTION_TEXT,
     .offset = offsetof(info_options, scene),
     .value = "NAME|N",
     .help = "which scene of a glTF file, by name or number from 0; the file's default one if not given"},
    {.name = "allow-outside",
     .kind = OPTION_FLAG,
     .offset = offsetof(info_options, allow_outside),
     .help = "also read files that a .gltf names outside its folder; only for scenes that you trust"},
};

static const command_text text = {
    .name = "info",
    .usage = "pliant info [OPTIONS] FILE...",
    .about = "What is in a mesh file: counts, box, holes and flaws, precision; and the tree that pliant builds for it. "
             "For a sequence (a directory, or a pattern in quotes): the first frame, the number of frames, and how far "
             "vertices move per frame. For a glTF scene (.glb, .gltf): its bodies, scenes and animations.",
    .examples = "  pliant info cloth.obj\n"
                "  pliant info 'frames/cloth_*.obj'\n"
                "  pliant info --json *.ply\n"
                "  pliant info --arity 2 --leaf 1 bunny.ply\n"
                "  pliant info scene.glb\n",
};

/* ----------------------------------------------------------------------------------- finding -- */

static double diagonal(const pl_mesh_info *mesh)
{
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += (mesh->box[1][k] - mesh->box[0][k]) * (mesh->box[1][k] - mesh->box[0][k]);
  return sqrt(sum);
}

static double coordinate(const frames *f, size_t i)
{
  return f->now.is_double ? f->now.xyz[i] : (double)f->now.xyz_f32[i];
}

/* The largest step of a vertex from `before` to the frame read last, which `before` becomes. */
static double largest_step(const frames *f, double *before)
{
  double most = 0;
  for (size_t v = 0; v < f->vertex_count; ++v) {
    double sum = 0;
    for (size_t i = 3 * v; i < 3 * v + 3; ++i) {
      double now = coordinate(f, i), step = now - before[i];
      sum += step * step;
      before[i] = now;
    }
    if (sum > most) most = sum;
  }
  return sqrt(most);
}

static bool follow_motion(info_report *r)
{
  frames *f = &r->frames;
  double *before = malloc(3 * f->vertex_count * sizeof *before), size = diagonal(&r->mesh);
  if (!before) {
    output_complain("%s: out of memory", r->name);
    return false;
  }
  for (size_t i = 0; i < 3 * f->vertex_count; ++i) before[i] = coordinate(f, i);
  progress bar = progress_begin("frames", f->files.count, false);
  io_error error;
  bool good = true;
  for (size_t i = 1; i < f->files.count && good; ++i) {
    good = frames_read(f, i, &error);
    if (!good) break;
    double step = size > 0 ? largest_step(f, before) / size : 0;
    r->motion.mean += step / (double)(f->files.count - 1);
    if (step > r->motion.most) r->motion.frame = i;
    r->motion.most = step > r->motion.most ? step : r->motion.most;
    progress_step(&bar, i);
  }
  progress_end(&bar);
  if (!good) output_complain("%s", error.text);
  r->motion.known = good;
  free(before);
  return good;
}

/* Counts with the file's segments and points as what they are, not as the triangles that frames
 * hold. */
static pl_status describe_mesh(info_report *r, pl_context *context, const pl_mesh_def *mesh)
{
  pl_mesh_def parts = *mesh;
  parts.segment_count = r->frames.now.segment_count;
  parts.point_count = r->frames.now.point_count;
  const size_t count = parts.segment_count + parts.point_count, faces = mesh->triangle_count - count;
  uint32_t *list = count ? malloc(2 * count * sizeof *list) : NULL;
  if (count && !list) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t *t = mesh->triangles + 3 * (faces + i);
    if (i < parts.segment_count)
      list[2 * i] = t[0], list[2 * i + 1] = t[1];
    else
      list[parts.segment_count + i] = t[0];
  }
  parts.triangle_count = faces;
  parts.segments = list;
  parts.points = list ? list + 2 * parts.segment_count : NULL;
  const pl_status status = pl_mesh_get_info(context, &parts, &r->mesh);
  free(list);
  return status;
}

static bool describe(info_report *r, pl_context *context, const info_options *o)
{
  pl_mesh_def mesh = frames_mesh(&r->frames);
  pl_body_def def = tree_options_def(&o->tree);
  pl_body *body = NULL;
  r->is_double = r->frames.now.is_double;
  pl_status status = describe_mesh(r, context, &mesh);
  if (status == PL_OK) status = pl_body_create_free(context, &mesh, &def, &body);
  if (status == PL_OK) status = pl_body_get_info(body, true, &r->tree);
  if (status == PL_OK) r->strategy = pl_body_strategy(body);
  if (status != PL_OK) output_complain("%s: %s", frames_path(&r->frames, 0), pl_context_message(context));
  pl_body_destroy(body);
  return status == PL_OK && (o->still || frames_still(&r->frames) || follow_motion(r));
}

/* -------------------------------------------------------------------------------------- JSON -- */

static void put_box(json *j, const pl_mesh_info *mesh)
{
  json_put_open(j, "box", '[');
  for (int side = 0; side < 2; ++side) {
    json_open(j, '[');
    for (int k = 0; k < 3; ++k) json_real(j, mesh->box[side][k]);
    json_close(j, ']');
  }
  json_close(j, ']');
}

static void put_mesh(json *j, const info_report *r)
{
  const pl_mesh_info *m = &r->mesh;
  json_put_whole(j, "triangles", m->triangles);
  json_put_whole(j, "segments", m->segments);
  json_put_whole(j, "points", m->points);
  json_put_whole(j, "vertices", m->vertices);
  json_put_whole(j, "edges", m->edges);
  json_put_text(j, "positions", r->is_double ? "double" : "float");
  put_box(j, m);
  json_put_bool(j, "closed", m->boundary_edges == 0);
  json_put_bool(j, "manifold_edges", m->nonmanifold_edges == 0);
  json_put_whole(j, "components", m->components);
  json_put_whole(j, "boundary_edges", m->boundary_edges);
  json_put_whole(j, "nonmanifold_edges", m->nonmanifold_edges);
  json_put_whole(j, "misoriented_edges", m->misoriented_edges);
  json_put_whole(j, "degenerate_triangles", m->degenerate_triangles);
  json_put_whole(j, "duplicate_triangles", m->duplicate_triangles);
  json_put_whole(j, "isolated_vertices", m->isolated_vertices);
}

static void put_tree(json *j, const info_report *r, const pl_body_def *def)
{
  const pl_body_info *t = &r->tree;
  json_put_open(j, "tree", '{');
  json_put_text(j, "builder", pl_word(PL_WORDS_BUILDER, def->builder));
  json_put_text(j, "cut", pl_word(PL_WORDS_CUT, def->cut));
  json_put_text(j, "strategy", pl_word(PL_WORDS_STRATEGY, r->strategy));
  json_put_text(j, "volume", pl_word(PL_WORDS_VOLUME, def->volume));
  json_put_whole(j, "arity", (uint64_t)def->arity);
  json_put_whole(j, "leaf_size", (uint64_t)def->leaf_size);
  json_put_whole(j, "depth", (uint64_t)t->depth);
  json_put_whole(j, "inner_nodes", t->inner_nodes);
  json_put_whole(j, "leaves", t->leaves);
  json_put_whole(j, "bytes", t->bytes);
  json_put_real(j, "bytes_per_triangle", t->bytes_per_triangle);
  json_put_real(j, "triangles_per_leaf", t->triangles_per_leaf);
  json_put_real(j, "children_per_node", t->children_per_node);
  json_put_real(j, "area_cost", t->area_cost);
  json_put_real(j, "overlap", t->overlap);
  json_close(j, '}');
}

static bool write_json(info_report *r, const pl_body_def *def, pl_context *explain)
{
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_text(&j, "name", r->name);
  json_put_text(&j, "file", frames_path(&r->frames, 0));
  json_put_whole(&j, "frames", r->frames.files.count);
  put_mesh(&j, r);
  if (r->frames.note[0]) json_put_text(&j, "note", r->frames.note);
  if (r->motion.known) {
    json_put_open(&j, "motion", '{');
    json_put_real(&j, "largest_step_mean", r->motion.mean);
    json_put_real(&j, "largest_step_most", r->motion.most);
    json_put_whole(&j, "largest_step_frame", r->motion.frame);
    json_close(&j, '}');
  }
  put_tree(&j, r, def);
  const bool good = !explain || info_explain(&r->frames, explain, def, &j);
  json_close(&j, '}');
  putchar('\n');
  return good;
}

/* -------------------------------------------------------------------------------- for people -- */

static void line(const char *label, uint64_t value, const char *meaning)
{
  char count[OUTPUT_NUMBER_SIZE];
  printf("  %-22s%12s%s%s\n", label, output_count(value, count), meaning[0] ? "   " : "", meaning);
}

static void line_real(const char *label, double value, const char *meaning)
{
  printf("  %-22s%12.2f   %s\n", label, value, meaning);
}

static void write_surface(const pl_mesh_info *m)
{
  bool closed = m->boundary_edges == 0, manifold = m->nonmanifold_edges == 0;
  printf("  surface               %s%s%s\n", closed ? "closed" : "open", manifold ? "" : ", not manifold",
         m->misoriented_edges ? ", not oriented" : "");
  line("components", m->components, "connected by shared vertices");
  line("boundary edges", m->boundary_edges, "with one triangle; none on a closed surface");
  line("non-manifold edges", m->nonmanifold_edges, "with more than two triangles; legal here");
  line("misoriented edges", m->misoriented_edges, "whose two triangles run along it the same way");
  line("degenerate triangles", m->degenerate_triangles, "of zero area; legal here, they touch as segments and points");
  line("duplicate triangles", m->duplicate_triangles, "with the same three vertices as an earlier one");
  line("isolated vertices", m->isolated_vertices, "used by no triangle, segment or point");
}

static void write_tree(const info_report *r, const pl_body_def *def)
{
  const pl_body_info *t = &r->tree;
  char words[TREE_TEXT];
  printf("  tree                  %s; %s updates\n", tree_options_text(def, words),
         pl_word(PL_WORDS_STRATEGY, r->strategy));
  line("depth", (uint64_t)t->depth, "levels of volumes below the root");
  line("inner nodes", t->inner_nodes, "");
  line("leaves", t->leaves, "");
  line_real("triangles per leaf", t->triangles_per_leaf, "mean; the fuller, the smaller the tree");
  line_real("children per node", t->children_per_node, "mean");
  line_real("bytes per triangle", t->bytes_per_triangle, "structure, volumes and stamps; positions not counted");
  line_real("area cost", t->area_cost, "volumes that a random ray through the root meets; smaller is better");
  line_real("overlap", t->overlap, "areas of children over the area of their parent, mean; smaller is better");
}

static void write_summary(const info_report *r, const pl_body_def *def)
{
  const pl_mesh_info *m = &r->mesh;
  const frames *f = &r->frames;
  printf("%s\n", io_show(r->name).text);
  if (!frames_still(f))
    printf("  sequence              %zu frames, %s to %s; described is the first\n", f->files.count,
           io_show(f->files.paths[0]).text, io_show(f->files.paths[f->files.count - 1]).text);
  line("triangles", m->triangles, "");
  if (m->segments) line("segments", m->segments, "rods; triangles of results behind the others");
  if (m->points) line("points", m->points, "particles; behind the segments");
  line("vertices", m->vertices, r->is_double ? "double positions" : "float positions (double would add nothing)");
  line("edges", m->edges, "");
  printf("  box                   %g %g %g  to  %g %g %g   diagonal %g\n", m->box[0][0], m->box[0][1], m->box[0][2],
         m->box[1][0], m->box[1][1], m->box[1][2], diagonal(m));
  write_surface(m);
  if (r->motion.known)
    printf("  motion                a vertex moves at most %.2f %% of the diagonal per frame (frame %zu); the largest "
           "step of a "
           "frame is %.2f %% on average\n",
           100 * r->motion.most, r->motion.frame, 100 * r->motion.mean);
  write_tree(r, def);
  if (f->note[0]) printf("  note                  %s\n", io_show(f->note).text);
}

/* --------------------------------------------------------------------------------------- all -- */

static bool info_of(char *name, pl_context *context, const info_options *o, bool again)
{
  if (gltf_is_name(name)) {
    if (!o->json && again) printf("\n");
    const pl_body_def def = tree_options_def(&o->tree);
    return info_gltf(name, &(gltf_options){.scene = o->scene, .allow_outside = o->allow_outside}, o->json,
                     o->explain ? &def : NULL);
  }
  info_report r = {.name = name};
  io_error error;
  if (!frames_open(&r.frames, &name, 1, &(frames_def){.rounded = o->rounded, .gaps = (io_gaps)o->gaps}, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  bool good = describe(&r, context, o);
  if (good) {
    pl_body_def def = tree_options_def(&o->tree);
    if (o->json) good = write_json(&r, &def, o->explain ? context : NULL);
    if (!o->json && again) printf("\n");
    if (!o->json) write_summary(&r, &def);
    if (!o->json && o->explain) good = info_explain(&r.frames, context, &def, NULL);
    fflush(stdout);
    /* the other note is in the summary */
    if (r.frames.files.note[0]) output_note("%s", r.frames.files.note);
  }
  frames_close(&r.frames);
  return good;
}

/* A folder or a pattern of scenes is each of them. Returns how many names stand for nothing. */
static int find_names(const arguments *files, io_sequence *names)
{
  int failures = 0;
  for (int i = 0; i < files->count; ++i) failures += !inputs_add_names(files->values[i], names);
  return failures;
}

/* One bad file does not hide the others. A shard describes its part of the names. */
static int info_all(io_sequence *names, pl_context *context, const info_options *o, int failures)
{
  size_t begin = 0, end = names->count;
  uint64_t key = SHARD_HASH_BEGIN;
  bool shown = false, good = true;
  for (size_t i = 0; i < names->count && shard_is_on(); ++i) key = shard_hash_file(key, names->paths[i]);
  if (!shard_begin("info", key, &begin, &end)) return EXIT_ERROR;
  for (size_t i = begin; i < end && good; ++i) {
    bool described = info_of(names->paths[i], context, o, shown);
    shown = shown || described;
    failures += !described;
    good = shard_frame(i, 0, NULL);
  }
  good = output_finish() && good;
  return shard_end(good && failures == 0 ? EXIT_DONE : EXIT_ERROR);
}

int cmd_info(int argc, char **argv)
{
  info_options o = {.tree = tree_options_default()};
  option_group groups[] = {{"Options", table, OPTION_COUNT(table), &o}, tree_options_group(&o.tree), shard_group()};
  arguments files;
  io_sequence names = {0};
  int code = tree_options_settings(&o.tree, argc, argv);
  if (code == OPTIONS_GO_ON) code = options_parse(&text, groups, OPTION_COUNT(groups), argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (files.count == 0) return options_refuse("info", "name a mesh file");
  code = shard_check("info", o.json);
  if (code != OPTIONS_GO_ON) return code;
  pl_context *context = NULL;
  pl_status status = pl_context_create(NULL, &context);
  if (status != PL_OK) return output_complain("%s", pl_status_text(status));
  int failures = find_names(&files, &names);
  code = info_all(&names, context, &o, failures);
  io_sequence_free(&names);
  pl_context_destroy(context);
  return code;
}
