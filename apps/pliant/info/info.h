/* `pliant info`: of a glTF scene. */
#ifndef INFO_H
#define INFO_H

#include "common/stage.h"

/* Its bodies and animations, a line each, or one JSON object. false: stderr says why. */
bool info_gltf(const char *path, const gltf_options *how, bool as_json);

#endif
