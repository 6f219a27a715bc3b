// Which local command stands for an image?
import path from 'node:path';

export type Image = {
  /**
   * The entry point. Empty: the pod has to bring a command, which runs with the programs of this
   * machine.
   */
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDir?: string;
};

/** By full name, or without tag, digest and registry. */
export type Images = Readonly<Record<string, Image>>;

/** Beside this file, in src/ as in dist/. */
const program = (name: string): string =>
  path.resolve(import.meta.dirname, `../../${name}${path.extname(import.meta.filename)}`);

/** What this project builds as images, run from its source. */
export const ourImages: Images = {
  'swarm-operator': {
    command: [process.execPath, program('main')],
    // All pods share the ports of this machine: each has its own address, and what is on the
    // loopback is there once.
    args: ['--bind-address', '$(POD_IP)'],
    // A home with a kubeconfig in it would lead it to another cluster than this one.
    env: { SWARM_INTROSPECTION_PORT: '0', HOME: '/nonexistent' },
  },
  'swarm-worker': { command: [process.execPath, program('worker/main')] },
};

/**
 * Images of nothing but an operating system: the pod's command runs with the programs of this
 * machine.
 */
const plainImages: Images = Object.fromEntries(
  ['alpine', 'busybox', 'debian', 'ubuntu'].map((name) => [name, { command: [] }]),
);

export const defaultImages: Images = { ...ourImages, ...plainImages };

/** Tried in this order: `registry/team/name:tag`, `registry/team/name`, `name`. */
export function findImage(images: Images, reference: string): Image | undefined {
  const untagged = reference.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const base = untagged.slice(untagged.lastIndexOf('/') + 1);
  return [reference, untagged, base]
    .map((name) => images[name])
    .find((image) => image !== undefined);
}

export function describeMissing(images: Images, reference: string): string {
  const known = Object.keys(images).sort().join(', ') || 'none';
  return `no local command stands for image "${reference}"; the playground runs pods as processes and knows these images: ${known}`;
}
