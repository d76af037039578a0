// Where three-mesh-bvh was not installed when the page was built.
export const name = null;
export class Other {}
