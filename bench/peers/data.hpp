// S3 on meshes that we did not make: a captured dancer, and two closed irregular meshes. They stand beside the checkout, in ../shared/data, with the
// number of their self-intersecting pairs; where they are missing, a note says so and the rest is played.
#pragma once
#include <string>
#include "bench.hpp"
#include "meshes.hpp"

namespace scene {

struct Captured {
  std::string name;
  std::vector<int> frames;
  std::vector<long> pairs;  // of each frame, from the README of the data
  Mesh mesh;
  std::vector<std::vector<V3>> poses;
  void pose(size_t f) { std::copy(poses[f].begin(), poses[f].end(), mesh.pos.begin()); }
};

// Positions of an OBJ file, and its faces cut into fans. false: the file is not there.
inline bool read_obj(const std::string& path, std::vector<V3>& xyz, std::vector<Tri>& tri) {
  FILE* f = fopen(path.c_str(), "r");
  if (!f) return false;
  char line[1024];
  while (fgets(line, sizeof line, f)) {
    if (!strncmp(line, "v ", 2)) {
      V3 p;
      if (sscanf(line + 2, "%f %f %f", &p.x, &p.y, &p.z) == 3) xyz.push_back(p);
    } else if (!strncmp(line, "f ", 2)) {
      std::vector<uint32_t> corner;
      for (char* word = strtok(line + 2, " \t\r\n"); word; word = strtok(nullptr, " \t\r\n"))
        corner.push_back(uint32_t(atol(word) - 1));
      for (size_t k = 2; k < corner.size(); ++k) tri.push_back({{corner[0], corner[k - 1], corner[k]}});
    }
  }
  fclose(f);
  return true;
}

inline bool read_frames(const std::string& before, const std::string& after, Captured& c) {
  for (int frame : c.frames) {
    std::vector<V3> xyz;
    std::vector<Tri> tri;
    std::string number = c.frames.size() > 1 ? std::to_string(frame) : "";
    if (!read_obj(std::string(PEERS_DATA) + before + number + after, xyz, tri)) return false;
    if (c.poses.empty()) c.mesh.tri = tri;
    c.poses.push_back(xyz);
  }
  c.mesh.rest = c.poses[0];
  c.mesh.pos.assign(c.mesh.nv() + 1, V3{0, 0, 0});
  c.pose(0);
  return true;
}

inline std::vector<Captured> captured(const bench::Args& args, bool say) {
  struct File { const char *name, *before, *after; std::vector<int> frames; std::vector<long> pairs; };
  const File files[] = {{"Rumba", "/sequences/Rumba_Dancing/shell", ".obj", {0, 5, 11}, {496, 495, 495}},
                        {"rocker-arm", "/static/rocker-arm", ".obj", {0}, {0}},
                        {"armadillo", "/static/armadillo", ".obj", {0}, {0}}};
  std::vector<Captured> out;
  for (const File& f : files) {
    Captured c;
    c.name = f.name;
    c.frames = f.frames;
    c.pairs = f.pairs;
    if (!read_frames(f.before, f.after, c)) {
      if (say) fprintf(stderr, "peers: %s is left out of S3: its files are not in ../shared/data\n", f.name);
    } else if (long(c.mesh.nt()) <= args.max) {
      out.push_back(std::move(c));
    }
  }
  return out;
}

}  // namespace scene
