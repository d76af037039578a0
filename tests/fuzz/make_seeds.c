/* Writes small files of every kind into a folder, for the fuzzer to start from: make_seeds FOLDER */
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

int main(int count, char **arguments)
{
  if (count != 2) return 64;
  int wrong = 0;
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
