/* What `pliant check` knows while it runs: assets, their findings, and the writers of both.
 *
 *   assets     paths                     -> assets
 *   workers    assets                    -> records, in processes of their own
 *   play       an asset                  -> findings, with the names of what meets
 *   log        records                   -> a file that a later run goes on from
 *   rules      findings, baseline, rules -> which of them fail
 *   write      all                       -> table, JSON, JUnit, SARIF, annotations */
#ifndef CHECK_H
#define CHECK_H

#include "common/stage.h"

#include <stdatomic.h>

/* Which findings fail. */
typedef enum check_fail_on { CHECK_NEW, CHECK_GROWING, CHECK_ANY, CHECK_NONE } check_fail_on;
extern const char *const check_fail_words[]; /* NULL-ended */

/* A length or an area as people write it: with a unit, in metres; without, in the file's units. */
typedef struct check_measure {
  double value;
  bool metric;
} check_measure;

/* What is looked at and what fails: of the command line, or of the text file beside an asset. */
typedef struct check_rules {
  int fail_on; /* check_fail_on */
  check_measure depth, area;
  bool between;
  double fps;       /* 0: 30 */
  double metres;    /* of a unit; 0: 1 for glTF, unknown for mesh files */
  text_list ignore; /* patterns of bodies, and "A,B" of findings */
  char *text;       /* what `ignore` points into; NULL: the command line */
} check_rules;

typedef struct check_options {
  int fail_on, units;
  const char *depth, *area; /* as given; NULL: 0 */
  bool json, list, no_weld, allow_unreadable, github, update_baseline;
  const char *junit, *sarif, *baseline, *resume, *index, *page;
  int threads;
  stage_options stage; /* fps, scene, allow_outside, allow_unchecked */
  check_rules rules;
} check_options;

/* One of the two surfaces of a finding, for people. Texts are "" where the file has none. */
typedef struct check_side {
  char *body, *mesh, *material;
  char *bone;           /* the one with the greatest sum of weights there */
  double share;         /* its part of all weights there */
  uint32_t primitive;   /* of the mesh */
  uint32_t part, parts; /* connected parts of the body, the largest is 1 */
  double rest[3];       /* its middle in the reference pose */
} check_side;

/* A place where surfaces intersect, over the frames of one animation. */
typedef struct check_finding {
  check_side side[2];                /* the first one is in the second, if there is a depth */
  char *animation, *label;           /* "": mesh files or at rest; the worst frame, for people */
  size_t first, last, worst;         /* frames of that animation */
  size_t clip, frame;                /* in the asset: which animation, and the worst frame */
  bool always;                       /* nothing moves there: it is in all frames */
  double depth, area, length, at[3]; /* in the worst frame */
  bool at_rest;                      /* it is there in the reference pose */
  double rest_depth;                 /* and so deep */

  /* Set by check_judge(). */
  bool known; /* it is in the baseline; or at rest, if the baseline does not have the asset */
  double known_depth;
  bool ignored, fails;
} check_finding;

/* An animation that was played, or the frames of a sequence: what there is in each frame. */
typedef struct check_clip {
  char *animation;
  size_t count, room;
  double *regions, *depth; /* the number of regions, and the greatest depth */
} check_clip;

typedef struct check_asset {
  char *name;   /* the path, or that of the first file of a sequence */
  char **files; /* in the list of names */
  int file_count;
  const input_list *inputs; /* what is played if it is more than these files; NULL: it is not */
  bool done;                /* played, or found in the log */
  bool readable;            /* otherwise `messages` says why not */
  char *messages;           /* lines for stderr; NULL: none */
  size_t unchecked;
  size_t frames, bodies, ignored_bodies, triangles;
  double diagonal;   /* of its box in the reference pose */
  double metres;     /* of a unit of its file; 0: not known */
  check_clip *clips; /* the first one of a glTF scene is its rest pose */
  size_t clip_count;
  check_finding *findings;
  size_t finding_count, finding_room;
  check_rules *rules; /* of the file beside it; NULL: those of the command line */

  size_t place; /* in the index, from 1; 0: it has no pictures */

  /* Set by check_judge(). */
  size_t failures, ignored, fixed; /* fixed: only in the baseline */
  bool in_baseline;
} check_asset;

/* A finding that was accepted before; see check_baseline.c. */
typedef struct check_entry {
  char *animation;
  char *name[2][3]; /* body, bone, material of both sides */
  double rest[2][3], depth;
  bool seen; /* it was found again */
} check_entry;

/* An asset of the baseline. */
typedef struct check_accepted {
  char *asset; /* its path from the folder of the baseline */
  check_entry *entries;
  size_t count, room;
} check_accepted;

/* How far a worker is, in memory that all processes share: for the bar. */
typedef struct check_ticks {
  _Atomic size_t frames; /* played, of all assets */
  _Atomic uint32_t part; /* of the present asset, in thousandths */
} check_ticks;

typedef struct check_job {
  check_options options;
  check_ticks *ticks; /* of this worker; NULL: nobody looks */
  io_sequence names;  /* all files, in order */
  check_asset *assets;
  size_t asset_count, begin, end; /* played: [begin, end), a shard's part */
  check_accepted *accepted;       /* the baseline, by asset */
  size_t accepted_count;
  bool has_baseline, writes_baseline;
  size_t failures, unreadable, ignored, fixed;
} check_job;

/* check_assets.c: the files, folders and patterns of the command line become assets, with the
 * rules beside them. Exit code, or OPTIONS_GO_ON. */
int check_find_assets(check_job *job, const arguments *paths);
void check_free(check_job *job);
void check_forget(check_asset *asset); /* what was found */

/* check_rules.c: "2mm", "0.5cm", "4cm2" with power 2. false: it is neither. */
bool check_measure_parse(const char *word, int power, check_measure *out);
/* false (here and below): stderr says why. */
bool check_rules_read(check_asset *asset, const check_rules *base);
const check_rules *check_rules_of(const check_job *job, const check_asset *asset);
bool check_ignores_body(const check_rules *rules, const char *name);
/* Which findings fail, of all assets. */
void check_judge(check_job *job);

/* check_play.c: plays one asset with so many threads. */
bool check_play(const check_job *job, check_asset *asset, int threads);
check_finding *check_add_finding(check_asset *asset); /* NULL: out of memory; stderr does not say */

check_clip *check_add_clip(check_asset *asset, const char *animation); /* the same */
bool check_clip_add(check_clip *clip, double regions, double depth);
/* Paints the worst frame of an asset into two files, from afar and close up. */
bool check_paint(const check_job *job, check_asset *asset, int threads, const char *whole, const char *near);

/* check_names.c: what the sides of regions are called. The stage is at its reference pose. */
typedef struct check_namer check_namer;
bool check_namer_create(const stage *s, check_namer **out);
void check_namer_free(check_namer *n); /* NULL is allowed */
bool check_name_side(check_namer *n, size_t body, const pl_result *found, const pl_region_side *side, check_side *out);
void check_side_free(check_side *side);
double check_namer_diagonal(const check_namer *n);

/* check_record.c: what was found in an asset as lines of text, and back. */
void check_record_write(FILE *file, const check_asset *asset, uint64_t key);
/* Takes a line of a record. 1: the record ends with it; 0: more follow; -1: it is not one. */
int check_record_take(check_asset *asset, char *line);
/* A hash of the files of an asset, their sizes and times, and all that changes what is found. */
uint64_t check_key(const check_job *job, const check_asset *asset);

/* check_workers.c: plays all assets that are not done yet, on all cores; and makes the pictures
 * and players of those that have a place in the index. */
bool check_run(check_job *job);
bool check_run_pages(check_job *job);

/* check_index.c: a page for the library in the folder of --index, with pictures and players. */
bool check_index_write(check_job *job);
bool check_index_asset(const check_job *job, check_asset *asset, int threads); /* by a worker */

/* check_places.c: JSON for the viewer of what was found in an asset; and in inputs that are played
 * for it, each body with itself and with the others. The caller frees it; NULL: out of memory, or
 * stderr says why. */
char *check_places_json(const check_asset *asset);
char *check_places_of(const input_list *inputs, bool allow_outside);
/* Those that fail first, then the deepest; the caller frees the list, but not what is in it. */
const check_finding **check_sorted_findings(const check_asset *asset);
enum { CHECK_MOST_LISTED = 40 }; /* findings of an asset on a page */

/* check_log.c: takes what an earlier run has finished from the file of --resume, and opens it
 * for more. */
bool check_log_open(check_job *job);
bool check_log_add(const check_asset *asset, uint64_t key);
bool check_log_close(void);

/* check_baseline.c: reads the file of --baseline if there is one. */
bool check_baseline_read(check_job *job);
bool check_baseline_write(const check_job *job);
void check_baseline_free(check_job *job);
/* What was accepted of an asset; NULL: the baseline does not have it. */
check_accepted *check_baseline_of(const check_job *job, const check_asset *asset);
/* The depth to which a finding was accepted; negative: it was not. */
double check_baseline_depth(check_accepted *accepted, const check_asset *asset, const check_finding *f);

/* check_text.c: lines of words without blanks; a text begins with "=", so that it may be empty. */
void check_put_text(FILE *file, const char *text);
void check_put_real(FILE *file, double value);
void check_put_whole(FILE *file, uint64_t value);
/* The next word of a line, which *at moves behind. false: it is not there or not of this kind. */
bool check_take_word(char **at, const char *word);
bool check_take_text(char **at, char **out); /* a copy */
bool check_take_real(char **at, double *out);
bool check_take_whole(char **at, size_t *out);

/* check_write.c */
void check_write_table(const check_job *job);
void check_write_json(const check_asset *asset);
/* check_ci.c */
bool check_write_junit(const check_job *job, const char *path);
bool check_write_sarif(const check_job *job, const char *path);
void check_write_github(const check_job *job);

/* "new", "growing", "known", "ignored"; "LeftHand in LeftUpLeg"; a sentence. */
const char *check_kind(const check_finding *f);
enum { CHECK_NAME = 1024, CHECK_SENTENCE = 4096, CHECK_LENGTH = 48 };
const char *check_name(const check_finding *f, char text[CHECK_NAME]);
const char *check_sentence(const check_asset *asset, const check_finding *f, char text[CHECK_SENTENCE]);
const char *check_length_text(const check_asset *asset, double length, char text[CHECK_LENGTH]);
/* The deepest of those that fail, or of all; NULL: there is none. */
const check_finding *check_worst(const check_asset *asset);

/* Deeper than it is known to be by more than a tenth. */
bool check_grows(const check_finding *f);

#endif
