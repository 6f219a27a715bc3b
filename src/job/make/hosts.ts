// What are the hosts of a job called? Kubernetes gives each pod of an Indexed Job its rank as the
// end of its name.

/** Alone, a rank needs no Service, and is known to itself by its own name. */
export const leaderOf = (job: string, size: number): string => hostOf(job, size, 0);

/** One for each rank. */
export const hostsOf = (job: string, size: number): readonly string[] =>
  Array.from({ length: size }, (_, rank) => hostOf(job, size, rank));

/** As the resolver of a pod of this namespace finds it. */
const hostOf = (job: string, size: number, rank: number): string =>
  size === 1 ? `${job}-${rank}` : `${job}-${rank}.${job}`;

/** "lammps-[0-3]": all names in one. */
export const hostRange = (job: string, size: number): string =>
  size === 1 ? `${job}-0` : `${job}-[0-${size - 1}]`;

/** The same with the domain of the Service: "lammps-[0-3].lammps". */
export const resolvableRange = (job: string, size: number): string =>
  size === 1 ? hostRange(job, size) : `${hostRange(job, size)}.${job}`;

/** The ConfigMap with all of them, one a line. */
export const hostsName = (job: string): string => `${job}-hosts`;

/** The key in it. */
export const HOSTS_KEY = 'hosts';
