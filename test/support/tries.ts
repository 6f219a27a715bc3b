// How often does a test try a property, a story or an input? SWARM_RUNS=3, as in CI and for
// mutants, tries three times as often as `npm test`.
const text = process.env['SWARM_RUNS'] ?? '1';
const factor = Number(text);
// Otherwise a property would pass without a single try.
if (!(factor > 0 && Number.isFinite(factor)))
  throw new Error(`SWARM_RUNS is ${JSON.stringify(text)}; allowed is a number above 0, such as 3`);

export const tries = (count: number): number => Math.ceil(count * factor);
