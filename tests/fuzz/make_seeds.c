/* Writes small files of every kind into a folder, for the fuzzer to start from: make_seeds
 * FOLDER */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

static const char *const TEXTS[] = {
    "# obj\nv 0 0 0\nv 1.25e0 0 0 1\r\nv 0 1 0\nv 0.1 .5 -7\nvt 0 0\nf 1 2 3\nf -1/1 -2/1/1 \\\n -3//1 1\nl 1 2\nsurf "
    "1\nf 4 1 2",
    "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
    "COFF # off\n4 3 0\n0 0 0 1 1 1\n1 0 0\n0 1 0\n0.1 .5 -7\n3 0 1 2\n4 0 1 2 3 255 0 0\n2 1 2\n",
    "STNOFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1.5 0 0\nvertex 0 1e-3 "
    "0\nendloop\nendfacet\nendsolid a\n",
    "ply\nformat ascii 1.0\ncomment c\nobj_info o\nelement vertex 3\nproperty float x\nproperty double y\nproperty int "
    "z\n"
    "property list uchar int e\nelement tristrips 1\nproperty list int int vertex_indices\nelement face 2\n"
    "property list uchar int vertex_indices\nproperty uchar red\nend_header\n0 0 0 0\n1 0 0 2 7 7\n0 1.5 0 1 1\n4 0 1 "
    "-1 2\n3 0 1 2 255\n"
    "4 0 1 2 0 9\n",
    "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty char x\nproperty uchar y\nproperty char z\nelement "
    "face 1\n"
    "property list uchar uchar vertex_index\nend_header\nabcdefghi\3tuv",
    "-123.456e-7",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692"
    "887910946555547851",
    "2.4703282292062327208299439643411e-324",
};

static int write_text(const char *folder, int number)
{
  char path[1024];
  snprintf(path, sizeof path, "%s/text%d", folder, number);
  FILE *file = fopen(path, "wb");
  if (!file) return 1;
  fwrite(TEXTS[number], 1, strlen(TEXTS[number]), file);
  return fclose(file) != 0;
}

/* JSON, a zero, and its buffer: two triangles, a target, times, translations, weights. */
static const char GLTF[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":160}],\"bufferViews\":[{\"buffer\":0,"
    "\"byteLength\":160}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":0,\"byteOffset\":48,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":0,"
    "\"byteOffset\":49,\"componentType\":5121},\"values\":{\"bufferView\":0,\"byteOffset\":12}}},"
    "{\"bufferView\":0,\"byteOffset\":56,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
    "{\"bufferView\":0,\"byteOffset\":64,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{\"POSITION\":2}]},"
    "{\"attributes\":{\"POSITION\":0},\"mode\":5,\"targets\":[{}]}],\"weights\":[0.5]}],"
    "\"nodes\":[{\"children\":[1],\"scale\":[1,-1,2]},{\"mesh\":0,\"name\":\"a\"},{\"mesh\":0,\"matrix\":"
    "[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}],\"scenes\":[{\"nodes\":[0,2]}],\"scene\":0,\"animations\":[{\"samplers\":"
    "[{\"input\":3,\"output\":4,\"interpolation\":\"CUBICSPLINE\"},{\"input\":3,\"output\":3}],\"channels\":[{"
    "\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},{\"sampler\":1,\"target\":{\"node\":1,"
    "\"path\":\"weights\"}}]}]}";

static int write_gltf(const char *folder)
{
  char path[1024];
  float numbers[40] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1};
  static const unsigned char indices[6] = {0, 1, 2, 1, 3, 2};
  memcpy(numbers + 12, indices, sizeof indices);
  for (int i = 14; i < 40; ++i) numbers[i] = (float)(i - 14) / 2;
  snprintf(path, sizeof path, "%s/gltf", folder);
  FILE *file = fopen(path, "wb");
  if (!file) return 1;
  fwrite(GLTF, 1, sizeof GLTF, file);
  fwrite(numbers, 1, sizeof numbers, file);
  return fclose(file) != 0;
}

int main(int count, char **arguments)
{
  if (count != 2) return 64;
  int wrong = write_gltf(arguments[1]);
  for (int i = 0; i < (int)(sizeof TEXTS / sizeof TEXTS[0]); ++i) wrong |= write_text(arguments[1], i);
  double xyz[] = {0, 0, 0, 1, 0, 0, 0, 0.1, 0, 0, 0, -1e-9};
  uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 3, 2, 1};
  io_mesh mesh = {.xyz = xyz, .vertex_count = 4, .triangles = triangles, .triangle_count = 4};
  for (int i = 0; i < 8; ++i) {
    static const char *const endings[] = {"obj", "off", "ply", "stl"};
    char path[1024];
    io_error error;
    mesh.is_double = i / 4;
    snprintf(path, sizeof path, "%s/mesh%d.%s", arguments[1], i / 4, endings[i % 4]);
    if (io_mesh_write(path, &mesh, &error)) continue;
    fprintf(stderr, "%s\n", error.text);
    wrong = 1;
  }
  return wrong;
}
