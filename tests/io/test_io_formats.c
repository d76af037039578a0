/* What each reader takes, refuses and leaves out, on small texts. */
#include "io/io_support.h"

#include "io/number.h"

/* A text and what must come of it: counts, or a part of the message. */
typedef struct sample {
  const char *text;
  size_t vertices, triangles; /* 0: it must be refused */
  const char *says;           /* a part of the error, or of the note; NULL: anything, or no note */
} sample;

static void check_samples(io_reader reader, const sample *samples, size_t count)
{
  for (size_t i = 0; i < count; ++i) {
    const sample *s = &samples[i];
    io_mesh mesh;
    io_error error;
    bool ok = read_bytes(reader, s->text, strlen(s->text), &mesh, &error);
    const char *said = ok ? mesh.note : error.text;
    bool good =
        ok == (s->triangles > 0) && mesh.vertex_count == s->vertices * ok && mesh.triangle_count == s->triangles;
    good = good && (s->says ? strstr(said, s->says) != NULL : !ok || !*said);
    if (!good)
      print_error("sample %zu:\n%s\ngave %d, %zu vertices, %zu triangles: %s\n", i, s->text, ok, mesh.vertex_count,
                  mesh.triangle_count, said);
    assert_true(good);
    io_mesh_free(&mesh);
  }
}

#define CHECK(reader, samples) check_samples(reader, samples, sizeof samples / sizeof samples[0])
#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define V4 V3 "v 1 1 0\n"

static void test_obj(void **state)
{
  (void)state;
  static const sample samples[] = {
      {V3 "f 1 2 3\n", 3, 1, NULL},
      {V3 "f 1 2 3", 3, 1, NULL},
      {"\xef\xbb\xbf" V3 "f 1 2 3", 3, 1, NULL},
      {V3 "  \tf\t1   2 3 \t ", 3, 1, NULL},
      {"v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\n\r\nf 1 2 3\r\n", 3, 1, NULL},
      {"v 0 0 0\rv 1 0 0\r# comment\rv 0 1 0\rf 1 2 3\r", 3, 1, NULL},
      {V3 "f 1/1 2/2 3/3\nf 1//1 2//2 3//3\nf 1/1/1 2/2/2 3/3/3\nf 1// 2// 3//\nf 1/ 2/ 3/\nf 1/-1/-2 2/-1 3\n", 3, 6,
       NULL},
      {V4 "f -4 -3 -2 -1\n", 4, 2, NULL},
      {V3 "f -3 -2 -1\n" V3 "f -3 -2 -1\n", 6, 2, NULL},
      {V4 "f 1 2 \\\n 4 \\  \n\\\n3\n", 4, 2, NULL},
      {V4 "f 1 2 \\\r\n 4 3\r\n", 4, 2, NULL},
      {V3 "v 1 \\\n 1 0\nf 1 2 3\n", 4, 1, NULL},
      {V3 "g a \\\nb\nf 1 2 3\n", 3, 1, NULL},
      {V3 "# a path C:\\\nf 1 2 3\n", 3, 1, NULL},
      {V3 "f 1 2 3 # a comment\n#f 1 2 3\n", 3, 1, NULL},
      {"v 0 0 0 1 # w\nv 1 0 0 nan nan nan\nv 0 1 0 0.5 0.5 0.5\nf 1 2 3\n", 3, 1, NULL},
      {"f 1 2 3\n" V3, 3, 1, NULL}, /* vertices may come later */
      {V3 "vt 0 0\nvn 0 0 1\no a\ng b f 1 2 3\ns off\nusemtl f\nmtllib x.mtl\nf 1 2 3\n", 3, 1, NULL},
      {V3 "l 1 2\np 3\nf 1 2 3\n", 3, 3, NULL},
      {V3 "l 1/1 2/2 3 -3 # closed\np -1 1 \\\n 2\n", 3, 6, NULL},
      {"l 1 3\np 2\n" V3, 3, 2, NULL},
      {V3 "l 1\nl\np\nf 1 2 3\n", 3, 1, "lines of fewer than 2 vertices (2)"},
      {V3 "l 1\n", 0, 0, "no triangles"},
      {V3 "l 1 4\n", 0, 0, "test:4: line names vertex 4 of 3"},
      {V3 "p 0\n", 0, 0, "point names vertex 0"},
      {V3 "l 1 x\n", 0, 0, "test:4: 'x' is not a line's vertex"},
      {V3 "f 1 2\nf 1\nf\nf 1 2 3\n", 3, 1, "fewer than 3 corners (3)"},
      {V3 "cstype bezier\nsurf 0 1 0 1 1 2 3\nend\nf 1 2 3\n", 3, 1, "free-form"},
      {V3 "vw 1 2\nfoo\nf 1 2 3\n", 3, 1, "(2, first 'vw' in line 4)"},
      {V3 "f 1 1 2\n", 3, 1, NULL}, /* a degenerate triangle is a triangle */
      {"", 0, 0, "no triangles"},
      {"# nothing", 0, 0, "no triangles"},
      {V3, 0, 0, "no triangles, only 3 vertices; a surface"},
      {V3 "f 1 2\n", 0, 0, "fewer than 3 corners"},
      {V3 "f 1 2 4\n", 0, 0, "test:4: face names vertex 4 of 3"},
      {"f 1 2 9\nf 1 2 3\n" V3, 0, 0, "test:1: face names vertex 9 of 3"},
      {V3 "f 1 2 \\\n 4\n", 0, 0, "test:5: face names vertex 4 of 3"},
      {V3 "f 0 1 2\n", 0, 0, "test:4: face names vertex 0; OBJ counts from 1"},
      {V3 "f -4 1 2\n", 0, 0, "test:4: face names vertex -4 of 3"},
      {V3 "f 1 2 99999999999999999999\n", 0, 0, "test:4: face names vertex 99999999999999999999 of 3"},
      {V3 "f 1 2 4294967297\n", 0, 0, "test:4: face names vertex 4294967297 of 3"},
      {V3 "f 1 2 x\n", 0, 0, "test:4: 'x' is not a face's vertex"},
      {V3 "f 1 2 3x\n", 0, 0, "test:4: '3x'"},
      {V3 "f 1 2 3.0\n", 0, 0, "test:4: '3.0'"},
      {V3 "f 1/1/1/1 2 3\n", 0, 0, "test:4: '1/1/1/1'"},
      {V3 "f 1/a 2 3\n", 0, 0, "test:4: '1/a'"},
      {"v 0 0\nf 1 1 1\n", 0, 0, "test:1: a vertex needs three coordinates"},
      {"v 0 0 # 0\nf 1 1 1\n", 0, 0, "test:1: '#'"},
      {"v 0 0 nan\n", 0, 0, "test:1: 'nan' is not a finite"},
      {"\n\nv 0 -inf 0\n", 0, 0, "test:3: '-inf'"},
      {"v 1.#IND 0 0\n", 0, 0, "'1.#IND'"},
      {"v 0 0 1.#QNAN\n", 0, 0, "'1.#QNAN'"},
      {"v 0x10 0 0\n", 0, 0, "'0x10'"},
      {"v 0,5 0 0\n", 0, 0, "'0,5'"},
      {"v 1e400 0 0\n", 0, 0, "test:1: coordinate '1e400' is too large"},
      {"v a_very_long_word_that_goes_on_and_on 0 0\n", 0, 0, "'a_very_long_word_that_go...'"},
      {"v \x01\x7f\xff 0 0\n", 0, 0, "test:1: "},
  };
  CHECK(io_read_obj, samples);
}

#define O3 "0 0 0\n1 0 0\n0 1 0\n"

static void test_off(void **state)
{
  (void)state;
  static const sample samples[] = {
      {"OFF\n3 1 0\n" O3 "3 0 1 2\n", 3, 1, NULL},
      {"OFF 3 1 0\n" O3 "3 0 1 2", 3, 1, NULL},
      {" \tOFF3 1 0 # glued\n" O3 "3 0 1 2", 3, 1, NULL},
      {"# first\nOFF # second\n\n# third\n3 1\n" O3 "\n3 0 1 2", 3, 1, NULL},
      {"OFF\r\n3 1 0\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n", 3, 1, NULL},
      {"OFF\r3 1 0\r0 0 0\r1 0 0\r0 1 0\r3 0 1 2\r", 3, 1, NULL},
      {"3 1 0\n" O3 "3 0 1 2\n", 3, 1, NULL},
      {"OFF\n4 1 0\n" O3 "1 1 0 # corner\n4 0 1 3 2 255 0 0\n", 4, 2, NULL},
      {"OFF\n3 3 0\n" O3 "3 0 1 2\n2 0 1\n1 0\n", 3, 1, "fewer than 3 corners (2)"},
      {"COFF\n3 1 0\n0 0 0 1 0 0 1\n1 0 0 0 0 0 1\n0 1 0 0 0 0 1\n3 0 1 2\n", 3, 1, NULL},
      {"NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n", 3, 1, NULL},
      {"STCNOFF\n3 1 0\n0 0 0 0 0 1 1 1 1 1 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 3, 1, NULL},
      {"STOFF\n3 1 0\n0 0 0 0 0\n1 0 0 0 0\n0 1 0 0 0\n3 0 1 2\n", 3, 1, NULL},
      {"OFF\n3 1 0\n" O3 "3 0 1 2\nmore\n", 3, 1, "from line 7 on"},
      {"COFF\n3 1 0\n0 0 0 \x01\n1 0 0\n0 1 0 \x02 \x03\n3 0 1 2\n", 3, 1,
       NULL}, /* control characters once hung the reader */
      {"OFF\n3 1 0\n" O3 "3 0 1 3\n", 0, 0, "test:6: face names vertex 3 of 3 (counted from 0)"},
      {"OFF\n3 1 0\n" O3 "3 0 1 -1\n", 0, 0, "test:6: face names vertex -1 of 3"},
      {"OFF\n3 1 0\n" O3 "-3 0 1 2\n", 0, 0, "test:6: face of -3 vertices"},
      {"OFF\n3 1 0\n" O3 "3 0 1\n", 0, 0, "the file ends within its 1 faces"},
      {"OFF\n3 1 0\n" O3 "3 0 1 x\n", 0, 0, "test:6: 'x' is not a vertex of a face"},
      {"OFF\n3 1 0\n" O3 "3 0 1 2.0\n", 0, 0, "test:6: '2.0'"},
      {"OFF\n4 1 0\n" O3 "3 0 1 2\n", 0, 0, "test:6: vertex has 4 numbers where 3 were expected"},
      {"OFF\n3 1 0\n0 0 0 1 0 0\n0 1 0\n3 0 1 2\n0 0\n", 0, 0, "test:3: vertex has 6 numbers"},
      {"OFF\n3 1 0\n0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n", 0, 0, "test:3: 'nan'"},
      {"OFF\n4000000000 1 0\n" O3 "3 0 1 2\n", 0, 0,
       "claims 4000000000 vertices and 1 faces, but only 26 bytes follow"},
      {"OFF\n3 4000000000 0\n" O3 "3 0 1 2\n", 0, 0, "claims 3 vertices and 4000000000 faces"},
      {"OFF\n99999999999999999999 1 0\n", 0, 0, "test:2: '99999999999999999999' stands where the number of vertices"},
      {"OFF\n-3 1 0\n", 0, 0, "test:2: '-3'"},
      {"OFF\n3\n", 0, 0, "number of faces"},
      {"OFF\n3 1 0\n" O3 "999999999999999 0 1 2\n", 0, 0, "ends within"},
      {"OFF\n0 0 0\n", 0, 0, "no triangles"},
      {"OFF", 0, 0, "number of vertices"},
      {"4OFF\n3 1 0\n", 0, 0, "test:1: only points with three coordinates are read, not '4OFF'"},
      {"nOFF\n3\n", 0, 0, "three coordinates"},
      {"OFF BINARY\n", 0, 0, "binary OFF is not read; save it as text"},
      {"hello", 0, 0, "does not start with OFF"},
      {"", 0, 0, "does not start with OFF"},
  };
  CHECK(io_read_off, samples);
}

#define FACET(a, b, c) "facet normal 0 0 nan\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"
#define T1 FACET("0 0 0", "1 0 0", "0 1 0")
#define T2 FACET("1 0 -0", "1 1 0", "-0.0 1 0")

static void test_stl_text(void **state)
{
  (void)state;
  static const sample samples[] = {
      {"solid a\n" T1 "endsolid a\n", 3, 1, NULL},
      {"solid\n" T1 T2 "endsolid", 4, 2, NULL},
      {"SOLID A b c\n" T1 "EndSolid\nsolid b\n" T2 "end solid b\n", 4, 2, NULL},
      {"solid a\r\nfacet normal 0 0 1\r\n outer loop\r\n vertex 0 0 0\r\n vertex 1 0 0\r\n vertex 0 1 0\r\n "
       "endloop\r\n endfacet\r\nendsolid",
       3, 1, NULL},
      {"solid a\nendsolid a\n", 0, 0, "no triangles"},
      {"solid a\n" T1, 0, 0, "ends without 'endsolid'"},
      {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", 0, 0,
       "test:5: 'endloop' stands where 'vertex' should"},
      {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", 0, 0, "test:4: a vertex needs three"},
      {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", 0, 0, "test:4: 'inf'"},
      {"solid a\n" FACET("0 0 0", "1 0 0", "0 1 0\nvertex 1 1 0") "endsolid", 0, 0,
       "test:7: 'vertex' stands where 'endloop' should"},
      {"solid a\nfacet normal 0 0 1\nouter", 0, 0, "ends where 'loop' should stand"},
      {"solid a\ncolor 1 2 3\n" T1 "endsolid", 0, 0, "test:2: 'color' stands where 'facet' or 'endsolid' should"},
      {"solid a\n" T1 "endsolid\nrubbish", 0, 0, "'rubbish' stands where 'solid' should"},
      {"hello", 0, 0, "neither text STL"},
      {"", 0, 0, "neither text STL"},
  };
  CHECK(io_read_stl, samples);
}

/* A binary STL of n triangles in a buffer; returns its size. */
static size_t make_stl(unsigned char *out, uint32_t n)
{
  memset(out, ' ', 80);
  memcpy(out, "solid but binary", 16);
  for (int i = 0; i < 4; ++i) out[80 + i] = (unsigned char)(n >> 8 * i);
  for (uint32_t t = 0; t < n; ++t) {
    float values[12] = {0, 0, 1, 0, 0, 0, (float)(t + 1), 0, 0, 0, (float)(t + 1), 0};
    /* little endian is assumed here: the tests run on such machines */
    memcpy(out + 84 + 50 * t, values, 48);
    memset(out + 132 + 50 * t, 0, 2);
  }
  return 84 + 50 * (size_t)n;
}

static void test_stl_binary(void **state)
{
  (void)state;
  unsigned char data[84 + 50 * 4 + 8] = {0};
  size_t size = make_stl(data, 4);
  io_mesh mesh;
  io_error error;
  assert_true(read_bytes(io_read_stl, (char *)data, size, &mesh, &error));
  assert_int_equal(mesh.vertex_count, 9); /* the origin is shared */
  assert_int_equal(mesh.triangle_count, 4);
  assert_false(mesh.is_double);
  assert_string_equal(mesh.note, "");
  io_mesh_free(&mesh);

  memset(data, 0, 80); /* not a "solid" any more: bytes that follow are left out */
  assert_true(read_bytes(io_read_stl, (char *)data, size + 8, &mesh, &error));
  assert_non_null(strstr(mesh.note, "8 bytes"));
  io_mesh_free(&mesh);

  memset(data + 80, 0xff, 4);
  assert_false(read_bytes(io_read_stl, (char *)data, size, &mesh, &error));
  assert_non_null(
      strstr(error.text, "claims 4294967295 triangles, which are 214748364834 bytes, but the file has 284"));

  make_stl(data, 4);
  float nan_value = NAN;
  memcpy(data + 84 + 50 * 2 + 12, &nan_value, 4);
  assert_false(read_bytes(io_read_stl, (char *)data, size, &mesh, &error));
  assert_non_null(strstr(error.text, "triangle 2 has a coordinate that is not finite"));
}

#define HEAD "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define EDGES(n) "element edge " #n "\nproperty int vertex1\nproperty int vertex2\nend_header\n"
#define FACES(n) "element face " #n "\nproperty list uchar int vertex_indices\nend_header\n"

static void test_ply_text(void **state)
{
  (void)state;
  static const sample samples[] = {
      {HEAD "comment a\nobj_info b\nelement vertex 3\n" XYZ FACES(1) O3 "3 0 1 2\n", 3, 1, NULL},
      {HEAD "element vertex 3\n" XYZ FACES(1) "\n" O3 "\n3 0 1 2", 3, 1, NULL},
      {"ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\nproperty float "
       "z\r\nelement face 1\r\n"
       "property list uchar int vertex_index\r\nend_header\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n",
       3, 1, NULL},
      {"ply\rformat ascii 1.0\relement vertex 3\rproperty float x\rproperty float y\rproperty float z\relement face 1\r"
       "property list uchar int vertex_index\rend_header\r0 0 0\r1 0 0\r0 1 0\r3 0 1 2\r",
       3, 1, NULL},
      {HEAD "element vertex 3\nproperty uchar red\nproperty double z\nproperty list int float w\nproperty double "
            "y\nproperty double x\n"
            "element edge 1\nproperty int a\nelement face 1\nproperty list uint8 float32 texcoord\n"
            "property list uint8 uint32 vertex_indices\nproperty float quality\nend_header\n"
            "255 0 2 1 nan 0 0\n9 0 0 0 1\n9 0 1 3 1 0\n7\n6 0 0 1 0 0 1 3 0 1 2 nan\n",
       3, 1, NULL},
      {HEAD "element face 1\nproperty list uchar int vertex_indices\nelement vertex 4\n" XYZ
            "end_header\n4 0 1 3 2\n" O3 "1 1 0\n",
       4, 2, NULL},
      {HEAD "element vertex 4\n" XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" O3
            "1 1 0\n"
            "8 0 1 2 3 -1 1 3 2\n",
       4, 3, NULL},
      {HEAD "element vertex 3\n" XYZ
            "element nothing 4000000000\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n" O3
            "3 0 1 2\n",
       3, 1, NULL},
      {HEAD "element vertex 3\n" XYZ FACES(2) O3 "3 0 1 2\n2 0 1\n", 3, 1, "fewer than 3 corners (1)"},
      {HEAD "element vertex 3\n" XYZ FACES(1) O3 "3 0 1 2\n\n0 0 0\n", 3, 1, "what follows the last element (6 bytes)"},
      {HEAD "element vertex 3\n" XYZ FACES(1) O3 "3 0 1 3\n", 0, 0, "test:13: face names vertex 3 of 3"},
      {HEAD "element vertex 3\n" XYZ FACES(1) O3 "3 0 1 -1\n", 0, 0, "test:13: face names vertex -1 of 3"},
      {HEAD "element vertex 3\n" XYZ FACES(1) O3 "3 0 1 1.5\n", 0, 0, "test:13: 1.5 is not an index"},
      {HEAD "element vertex 3\n" XYZ FACES(1) O3 "-3 0 1 2\n", 0, 0, "test:13: -3 is not the length of a list"},
      {HEAD "element vertex 3\n" XYZ FACES(1) O3 "3 0 1\n", 0, 0, "test:13: the line ends early"},
      {HEAD "element vertex 3\n" XYZ FACES(1) O3 "3 0 1 2 0\n", 0, 0, "test:13: the line holds more values"},
      {HEAD "element vertex 3\n" XYZ FACES(1) "0 0 0\n1 0\n0 1 0\n3 0 1 2\n", 0, 0, "test:11: the line ends early"},
      {HEAD "element vertex 3\n" XYZ FACES(1) "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", 0, 0,
       "test:11: 'nan' is not a finite"},
      {HEAD "element vertex 3\n" XYZ FACES(1) "0 0 0\n1 0 1e999\n0 1 0\n3 0 1 2\n", 0, 0,
       "test:11: '1e999' is too large"},
      {HEAD "element vertex 3\n" XYZ FACES(3) O3 "3 0 1 2\n0\n", 0, 0, "ends before all that the header announces"},
      {HEAD "element vertex 4000000000\n" XYZ FACES(1) O3 "3 0 1 2\n", 0, 0,
       "claims 4000000000 vertices, but only 26 bytes"},
      {HEAD "element vertex 99999999999\n" XYZ FACES(1) O3 "3 0 1 2\n", 0, 0, "4294967294 are the most"},
      {HEAD "element vertex 3\n" XYZ FACES(4000000000) O3 "3 0 1 2\n", 0, 0,
       "claims 4000000000 faces, but only 9 bytes"},
      {HEAD "element vertex -1\n", 0, 0, "test:3: an element needs a name and a count"},
      {HEAD "element vertex\n", 0, 0, "test:3: an element needs a name and a count"},
      {HEAD "element vertex 99999999999999999999\n", 0, 0, "test:3: an element needs a name and a count"},
      {HEAD "property float x\n", 0, 0, "test:3: a property stands before any element"},
      {HEAD "element vertex 3\nproperty half x\n", 0, 0, "test:4: property type 'half' is not known"},
      {HEAD "element vertex 3\nproperty list half int x\n", 0, 0, "test:4: property type 'half' is not known"},
      {HEAD "element vertex 3\nproperty list float int x\n", 0, 0, "test:4: the length of a list must be an integer"},
      {HEAD "element vertex 3\nproperty float\n", 0, 0, "test:4: a property needs a type and a name"},
      {HEAD "element vertex 3\nproperty float x\nproperty float x\n", 0, 0, "test:5: property 'x' is announced twice"},
      {HEAD "element vertex 3\n" XYZ "element vertex 3\n", 0, 0, "test:7: element 'vertex' is announced twice"},
      {HEAD "element vertex 3\nproperty float x\nproperty float y\n" FACES(1), 0, 0, "no x, y and z"},
      {HEAD "element vertex 3\n" XYZ "element face 1\nproperty list uchar int other\nend_header\n", 0, 0,
       "no list vertex_indices"},
      {HEAD "element vertex 3\n" XYZ "element face 1\nproperty list uchar float vertex_indices\nend_header\n", 0, 0,
       "must be integers"},
      {HEAD "element vertex 3\n" XYZ "end_header\n" O3, 3, 3, NULL}, /* points */
      {HEAD "element vertex 3\n" XYZ FACES(0) O3, 3, 3, NULL},
      {HEAD "element vertex 0\n" XYZ "end_header\n", 0, 0, "holds no triangles and no vertices"},
      {HEAD "element vertex 3\n" XYZ "element face 1\nproperty list uchar int vertex_indices\nend_header\n" O3
            "2 0 1\n",
       0, 0, "holds no triangles, only 3 vertices and faces of fewer"},
      {HEAD "element vertex 3\n" XYZ EDGES(2) O3 "0 1\n1 2\n", 3, 2, NULL},
      {HEAD "element vertex 3\n" XYZ EDGES(1) O3 "0 3\n", 0, 0, "edge names vertex 3 of 3"},
      {HEAD "element vertex 3\n" XYZ EDGES(1) O3 "0 -1\n", 0, 0, "edge names vertex -1 of 3"},
      {HEAD "element vertex 3\n" XYZ EDGES(1) O3 "0 0.5\n", 0, 0, "0.5 is not an index"},
      {HEAD "element vertex 3\n" XYZ "element edge 1\nproperty int vertex1\nend_header\n" O3 "0\n", 3, 3, NULL},
      {HEAD "element vertex 3\n" XYZ "element edge 1\nproperty float vertex1\nend_header\n" O3 "0\n", 0, 0,
       "vertex indices must be integers"},
      {HEAD "end_header\n", 0, 0, "holds no vertices"},
      {HEAD "element vertex 3\n", 0, 0, "no end_header"},
      {HEAD "elements vertex 3\n", 0, 0, "test:3: 'elements' is not known in a PLY header"},
      {HEAD "format ascii 1.0\n", 0, 0, "test:3: a second format"},
      {"ply\nelement vertex 3\n", 0, 0, "test:2: the format must come first"},
      {"ply\nformat middle_endian 1.0\n", 0, 0, "test:2: format 'middle_endian' is not known"},
      {"ply\nend_header\n", 0, 0, "format"},
      {"ply", 0, 0, "test:1: does not start with 'ply'"},
      {"", 0, 0, "test:1: does not start with 'ply'"},
  };
  CHECK(io_read_ply, samples);
}

/* Fans and strips: which triangles, and which way round. */
static void test_triangles(void **state)
{
  (void)state;
  static const struct {
    io_reader reader;
    const char *text;
    size_t count;
    uint32_t triangles[9];
  } cases[] = {
      {io_read_obj, V4 "f 1 2 4 3\nf -1 -2 -4", 3, {0, 1, 3, 0, 3, 2, 3, 2, 0}},
      {io_read_off, "OFF\n4 1 0\n" O3 "1 1 0\n4 3 2 0 1\n", 2, {3, 2, 0, 3, 0, 1}},
      {io_read_ply, HEAD "element vertex 4\n" XYZ FACES(1) O3 "1 1 0\n4 3 2 0 1\n", 2, {3, 2, 0, 3, 0, 1}},
      {io_read_ply,
       HEAD "element vertex 4\n" XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" O3
            "1 1 0\n8 0 1 2 3 -1 1 3 2\n",
       3,
       {0, 1, 2, 2, 1, 3, 1, 3, 2}},
      {io_read_stl, "solid\n" T1 T2 "endsolid", 2, {0, 1, 2, 1, 3, 2}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    io_mesh mesh;
    io_error error;
    if (!read_bytes(cases[i].reader, cases[i].text, strlen(cases[i].text), &mesh, &error)) fail_msg("%s", error.text);
    assert_int_equal(mesh.triangle_count, cases[i].count);
    assert_memory_equal(mesh.triangles, cases[i].triangles, 3 * cases[i].count * sizeof(uint32_t));
    io_mesh_free(&mesh);
  }
}

typedef struct writer {
  unsigned char data[512];
  size_t size;
  bool big;
} writer;

static void put(writer *w, const void *value, size_t size)
{
  for (size_t i = 0; i < size; ++i) w->data[w->size++] = ((const unsigned char *)value)[w->big ? size - 1 - i : i];
}

/* Coordinates of every scalar type, in both orders: the same numbers must come out. */
static void test_ply_binary(void **state)
{
  (void)state;
  static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"};
  for (int n = 0; n < 16; ++n) {
    writer w = {.big = n / 8};
    const char *type = types[n % 8];
    w.size = (size_t)snprintf(
        (char *)w.data, sizeof w.data,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty %s x\nproperty short s\nproperty %s y\n"
        "property list ushort double l\nproperty %s z\nelement face 1\nproperty list int ushort vertex_index\n"
        "end_header\n",
        w.big ? "big" : "little", type, type, type);
    for (int i = 0; i < 9; ++i) {
      int value = (i * 37) % 101;
      int8_t a = (int8_t)value;
      uint8_t b = (uint8_t)value;
      int16_t c = (int16_t)value;
      uint16_t d = (uint16_t)value, two = 2;
      int32_t e = value;
      uint32_t f = (uint32_t)value;
      float g = (float)value;
      double h = value, junk = NAN;
      const void *values[] = {&a, &b, &c, &d, &e, &f, &g, &h};
      static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
      put(&w, values[n % 8], sizes[n % 8]);
      if (i % 3 == 0) put(&w, &c, 2);
      if (i % 3 == 1) put(&w, &two, 2), put(&w, &junk, 8), put(&w, &junk, 8);
    }
    int32_t corners = 3;
    put(&w, &corners, 4);
    for (uint16_t i = 0; i < 3; ++i) put(&w, &i, 2);
    io_mesh mesh;
    io_error error;
    if (!read_bytes(io_read_ply, (char *)w.data, w.size, &mesh, &error)) fail_msg("%s", error.text);
    for (int i = 0; i < 9; ++i) assert_true(mesh.xyz[i] == (i * 37) % 101);
    assert_true(mesh.is_double == (n % 8 == 7)); /* by the declared type */
    assert_int_equal(mesh.triangles[2], 2);
    io_mesh_free(&mesh);
    /* A length that the file cannot hold, and one below zero. */
    int32_t wrong[2] = {INT32_MAX, -1};
    for (int k = 0; k < 2; ++k) {
      w.size -= 10;
      put(&w, &wrong[k], 4);
      w.size += 6;
      assert_false(read_bytes(io_read_ply, (char *)w.data, w.size, &mesh, &error));
      assert_non_null(strstr(error.text, "face 0: "));
    }
  }
}

/* Text coordinates are doubles; they count as double as soon as one of them is not a float. */
static void test_precision(void **state)
{
  (void)state;
  static const struct {
    const char *x;
    bool is_double;
  } cases[] = {{"0.5", false},
               {"0.1", true},
               {"16777216", false},
               {"16777217", true},
               {"1e38", true},
               {"1e39", true},
               {"-1e300", true},
               {"3.4028234663852886e38", false},
               {"0.100000001490116119384765625", false},
               {"1e-50", true},
               {"-0", false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[200];
    snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 %s\nf 1 2 3\n", cases[i].x);
    io_mesh mesh;
    io_error error;
    assert_true(read_bytes(io_read_obj, text, strlen(text), &mesh, &error));
    assert_true(mesh.is_double == cases[i].is_double);
    assert_true(mesh.xyz[8] == strtod(cases[i].x, NULL));
    io_mesh_free(&mesh);
  }
}

/* The kind is the content's, not the name's, where the content says so. */
static void test_kinds(void **state)
{
  (void)state;
  static const struct {
    const char *name, *text, *says;
  } cases[] = {
      {"a.obj", HEAD "element vertex 3\n" XYZ FACES(1) O3 "3 0 1 2\n", NULL},
      {"a.ply", "OFF\n3 1 0\n" O3 "3 0 1 2\n", NULL},
      {"a.off", "solid a\n" T1 "endsolid a\n", NULL},
      {"a", "OFF\n3 1 0\n" O3 "3 0 1 2\n", NULL},
      {"A.OBJ", V3 "f 1 2 3", NULL},
      {"a.off", "3 1 0\n" O3 "3 0 1 2\n", NULL},
      {"a.ply", V3 "f 1 2 3", "a.ply:1: does not start with 'ply'"},
      {"a.gltf", "{}", "a.gltf: is a glTF scene, which cannot be a frame of a sequence; name glTF files one by one"},
      {"a.bin", "glTF\2", "is a glTF scene"},
      {"dir.obj/a", "hello", "dir.obj/a: is no"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    io_source source = {cases[i].name, cases[i].text, strlen(cases[i].text)};
    io_mesh mesh;
    io_error error;
    bool ok = io_read_source(&source, &mesh, &error);
    check_outcome(ok, &mesh, &error);
    assert_true(ok == !cases[i].says);
    if (!ok && !strstr(error.text, cases[i].says)) fail_msg("%s", error.text);
    io_mesh_free(&mesh);
  }
}

/* A name that is long or holds control characters still gives one line with the sentence in it. */
static void test_message(void **state)
{
  (void)state;
  io_error error;
  assert_false(io_fail(&error, "a\nb\x1b[31m.obj", 3, "no"));
  assert_string_equal(error.text, "a?b?[31m.obj:3: no");
  char name[2000];
  memset(name, 'x', sizeof name - 1);
  strcpy(name + sizeof name - 5, ".obj");
  assert_false(io_fail(&error, name, 12, "the sentence"));
  assert_non_null(strstr(error.text, "x.obj:12: the sentence"));
  assert_memory_equal(error.text, "...xxx", 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_obj),        cmocka_unit_test(test_off),       cmocka_unit_test(test_stl_text),
      cmocka_unit_test(test_stl_binary), cmocka_unit_test(test_ply_text),  cmocka_unit_test(test_ply_binary),
      cmocka_unit_test(test_triangles),  cmocka_unit_test(test_precision), cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
