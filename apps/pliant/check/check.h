/* What `pliant check` knows while it runs: assets, their findings, and the writers of both. */
#ifndef CHECK_H
#define CHECK_H

#include "common/stage.h"

/* X(NAME, word): which findings fail. */
typedef enum check_rule { CHECK_NEW, CHECK_GROWING, CHECK_ANY, CHECK_NONE } check_rule;

typedef struct check_options {
  int rule;                 /* check_rule */
  const char *depth, *area; /* as given; NULL: 0 */
  double least_depth, least_area;
  text_list ignore; /* patterns of names of bodies */
  bool between, json, list, no_weld, allow_unreadable;
  const char *junit, *sarif;
  int threads;
  stage_options stage; /* fps, scene, allow_outside, allow_unchecked */
} check_options;

/* A place where surfaces intersect, over the frames of one animation. */
typedef struct check_finding {
  uint32_t id; /* of the tracker */
  size_t body[2];
  size_t first, last, worst;         /* frames */
  double depth, area, length, at[3]; /* in the worst frame */
  bool known;                        /* it is there in the reference pose */
  double known_depth;                /* and so deep */
  bool fails;
} check_finding;

typedef struct check_asset {
  char *name;   /* the path, or that of the first file of a sequence */
  char **files; /* in the list of names */
  int file_count;
  bool readable;
  size_t frames, bodies;
  char **body_names;
  char **labels; /* of each finding: the worst frame, for people */
  check_finding *findings;
  size_t finding_count, finding_room, failures;
} check_asset;

typedef struct check_job {
  check_options options;
  io_sequence names; /* all files, in order */
  check_asset *assets;
  size_t asset_count;
  size_t failures, unreadable;
} check_job;

/* check_assets.c: the files, folders and patterns of the command line become assets. Exit code,
 * or OPTIONS_GO_ON. */
int check_find_assets(check_job *job, const arguments *paths);
void check_free(check_job *job);

/* check_play.c: plays one asset; false: it could not be read, and stderr says why. */
bool check_play(check_job *job, check_asset *asset);

/* check_write.c */
void check_write_table(const check_job *job);
void check_write_json(const check_job *job);
bool check_write_junit(const check_job *job, const char *path);
bool check_write_sarif(const check_job *job, const char *path);

/* "new", "growing", "known": what a finding is; and a sentence about it. */
const char *check_kind(const check_finding *f);
enum { CHECK_SENTENCE = 2048 };
const char *check_sentence(const check_asset *asset, size_t finding, char text[CHECK_SENTENCE]);

/* Deeper than in the reference pose by more than a tenth. */
bool check_grows(const check_finding *f);

#endif
