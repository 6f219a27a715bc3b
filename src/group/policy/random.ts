// Which size comes next at random? The n-th follows from the seed and n alone, so that a restart of
// the operator goes on where it was.

/** Both bounds included; each size is as likely as any other. */
export function drawnSize(seed: number, number: number, least: number, most: number): number {
  const part = mixed(mixed(seed >>> 0) ^ mixed(number >>> 0)) / 2 ** 32;
  return least + Math.floor(part * (most - least + 1));
}

/** Scatters the bits of a 32-bit number over all others (murmur3's last step, twice). */
function mixed(value: number): number {
  let bits = (value + 0x9e3779b9) >>> 0;
  for (let round = 0; round < 2; round += 1) {
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    bits = (bits ^ (bits >>> 16)) >>> 0;
  }
  return bits;
}
