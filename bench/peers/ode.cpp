// ODE 0.16 (OPCODE trimesh; dReal is double in Debian, OPCODE works in float).
// dCollide() of two trimeshes gives merged contacts, at most 65535 of them,
// never the list of triangle pairs; the pairs below are those that the contacts
// name.
#include <ode/ode.h>
#include <cstdarg>
#include <set>
#include "drivers.hpp"
using namespace scene;

struct Body {
  Mesh* m = nullptr;
  dTriMeshDataID data = nullptr;
  dGeomID geom = nullptr;
  void build(Mesh& mm) {
    m = &mm;
    data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, m->pos.data(), sizeof(V3), int(m->nv()), m->tri.data(), int(3 * m->nt()),
                                sizeof(Tri));
    geom = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr);
    dGeomTriMeshEnableTC(geom, dTriMeshClass, 0);
  }
  void update() {
    dGeomTriMeshDataUpdate(data);     // refit
    dGeomTriMeshSetData(geom, data);  // marks the geom's own box as stale
  }
  ~Body() {
    if (geom) dGeomDestroy(geom);
    if (data) dGeomTriMeshDataDestroy(data);
  }
};

struct Two {
  std::string variant = "opcode/refit";
  int threads = 1;
  Body a, b;
  std::vector<dContactGeom> c = std::vector<dContactGeom>(65535);
  double bytes = 0;
  void build(Mesh& x, Mesh& y) {
    double h = drive::heap_bytes();
    a.build(x);
    b.build(y);
    bytes = drive::heap_bytes() - h;
  }
  double tree_bytes() { return bytes; }
  void prepare() {}
  void update() { a.update(); b.update(); }
  long all() {
    int n = dCollide(a.geom, b.geom, 65535, c.data(), sizeof(dContactGeom));
    std::set<std::pair<int, int>> s;
    for (int i = 0; i < n; ++i) s.insert({c[i].side1, c[i].side2});
    return long(s.size());
  }
  int first() { return dCollide(a.geom, b.geom, 1 | CONTACTS_UNIMPORTANT, c.data(), sizeof(dContactGeom)) > 0; }
};

struct Rays {
  std::string variant = "opcode/refit";
  std::vector<Body> b{S4_BODIES};
  dGeomID ray = nullptr;
  void build(std::vector<Mesh>& m) {
    for (size_t i = 0; i < b.size(); ++i) b[i].build(m[i]);
    ray = dCreateRay(nullptr, 1);
    dGeomRaySetBackfaceCull(ray, 0);
  }
  void update() { for (auto& x : b) x.update(); }
  void aim(V3 o, V3 d, float len) {
    dGeomRaySet(ray, o.x, o.y, o.z, d.x, d.y, d.z);
    dGeomRaySetLength(ray, len);
  }
  bool occluded(V3 o, V3 d) {
    aim(o, d, std::sqrt(dot(d, d)));
    dGeomRaySetFirstContact(ray, 1);
    dGeomRaySetClosestHit(ray, 0);
    dContactGeom c;
    for (auto& x : b)
      if (dCollide(ray, x.geom, 1, &c, sizeof c)) return true;
    return false;
  }
  bool closest(V3 o, V3 d, bool, V3& p, V3& n, unsigned& body) {
    float len = 30;
    bool hit = false;
    dContactGeom c;
    dGeomRaySetFirstContact(ray, 0);
    dGeomRaySetClosestHit(ray, 1);
    for (size_t i = 0; i < b.size(); ++i) {
      aim(o, d, len);
      if (!dCollide(ray, b[i].geom, 1, &c, sizeof c) || c.depth >= len) continue;
      hit = true;
      len = float(c.depth);
      body = unsigned(i);
      p = {float(c.pos[0]), float(c.pos[1]), float(c.pos[2])};
      n = normalize({float(c.normal[0]), float(c.normal[1]), float(c.normal[2])});
    }
    if (hit && dot(n, d) > 0) n = n * -1.0f;
    return hit;
  }
};

// Trimesh pairs flood stderr with hash-table warnings, at a cost in time.
static void quiet(int, const char*, va_list) {}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  dSetMessageHandler(quiet);
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  if (args.want("S1"))
    for (int n : S1_SIZES) {
      if (n > args.max) continue;
      Two p;
      drive::pairs(args, "ode", "S1", n, p, n > 20480 ? 1 : 5);
    }
  if (args.want("S1P") && S1P_SIZES[0] <= args.max) { Two p; drive::pairs(args, "ode", "S1P", S1P_SIZES[0], p, 5); }
  if (args.want("S4")) { Rays p; drive::rays(args, "ode", p, 15); }
  bench::Row{"ode", "-", "-", 0, 0}.out("peak_rss", bench::peak_rss_mb(), "MB");
  dCloseODE();
}
