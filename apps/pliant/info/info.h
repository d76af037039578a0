/* `pliant info`: of a glTF scene. */
#ifndef INFO_H
#define INFO_H

#include "common/frames.h"
#include "common/output.h"
#include "common/stage.h"

/* Its bodies and animations, a line each, or one JSON object. false: stderr says why. */
bool info_gltf(const char *path, const gltf_options *how, bool as_json);

/* What `auto` chooses for a mesh and some kinds of questions, over the first frames of a sequence,
 * and why: a table, or a member of an open JSON object (NULL: the table). */
bool info_explain(frames *f, pl_context *context, const pl_body_def *def, json *out);

#endif
