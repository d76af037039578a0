/* The one file that knows Draco. Nothing is thrown out of it. */
#include "io/draco.h"

#include <draco/compression/decode.h>
#include <draco/mesh/mesh.h>
#include <memory>

struct io_draco {
  std::unique_ptr<draco::Mesh> mesh;
};

bool io_draco_is_there(void) { return true; }

io_draco *io_draco_open(const void *data, size_t size)
{
  try {
    draco::DecoderBuffer buffer;
    buffer.Init(static_cast<const char *>(data), size);
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) return nullptr;
    std::unique_ptr<draco::Mesh> mesh = std::move(decoded).value();
    for (draco::FaceIndex f(0); f < mesh->num_faces(); ++f)
      for (int k = 0; k < 3; ++k)
        if (mesh->face(f)[k].value() >= mesh->num_points()) return nullptr;
    return new io_draco{std::move(mesh)};
  } catch (...) {
    return nullptr;
  }
}

void io_draco_close(io_draco *mesh) { delete mesh; }

size_t io_draco_points(const io_draco *mesh) { return mesh->mesh->num_points(); }

size_t io_draco_faces(const io_draco *mesh) { return mesh->mesh->num_faces(); }

void io_draco_indices(const io_draco *mesh, uint32_t *out)
{
  for (draco::FaceIndex f(0); f < mesh->mesh->num_faces(); ++f)
    for (int k = 0; k < 3; ++k) *out++ = mesh->mesh->face(f)[k].value();
}

template <typename T>
static bool convert(const io_draco *mesh, const draco::PointAttribute *a, int components, void *out)
{
  T *to = static_cast<T *>(out);
  for (draco::PointIndex p(0); p < mesh->mesh->num_points(); ++p, to += components) {
    draco::AttributeValueIndex at = a->mapped_index(p);
    if (at.value() >= a->size() || !a->ConvertValue<T>(at, static_cast<int8_t>(components), to)) return false;
  }
  return true;
}

bool io_draco_attribute(const io_draco *mesh, uint32_t id, int type, int components, void *out)
{
  try {
    const draco::PointAttribute *a = mesh->mesh->GetAttributeByUniqueId(id);
    if (!a || a->num_components() != components) return false;
    switch (type) {
    case 5120:
      return convert<int8_t>(mesh, a, components, out);
    case 5121:
      return convert<uint8_t>(mesh, a, components, out);
    case 5122:
      return convert<int16_t>(mesh, a, components, out);
    case 5123:
      return convert<uint16_t>(mesh, a, components, out);
    case 5125:
      return convert<uint32_t>(mesh, a, components, out);
    case 5126:
      return convert<float>(mesh, a, components, out);
    default:
      return false;
    }
  } catch (...) {
    return false;
  }
}
