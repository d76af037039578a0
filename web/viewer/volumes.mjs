// Boxes of one level of each tree, or of the front: volumes that are current and have no current child.

/** For each part: lower, upper and freshness (3: of the front) of each box, and the matrix that moves them to their place. */
export function readVolumes(parts, wanted, onlyFront) {
  return parts.map(({ body }) => {
    const { levels, toWorld: t } = body.volumes(0), rows = [];
    let current = null; // parents with a current child
    for (let level = onlyFront ? levels - 1 : Math.min(wanted, levels - 1); level >= 0; --level) {
      const v = body.volumes(level), above = new Set();
      for (let i = 0; i < v.count; ++i) {
        const isCurrent = v.fresh[i] !== 0;
        if (isCurrent) above.add(v.parent[i]);
        if (onlyFront ? isCurrent && !current?.has(i) : v.boxes.length > 0) rows.push(...v.boxes.subarray(6 * i, 6 * i + 6), onlyFront ? 3 : v.fresh[i]);
      }
      current = above;
      if (!onlyFront) break;
    }
    const model = new Float32Array([t[0], t[3], t[6], 0, t[1], t[4], t[7], 0, t[2], t[5], t[8], 0, t[9], t[10], t[11], 1]);
    return { data: new Float32Array(rows), model };
  });
}
