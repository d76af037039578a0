/* For tests/compressed.sh: arrays of a primitive on stdin to a Draco stream on stdout. First four
 * 32-bit numbers: vertices, triangles, whether joints and weights follow, bits of quantisation;
 * then positions (3 floats), joints (4 of 16 bits), weights (4 floats) of all vertices, and
 * indices (3 of 32 bits). Unique ids are 0, 1 and 2. Before the stream come the numbers of points
 * and faces that are in it: vertices of no triangle are not. */
#include <cstdint>
#include <cstdio>
#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>
#include <vector>

template <typename T> static std::vector<T> take(size_t count)
{
  std::vector<T> values(count);
  if (std::fread(values.data(), sizeof(T), count, stdin) != count) std::exit(1);
  return values;
}

template <typename T>
static void add(draco::Mesh *mesh, draco::GeometryAttribute::Type kind, int components, draco::DataType type,
                const std::vector<T> &values)
{
  draco::GeometryAttribute a;
  a.Init(kind, nullptr, components, type, false, sizeof(T) * components, 0);
  int id = mesh->AddAttribute(a, true, mesh->num_points());
  for (uint32_t i = 0; i < mesh->num_points(); ++i)
    mesh->attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i), values.data() + (size_t)i * components);
}

int main()
{
  std::vector<uint32_t> head = take<uint32_t>(4);
  draco::Mesh mesh;
  mesh.set_num_points(head[0]);
  add(&mesh, draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32, take<float>(3 * (size_t)head[0]));
  if (head[2]) {
    add(&mesh, draco::GeometryAttribute::GENERIC, 4, draco::DT_UINT16, take<uint16_t>(4 * (size_t)head[0]));
    add(&mesh, draco::GeometryAttribute::GENERIC, 4, draco::DT_FLOAT32, take<float>(4 * (size_t)head[0]));
  }
  std::vector<uint32_t> corners = take<uint32_t>(3 * (size_t)head[1]);
  for (uint32_t f = 0; f < head[1]; ++f) {
    draco::Mesh::Face face;
    for (int k = 0; k < 3; ++k) face[k] = draco::PointIndex(corners[3 * f + k]);
    mesh.AddFace(face);
  }
  draco::Encoder encoder;
  encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, (int)head[3]);
  encoder.SetTrackEncodedProperties(true);
  draco::EncoderBuffer out;
  if (!encoder.EncodeMeshToBuffer(mesh, &out).ok()) return 1;
  uint32_t counts[2] = {(uint32_t)encoder.num_encoded_points(), (uint32_t)encoder.num_encoded_faces()};
  if (std::fwrite(counts, sizeof counts, 1, stdout) != 1) return 1;
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}
