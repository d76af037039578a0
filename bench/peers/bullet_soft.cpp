// Bullet's soft bodies (3.24, single precision in Debian) on scene S7: the pile of scenes/soft.h, one thread.
//  clusters     pose matching, 16 clusters per body, contacts of clusters with clusters and with the box. A step takes out a fifth of the depth at the
//               box and a tenth between bodies: with Bullet's defaults, all and half, velocities of this pile grew without end. Followed for 240 steps.
//  vertex-face  pose matching, contacts of vertices with faces and with the box
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>
#include <memory>
#include "bench.hpp"
#include "soft.hpp"

struct SoftWorld {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> walls;
  std::vector<std::unique_ptr<btSoftBody>> bodies;

  ~SoftWorld() {
    for (auto& b : bodies) world.removeSoftBody(b.get());
    for (auto& w : walls) world.removeRigidBody(w.get());
  }
  void wall(btVector3 at, btVector3 half) {
    shapes.emplace_back(new btBoxShape(half));
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shapes.back().get());
    info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), at);
    info.m_friction = 0.4f;
    walls.emplace_back(new btRigidBody(info));
    world.addRigidBody(walls.back().get());
  }
  void body(const soft_actor& actor, const scene_mesh& mesh, bool clusters) {
    std::vector<int> corners(mesh.triangles, mesh.triangles + 3 * mesh.triangle_count);
    btSoftBody* b = btSoftBodyHelpers::CreateFromTriMesh(world.getWorldInfo(), mesh.rest, corners.data(), int(mesh.triangle_count), false);
    bodies.emplace_back(b);
    b->m_cfg.kMT = 0.7f;  // pulls to the matched pose as a stretch of 0.3 does
    b->m_cfg.kDF = 0.4f;
    b->m_cfg.kDP = 0.002f;
    b->m_cfg.collisions = clusters ? btSoftBody::fCollision::CL_SS + btSoftBody::fCollision::CL_RS
                                   : btSoftBody::fCollision::VF_SS + btSoftBody::fCollision::SDF_RS;
    b->m_cfg.kSKHR_CL = 0.2f;
    b->m_cfg.kSSHR_CL = 0.1f;
    b->getCollisionShape()->setMargin(0.02f);
    b->setTotalMass(1, true);
    b->transform(btTransform(btQuaternion(btScalar(actor.rotation[0]), btScalar(actor.rotation[1]), btScalar(actor.rotation[2]), btScalar(actor.rotation[3])),
                             btVector3(btScalar(actor.position[0]), btScalar(actor.position[1]), btScalar(actor.position[2]))));
    b->setPose(false, true);
    if (clusters) b->generateClusters(16);
    world.addSoftBody(b);
  }
  double speed() const {  // root mean square over nodes, by mass
    double sum = 0, mass = 0;
    for (auto& b : bodies)
      for (int i = 0; i < b->m_nodes.size(); ++i) {
        double m = 1 / double(b->m_nodes[i].m_im);
        sum += m * double(b->m_nodes[i].m_v.length2()), mass += m;
      }
    return std::sqrt(sum / mass);
  }
};

static void play(const soft::Size& size, const std::string& variant) {
  soft_scene scene;
  if (!soft_scene_pile(size.bodies, &scene)) exit(2);
  SoftWorld w;
  w.world.setGravity(btVector3(0, -9.81f, 0));
  w.world.getWorldInfo().m_gravity.setValue(0, -9.81f, 0);
  w.world.getWorldInfo().m_sparsesdf.Initialize();
  float half = float(scene.box / 2), far = 20;
  w.wall(btVector3(0, -1, 0), btVector3(far, 1, far));
  for (float side : {-1.f, 1.f}) {
    w.wall(btVector3(side * (half + 1), far, 0), btVector3(1, far, far));
    w.wall(btVector3(0, far, side * (half + 1)), btVector3(far, far, 1));
  }
  for (size_t i = 0; i < scene.actor_count; ++i)
    w.body(scene.actors[i], scene.meshes[scene.actors[i].mesh], variant == "clusters");
  soft::Timer timer(size);
  for (int i = 0; i < size.steps; ++i) {
    timer.step(i, [&] { w.world.stepSimulation(1 / 60.f, 0, 1 / 60.f); });
    if (w.speed() < 1000) continue;  // false for NaN
    fprintf(stderr, "bullet_soft: %s: velocities grow without end after step %d; its times mean nothing and are left out\n", variant.c_str(), i + 1);
    exit(2);
  }
  timer.report("bullet", variant, w.speed());
  soft_scene_free(&scene);
}

int main(int argc, char** argv) {
  soft::Size size(argc, argv);
  for (const char* variant : {"clusters", "vertex-face"})
    if (size.want(variant)) play(size, variant);
}
