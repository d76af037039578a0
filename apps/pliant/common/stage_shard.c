/* The part of a stage that a shard plays. */
#include "common/shard.h"
#include "common/stage.h"

#include <string.h>

static uint64_t add_number(uint64_t key, uint64_t number) { return shard_hash(key, &number, sizeof number); }

uint64_t stage_key(const stage *s)
{
  uint64_t key = add_number(SHARD_HASH_BEGIN, s->frame_count);
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    size_t files = input->gltf ? 0 : input->frame_count;
    key = add_number(key, input->frame_count);
    if (input->gltf) key = shard_hash_file(key, input->def.names[0]);
    for (size_t k = 0; k < files; ++k) key = shard_hash_file(key, frames_path(&input->files, k));
  }
  for (size_t i = 0; i < s->body_count; ++i) {
    key = shard_hash(key, s->bodies[i].name, strlen(s->bodies[i].name) + 1);
    key = add_number(key, s->bodies[i].triangle_count);
  }
  return key;
}

bool stage_shard(stage *s, const char *command)
{
  return !(shard_is_on() || shard_replays()) || shard_begin(command, stage_key(s), &s->begin, &s->end);
}
