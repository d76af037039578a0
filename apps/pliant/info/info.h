/* `pliant info`: of a glTF scene. */
#ifndef INFO_H
#define INFO_H

#include "common/frames.h"
#include "common/output.h"
#include "common/stage.h"

/* Its bodies and animations, a line each, or one JSON object. explain: what its bodies are made
 * with, to say what `auto` chooses for each; NULL: it is not said. false: stderr says why. */
bool info_gltf(const char *path, const gltf_options *how, bool as_json, const pl_body_def *explain);

/* What `auto` chooses for a mesh and some kinds of questions, over the first frames of a sequence,
 * and why: a table, or a member of an open JSON object (NULL: the table). */
bool info_explain(frames *f, pl_context *context, const pl_body_def *def, json *out);

/* What `auto` chooses for the bodies of a glTF scene, over the first frames of its animations, for
 * info_explain_put(). NULL: stderr says why. The caller frees it. */
typedef struct info_choices info_choices;
info_choices *info_explain_gltf(const char *path, const gltf_options *how, const pl_body_def *def);
void info_explain_put(const info_choices *of, size_t body, json *out);

#endif
