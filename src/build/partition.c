#include "build/build.h"

pl_status build_partition(const build_input *in, build_result *out) { return build_split(in, out); }
