// Drawing with WebGL2: triangles from textures (positions of a frame, indices, marks), so that only what has moved is sent; boxes,
// lines and points. Flat shading from derivatives: no normals are needed.

const WIDTH = 1024; // texels in a row

const MESH_VERTEX = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D; precision highp usampler2D;
uniform sampler2D positions; uniform usampler2D indices; uniform usampler2D marks; uniform mat4 view;
out vec3 world; out vec3 corner; flat out uint mark;
ivec2 place(int i) { return ivec2(i % ${WIDTH}, i / ${WIDTH}); }
void main() {
  uint vertex = texelFetch(indices, place(gl_VertexID), 0).r;
  world = texelFetch(positions, place(int(vertex)), 0).xyz;
  mark = texelFetch(marks, place(gl_VertexID / 3), 0).r;
  int k = gl_VertexID % 3;
  corner = vec3(k == 0, k == 1, k == 2);
  gl_Position = view * vec4(world, 1);
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float; precision highp int;
in vec3 world; in vec3 corner; flat in uint mark;
uniform vec3 colour; uniform vec3 touching; uniform vec3 eye; uniform float lines; uniform float opacity; uniform float only;
out vec4 pixel;
void main() {
  if (only > 0.0 && mark == 0u) discard;
  vec3 n = normalize(cross(dFdx(world), dFdy(world))), to = normalize(eye - world);
  if (dot(n, to) < 0.0) n = -n;
  float light = 0.42 + 0.5 * max(dot(n, normalize(to + vec3(0.25, 0.6, 0.2))), 0.0) + 0.08 * n.y;
  bool hit = mark != 0u;
  vec3 base = hit ? touching : colour;
  if (lines > 0.0) {
    vec3 w = fwidth(corner), e = smoothstep(w * 0.6, w * 1.4, corner);
    base *= mix(0.62, 1.0, min(e.x, min(e.y, e.z)));
  }
  pixel = vec4(base * (hit ? 0.35 + 0.75 * light : light), hit ? 1.0 : opacity);
}`;

const BOX_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 unit; layout(location = 1) in vec3 lower; layout(location = 2) in vec3 upper; layout(location = 3) in float kind;
uniform mat4 view; uniform mat4 model; uniform vec3 colours[4];
out vec3 colour;
void main() {
  colour = colours[int(kind)];
  gl_Position = view * model * vec4(mix(lower, upper, unit), 1);
}`;

const LINE_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 at;
uniform mat4 view; uniform vec3 tint; uniform float size;
out vec3 colour;
void main() { colour = tint; gl_Position = view * vec4(at, 1); gl_PointSize = size; }`;

const PLAIN_FRAGMENT = `#version 300 es
precision highp float;
in vec3 colour; uniform float opacity; uniform float round; out vec4 pixel;
void main() {
  if (round > 0.0 && length(gl_PointCoord - 0.5) > 0.5) discard;
  pixel = vec4(colour, opacity);
}`;

// Corners of the 12 edges of the unit cube.
const EDGES = new Float32Array([
  0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0,
  0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1,
]);

export class Drawing {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL2, which the page draws with; use a current Chrome, Firefox, Edge or Safari");
    this.gl = gl;
    this.canvas = canvas;
    this.mesh = program(gl, MESH_VERTEX, MESH_FRAGMENT);
    this.box = program(gl, BOX_VERTEX, PLAIN_FRAGMENT);
    this.line = program(gl, LINE_VERTEX, PLAIN_FRAGMENT);
    this.empty = gl.createVertexArray();
    this.boxArray = gl.createVertexArray();
    this.boxData = gl.createBuffer();
    gl.bindVertexArray(this.boxArray);
    const edges = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, edges);
    gl.bufferData(gl.ARRAY_BUFFER, EDGES, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.boxData);
    for (const [place, size, offset] of [[1, 3, 0], [2, 3, 12], [3, 1, 24]]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 28, offset);
      gl.vertexAttribDivisor(place, 1);
    }
    this.lineArray = gl.createVertexArray();
    this.lineData = gl.createBuffer();
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineData);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.parts = [];
  }

  // triangles: Uint32Array; room for as many vertices.
  setParts(parts) {
    const gl = this.gl;
    for (const part of this.parts) for (const t of [part.positions, part.indices, part.marks]) gl.deleteTexture(t);
    this.parts = parts.map(({ triangles, vertexCount }) => ({
      count: triangles.length,
      vertexCount,
      positions: texture(gl, gl.RGB32F, vertexCount),
      indices: filled(gl, texture(gl, gl.R32UI, triangles.length), gl.RED_INTEGER, gl.UNSIGNED_INT, triangles, 1),
      marks: texture(gl, gl.R8UI, triangles.length / 3),
    }));
  }
  // As many as before.
  setTriangles(i, triangles) { filled(this.gl, this.parts[i].indices, this.gl.RED_INTEGER, this.gl.UNSIGNED_INT, triangles, 1); }
  setPositions(i, xyz) { filled(this.gl, this.parts[i].positions, this.gl.RGB, this.gl.FLOAT, xyz, 3); }
  setMarks(i, marks) { filled(this.gl, this.parts[i].marks, this.gl.RED_INTEGER, this.gl.UNSIGNED_BYTE, marks, 1); }

  begin(background) {
    const gl = this.gl, ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    const w = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), h = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) Object.assign(this.canvas, { width: w, height: h });
    gl.viewport(0, 0, w, h);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }
  // through: bodies fade, and what touches is drawn over them.
  drawParts(view, eye, { through, ...how }) {
    const gl = this.gl;
    this.drawPass(view, eye, { ...how, opacity: through ? 0.22 : how.opacity }, false, !through);
    if (!through) return;
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawPass(view, eye, { ...how, opacity: 1 }, true, true);
  }
  drawPass(view, eye, { colours, touching, lines, opacity }, only, solid) {
    const gl = this.gl, p = this.mesh;
    gl.useProgram(p.program);
    gl.bindVertexArray(this.empty);
    gl.uniformMatrix4fv(p.at("view"), false, view);
    gl.uniform3fv(p.at("eye"), eye);
    gl.uniform3fv(p.at("touching"), touching);
    gl.uniform1f(p.at("lines"), lines ? 1 : 0);
    gl.uniform1f(p.at("opacity"), opacity);
    gl.uniform1f(p.at("only"), only ? 1 : 0);
    gl.depthMask(solid);
    ["positions", "indices", "marks"].forEach((name, unit) => gl.uniform1i(p.at(name), unit));
    if (opacity < 1) gl.enable(gl.BLEND);
    this.parts.forEach((part, i) => {
      gl.uniform3fv(p.at("colour"), colours[i % colours.length]);
      [part.positions, part.indices, part.marks].forEach((t, unit) => {
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(gl.TEXTURE_2D, t);
      });
      gl.drawArrays(gl.TRIANGLES, 0, part.count);
    });
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
  // data: lower, upper and the number of a colour for each box.
  drawBoxes(view, model, data, colours, opacity) {
    const gl = this.gl, p = this.box;
    if (!data.length) return;
    gl.useProgram(p.program);
    gl.bindVertexArray(this.boxArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.boxData);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.uniformMatrix4fv(p.at("view"), false, view);
    gl.uniformMatrix4fv(p.at("model"), false, model);
    gl.uniform3fv(p.at("colours"), colours.flat());
    gl.uniform1f(p.at("opacity"), opacity);
    gl.uniform1f(p.at("round"), 0);
    gl.enable(gl.BLEND);
    gl.drawArraysInstanced(gl.LINES, 0, 24, data.length / 7);
    gl.disable(gl.BLEND);
  }
  // On top of everything.
  drawLine(view, points, tint, size) {
    const gl = this.gl, p = this.line;
    gl.useProgram(p.program);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineData);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
    gl.uniformMatrix4fv(p.at("view"), false, view);
    gl.uniform3fv(p.at("tint"), tint);
    gl.uniform1f(p.at("opacity"), 1);
    gl.disable(gl.DEPTH_TEST);
    gl.uniform1f(p.at("round"), 0);
    if (points.length >= 6) gl.drawArrays(gl.LINES, 0, points.length / 3);
    gl.uniform1f(p.at("round"), 1);
    gl.uniform1f(p.at("size"), size * Math.min(globalThis.devicePixelRatio || 1, 2));
    gl.drawArrays(gl.POINTS, 0, points.length / 3);
    gl.enable(gl.DEPTH_TEST);
  }
}

function program(gl, vertex, fragment) {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(`shader: ${gl.getShaderInfoLog(shader)}`);
    gl.attachShader(p, shader);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(`shader: ${gl.getProgramInfoLog(p)}`);
  const places = new Map();
  return {
    program: p,
    at(name) {
      if (!places.has(name)) places.set(name, gl.getUniformLocation(p, name));
      return places.get(name);
    },
  };
}

function texture(gl, format, count) {
  const t = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, t);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, WIDTH, Math.max(1, Math.ceil(count / WIDTH)));
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
  return t;
}

function filled(gl, t, format, type, data, width) {
  const count = data.length / width, rows = Math.floor(count / WIDTH), rest = count - rows * WIDTH;
  gl.bindTexture(gl.TEXTURE_2D, t);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  if (rows) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDTH, rows, format, type, data.subarray(0, rows * WIDTH * width));
  if (rest) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, rest, 1, format, type, data.subarray(rows * WIDTH * width));
  return t;
}
