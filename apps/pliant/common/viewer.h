/* The page of `pliant view`: the viewer that ./dev web builds, with files inside. */
#ifndef VIEWER_H
#define VIEWER_H

#include "common/frames.h"
#include "io/gltf.h"

typedef struct viewer_def {
  const char *page; /* the viewer without files; NULL: it is looked for */
  char **paths;     /* mesh files and glTF scenes with their buffers, no two with the same name */
  size_t count;
  /* files go in as they are: long sequences are not rounded to 1/65535 of their box, and glTF keeps
   * its images */
  bool exact;
  const char *findings; /* JSON for the list of findings and the timeline; NULL: none */
} viewer_def;

/* false (here and below): stderr says why. */
bool viewer_write(const viewer_def *def, const char *out, double *megabytes);
bool viewer_is_there(const char *given);

#endif
