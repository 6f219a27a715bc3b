// Whose are the jobs of a story, and what does a queue allow one user? As the seed decides.
import type { Random } from '../random.ts';

/** Of two users, or of none that is known. */
export const userOf = (random: Random): { readonly user?: string } =>
  random.pick([{ user: 'alice' }, { user: 'alice' }, { user: 'bob' }, {}]);

export const maxPerUser = (random: Random): object =>
  random.pick<object>([
    { pods: String(random.between(1, 4)) },
    { cpu: String(random.between(1, 5)) },
    { pods: String(random.between(1, 4)), cpu: `${random.between(5, 50)}00m` },
  ]);
