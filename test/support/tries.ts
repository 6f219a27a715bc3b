// How often does a test try a property, a story or an input? SWARM_RUNS=3, as in CI and for
// mutants, tries three times as often as `npm test`.
const factor = Number(process.env['SWARM_RUNS'] ?? 1);

export const tries = (count: number): number => Math.ceil(count * factor);
