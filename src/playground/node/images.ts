// The local commands that run in place of images.
import path from 'node:path';

export type Image = {
  /** The entry point; empty: the pod must have a command, of the programs of this machine. */
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its own command binds POD_IP. */
  readonly bindsItsAddress?: boolean;
};

/** By name; see findImage. */
export type Images = Readonly<Record<string, Image>>;

/** In src/ as in dist/. */
const program = (name: string): string =>
  path.resolve(import.meta.dirname, `../../${name}${path.extname(import.meta.filename)}`);

/** Node's cache of compiled code, if this process has one: workers start three times as fast. */
const { NODE_COMPILE_CACHE } = process.env;
const cached = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** The images that this project builds. */
export const ourImages: Images = {
  'swarm-operator': {
    command: [process.execPath, program('main')],
    // Pods share the ports of this machine, so each binds its own address.
    args: ['--bind-address', '$(POD_IP)', '--introspection-address', '$(POD_IP)'],
    // A kubeconfig in the home would be that of another cluster.
    env: { HOME: '/nonexistent', ...cached },
    bindsItsAddress: true,
  },
  'swarm-worker': {
    command: [process.execPath, program('worker/main')],
    env: cached,
    bindsItsAddress: true,
  },
};

/** Of an operating system or a language: the pod's command runs, with this machine's programs. */
const plainImages: Images = Object.fromEntries(
  ['alpine', 'busybox', 'debian', 'node', 'python', 'ubuntu'].map((name) => [
    name,
    { command: [] },
  ]),
);

export const defaultImages: Images = { ...ourImages, ...plainImages };

/** Tried in this order: `registry/team/name:tag`, `registry/team/name`, `name`. */
export function findImage(images: Images, reference: string): Image | undefined {
  const untagged = reference.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const base = untagged.slice(untagged.lastIndexOf('/') + 1);
  return images[reference] ?? images[untagged] ?? images[base];
}

export function describeMissing(images: Images, reference: string): string {
  const known = Object.keys(images).sort().join(', ') || 'none';
  return `the playground has no local command for image "${reference}"; it runs pods as processes, and knows the images ${known} (to run your own program, see docs/how-to/own-worker.md)`;
}
