/* Skins of glTF files that are written here: what such files may leave out, and what is refused. */
#include "io/gltf_support.h"

#ifdef PLIANT_HAVE_JANSSON

/* Bytes of the buffer: positions of 4 vertices at 0 (48), indices at 48 (6 x u16, 12), joints of
 * two sets as bytes at 60 (16 each), weights of the first set as bytes at 92 (16), of the second
 * as floats at 108 (64), inverse bind matrices at 172 (2 x 64), deltas at 300 (48), more joints,
 * as u16, at 348 (32). */
enum { MADE = 380 };

typedef struct made {
  float positions[12];
  uint16_t indices[6];
  uint8_t joints[2][16];
  uint8_t weights[16];
  float more_weights[16];
  float inverse[2][16];
  float deltas[12];
  uint16_t other_joints[16];
} made;

static made made_default(void)
{
  made m = {.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1}, .indices = {0, 1, 2, 1, 3, 2}};
  for (int v = 0; v < 4; ++v) {
    m.joints[0][4 * v + 1] = 1;
    m.weights[4 * v] = (uint8_t)(200 - 40 * v); /* not normalised: 200:50, 160:50, ... */
    m.weights[4 * v + 1] = 50;
    m.joints[1][4 * v + 2] = 1;
    m.more_weights[4 * v + 2] = 0.5f;
    m.other_joints[4 * v] = 1;
    m.deltas[3 * v + 2] = (float)(v + 1);
  }
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 4; ++i) m.inverse[k][5 * i] = 1;
  m.inverse[1][12] = -1; /* joint 1 is at x = 1 at rest */
  return m;
}

static const char MADE_TEXT[] =
    "{'asset':{'version':'2.0'},'buffers':[{'byteLength':380,'uri':'data:application/octet-stream;base64,%s'}],"
    "'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,'byteOffset':48,'byteLength':12},"
    "{'buffer':0,'byteOffset':60,'byteLength':16},{'buffer':0,'byteOffset':76,'byteLength':16},"
    "{'buffer':0,'byteOffset':92,'byteLength':16},{'buffer':0,'byteOffset':108,'byteLength':64},"
    "{'buffer':0,'byteOffset':172,'byteLength':128},{'buffer':0,'byteOffset':300,'byteLength':48},"
    "{'buffer':0,'byteOffset':348,'byteLength':32}],"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"
    "{'bufferView':1,'componentType':5123,'count':6,'type':'SCALAR'},"
    "{'bufferView':2,'componentType':5121,'count':4,'type':'VEC4'},{'bufferView':3,'componentType':5121,'count':4,'"
    "type':'VEC4'},"
    "{'bufferView':4,'componentType':5121,'normalized':true,'count':4,'type':'VEC4'},"
    "{'bufferView':5,'componentType':5126,'count':4,'type':'VEC4'},"
    "{'bufferView':6,'componentType':5126,'count':2,'type':'MAT4'},{'bufferView':7,'componentType':5126,'count':4,'"
    "type':'VEC3'},"
    "{'bufferView':8,'componentType':5123,'count':4,'type':'VEC4'}],"
    "%s}";

static gltf_scene *read_made(const made *m, const char *rest, io_error *error)
{
  unsigned char bytes[MADE];
  _Static_assert(sizeof(made) == MADE, "the parts stand one behind the other");
  memcpy(bytes, m, MADE);
  char data[600], *text = malloc(8192);
  base64(bytes, MADE, data);
  int n = snprintf(text, 8192, MADE_TEXT, data, rest);
  assert_true(n > 0 && n < 8192);
  for (char *p = text; *p; ++p)
    if (*p == '\'') *p = '"';
  gltf_scene *s = NULL;
  bool ok = gltf_read_source(&(io_source){"made", text, (size_t)n}, NULL, NULL, &s, error);
  check_scene(ok, s, error);
  free(text);
  return s;
}

#define NODES                                                                                                          \
  "'scenes':[{'nodes':[0,1]}],'nodes':[{'name':'body','mesh':0,'skin':0,'translation':[7,0,0]},"                       \
  "{'name':'root','children':[2],'translation':[0,0,5]},{'name':'tip','translation':[1,0,2]}]"
#define PRIMITIVE(more) "{'attributes':{'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':4" more "},'indices':1}"
#define SKIN "'skins':[{'joints':[1,2],'inverseBindMatrices':6}]"

static void assert_at(const gltf_scene *s, size_t body, size_t vertex, double x, double y, double z)
{
  gltf_pose *pose;
  io_error error;
  double *xyz = malloc(3 * gltf_body_at(s, body)->mesh->vertex_count * sizeof *xyz);
  assert_true(gltf_pose_create(s, &pose, &error) && gltf_pose_positions(pose, body, xyz, &error));
  const double *q = xyz + 3 * vertex, want[3] = {x, y, z};
  for (int i = 0; i < 3; ++i)
    if (fabs(q[i] - want[i]) > 1e-12)
      fail_msg("vertex %zu is at %.17g %.17g %.17g instead of %g %g %g", vertex, q[0], q[1], q[2], x, y, z);
  free(xyz);
  gltf_pose_free(pose);
}

static gltf_scene *read_good(const made *m, const char *rest, const char *note)
{
  io_error error = {""};
  gltf_scene *s = read_made(m, rest, &error);
  if (!s) fail_msg("%s", error.text);
  assert_string_equal(gltf_note(s), note);
  return s;
}

/* The node's own translation does not count; weights of 200 and 50 are 0.8 and 0.2. */
static void weights_are_normalised(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s = read_good(&m, "'meshes':[{'primitives':[" PRIMITIVE("") "]}]," SKIN "," NODES, "");
  assert_int_equal(gltf_body_at(s, 0)->bone_count, 3);
  assert_at(s, 0, 0, 0, 0, 5 + 0.2 * 2);
  assert_at(s, 0, 3, 1, 1, 1 + 5 + 50. / 130 * 2);
  gltf_free(s);
  s = read_good(&m, "'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1,2]}]," NODES, "");
  /* without inverse bind matrices: the joint's own shift of x = 1 counts */
  assert_at(s, 0, 0, 0.2, 0, 5 + 0.2 * 2);
  gltf_free(s);
}

/* Floats of the second set beside bytes of the first: 200/255 + 50/255 + 0.5. */
static void several_sets_are_used(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s =
      read_good(&m, "'meshes':[{'primitives':[" PRIMITIVE(",'JOINTS_1':3,'WEIGHTS_1':5") "]}]," SKIN "," NODES, "");
  double second = (50. / 255 + 0.5) / (250. / 255 + 0.5);
  assert_int_equal(gltf_body_at(s, 0)->mesh->influences, 8);
  assert_at(s, 0, 0, 0, 0, 5 + 2 * second);
  gltf_free(s);
}

/* Parts with the same positions and other joints do not share vertices, those with the same do;
 * one without joints follows its node. */
static void primitives_have_joints_of_their_own(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s = read_good(&m,
                            "'meshes':[{'primitives':[" PRIMITIVE("") "," PRIMITIVE(
                                "") ",{'attributes':{'POSITION':0,'JOINTS_0':8,'WEIGHTS_0':4},'indices':1},{'"
                                    "attributes':{'POSITION':0},'indices':1}]}]," SKIN "," NODES,
                            "left out: 4 skinned vertices without weights (they follow the node)");
  assert_int_equal(gltf_body_at(s, 0)->mesh->vertex_count, 12);
  assert_int_equal(gltf_body_at(s, 0)->mesh->triangle_count, 8);
  assert_at(s, 0, 0, 0, 0, 5.4);
  assert_at(s, 0, 4, 0, 0, 5 + 0.8 * 2);
  assert_at(s, 0, 8, 7, 0, 0);
  gltf_free(s);
}

static void morph_targets_come_before_the_skin(void **state)
{
  (void)state;
  made m = made_default();
  m.inverse[1][0] = 3; /* joint 1 stretches x, and the target lifts z */
  gltf_scene *s = read_good(&m,
                            "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':4},'indices'"
                            ":1,'targets':[{'POSITION':7}]}],"
                            "'weights':[0.5]}]," SKIN "," NODES,
                            "");
  assert_true(gltf_body_at(s, 0)->morphs && gltf_body_at(s, 0)->has_skin);
  assert_at(s, 0, 1, 1 * 160. / 210 + 3 * 50. / 210, 0, 0.5 * 2 + 5 + 2 * 50. / 210);
  gltf_free(s);
}

/* Two bodies on one skeleton, one of them on a skin with fewer joints; a skeleton below
 * another's joint and out of the scene. */
static void skeletons_are_shared_and_nested(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s = read_good(
      &m,
      "'meshes':[{'primitives':[" PRIMITIVE(
          "") "]}],"
              "'skins':[{'joints':[1,2],'inverseBindMatrices':6},{'joints':[2],'inverseBindMatrices':6},{'joints':[4,5]"
              "}],"
              "'scenes':[{'nodes':[0,1,3,6]}],'nodes':[{'mesh':0,'skin':0},{'children':[2],'translation':[0,0,5]},"
              "{'translation':[1,0,2]},{'mesh':0,'skin':1,'translation':[0,100,0]},"
              "{'translation':[0,0,9],'children':[5]},{'scale':[2,2,2]},{'mesh':0,'skin':2}]",
      "left out: 1 joints that a skin does not have (their weights follow the node)");
  assert_int_equal(gltf_body_count(s), 3);
  assert_at(s, 0, 0, 0, 0, 5.4);
  assert_at(s, 1, 0, 0.8, 0.2 * 100, 0.8 * 7);
  assert_at(s, 2, 1, 1 * 160. / 210 + 2 * 50. / 210, 0, 9);
  gltf_free(s);
}

static void odd_weights_are_left_out(void **state)
{
  (void)state;
  made m = made_default();
  m.more_weights[2] = -0.5f;
  for (int k = 0; k < 4; ++k) m.more_weights[8 + k] = m.more_weights[12 + k] = 0;
  m.joints[1][6] = 200;
  m.joints[0][3] = 255; /* a weight of 0 */
  gltf_scene *s =
      read_good(&m,
                "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':3,'WEIGHTS_0':5},'indices':1}]}]," SKIN
                "," NODES,
                "left out: 1 weights below 0 or of no joint, 199 joints that a skin does not have (their weights "
                "follow the node), "
                "3 skinned vertices without weights (they follow the node)");
  assert_at(s, 0, 0, 7, 0, 0);
  assert_at(s, 0, 1, 8, 0, 0);
  gltf_free(s);
}

static void broken_skins_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *rest, *says;
  } cases[] = {
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{}]," NODES, "skin 0 has no joints"},
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1,7]}]," NODES,
       "skin 0: joint 1 is not one of the 3 nodes"},
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1,2,1],'inverseBindMatrices':6}]," NODES,
       "skin 0 has 3 joints and 2 inverse bind matrices"},
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1],'inverseBindMatrices':0}]," NODES,
       "accessor 0 is not MAT4 of floats"},
      {"'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':0,'WEIGHTS_0':4},'indices':1}]}]," SKIN
       "," NODES,
       "mesh 0, primitive 0: its JOINTS_0 (accessor 0) are not VEC4"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    made m = made_default();
    io_error error = {""};
    assert_null(read_made(&m, cases[i].rest, &error));
    if (!strstr(error.text, cases[i].says)) fail_msg("%s instead of %s", error.text, cases[i].says);
  }
  made m = made_default();
  m.inverse[0][3] = 1;
  io_error error = {""};
  assert_null(read_made(&m, "'meshes':[{'primitives':[" PRIMITIVE("") "]}]," SKIN "," NODES, &error));
  assert_non_null(strstr(error.text, "the last row of the inverse bind matrix of joint 0 is not 0 0 0 1"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_normalised),
      cmocka_unit_test(several_sets_are_used),
      cmocka_unit_test(primitives_have_joints_of_their_own),
      cmocka_unit_test(morph_targets_come_before_the_skin),
      cmocka_unit_test(skeletons_are_shared_and_nested),
      cmocka_unit_test(odd_weights_are_left_out),
      cmocka_unit_test(broken_skins_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without jansson");
  return 0;
}
#endif
