/* Names that people see: of the joints of skins, which are bones, and of materials. */
#include "io/gltf_inside.h"

static bool name_joints(gltf_document *d, const gltf_skin *skin)
{
  for (size_t i = 0; i < skin->joint_count; ++i) {
    uint32_t node = skin->joints[i];
    gltf_node *joint = &d->scene->nodes[node];
    if (joint->name) continue;
    const char *name = gltf_text_of(gltf_json_item(d->nodes, node), "name");
    gltf_place number = gltf_at("node %u", node);
    joint->name = gltf_copy_text(d, *name ? name : number.text);
    if (!joint->name) return false;
  }
  return true;
}

bool gltf_read_names(gltf_document *d)
{
  gltf_scene *s = d->scene;
  for (size_t i = 0; i < s->skin_count; ++i)
    if (s->skins[i].joints && !name_joints(d, &s->skins[i])) return false;
  size_t count = gltf_json_length(d->materials);
  s->material_names = gltf_allocate(d, count, sizeof *s->material_names);
  if (!s->material_names) return false;
  for (size_t i = 0; i < count; ++i) {
    s->material_names[i] = gltf_copy_text(d, gltf_text_of(gltf_json_item(d->materials, i), "name"));
    if (!s->material_names[i]) return false;
    ++s->material_count;
  }
  return true;
}

const char *gltf_bone_name(const gltf_scene *scene, size_t body, size_t bone)
{
  const gltf_body *b = &scene->bodies[body];
  uint32_t skin = scene->nodes[b->node].skin;
  bool joint = bone > 0 && skin != GLTF_NO_NODE && bone <= scene->skins[skin].joint_count;
  return joint ? scene->nodes[scene->skins[skin].joints[bone - 1]].name : b->name;
}

const char *gltf_material_name(const gltf_scene *scene, uint32_t material)
{
  return material < scene->material_count ? scene->material_names[material] : "";
}
