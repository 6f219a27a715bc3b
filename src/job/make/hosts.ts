// Which host names does a job have? In an Indexed Job, the name of each pod ends with its rank.

/** A single rank has no Service; its own host name is enough. */
export const leaderOf = (job: string, size: number): string => hostOf(job, size, 0);

/** The host name of each rank. */
export const hostsOf = (job: string, size: number): readonly string[] =>
  Array.from({ length: size }, (_, rank) => hostOf(job, size, rank));

/** The name by which pods of this namespace find the rank. */
const hostOf = (job: string, size: number, rank: number): string =>
  size === 1 ? `${job}-${rank}` : `${job}-${rank}.${job}`;

/** All host names in one expression: "lammps-[0-3]". */
export const hostRange = (job: string, size: number): string =>
  size === 1 ? `${job}-0` : `${job}-[0-${size - 1}]`;

/** The same with the domain of the Service: "lammps-[0-3].lammps". */
export const resolvableRange = (job: string, size: number): string =>
  size === 1 ? hostRange(job, size) : `${hostRange(job, size)}.${job}`;

/** The name of the ConfigMap with all hosts, one in each line. */
export const hostsName = (job: string): string => `${job}-hosts`;

/** The key of the hosts in that ConfigMap. */
export const HOSTS_KEY = 'hosts';
