// How long contexts, bodies, scenes and stages live. What each has in the module is its holding: an address, blocks of memory, and the
// holdings that were made inside. A holding ends by destroy(), with its parent, or after the garbage collector has found its owner
// unreachable; so it never refers to its owner, which it would keep reachable.

const unreachable = new FinalizationRegistry((holding) => holding.end());

export class Holding {
  // destroyer: name of the module's function that destroys what is at the address; null: what the parent destroys
  constructor(machine, destroyer, parent = null) {
    this.machine = machine;
    this.destroyer = destroyer;
    this.parent = parent;
    this.address = 0;
    this.inside = new Set();
    // Blocks of memory, { at, bytes } or null: positions that a body reads, room for the next ones, and rays.
    this.held = this.spare = this.rays = null;
  }
  begin(owner, address) {
    this.address = address;
    this.parent?.inside.add(this);
    unreachable.register(owner, this, this);
  }
  end() {
    unreachable.unregister(this);
    this.endInside();
    if (this.address && this.destroyer) this.machine.call[this.destroyer](this.address);
    this.address = 0;
    for (const block of [this.held, this.spare, this.rays]) this.machine.release(block?.at);
    this.held = this.spare = this.rays = null;
    this.parent?.inside.delete(this);
  }
  endInside() { for (const holding of [...this.inside]) holding.end(); }
  /** A block of at least so many bytes, in place of one that is smaller or null. */
  larger(block, bytes) {
    if (block !== null && block.bytes >= bytes) return block;
    const at = this.machine.allocate(bytes);
    this.machine.release(block?.at);
    return { at, bytes };
  }
}

// Whoever has a view of an owner's memory keeps the owner reachable.
const owners = new WeakMap();
export function viewOf(owner, view) {
  owners.set(view, owner);
  return view;
}
