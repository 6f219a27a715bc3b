// The shells of this machine in which the scripts of the operator run.
import { existsSync } from 'node:fs';

export type Shell = {
  readonly name: string;
  readonly file: string;
  /** Before the words of the script. */
  readonly words: readonly string[];
  /** The name under which it is started: bash is a POSIX shell where it is /bin/sh. */
  readonly argv0: string;
};

/** `sh` is what most images have. */
const known: readonly Shell[] = [
  { name: 'sh', file: '/bin/sh', words: [], argv0: 'sh' },
  { name: 'bash', file: '/bin/bash', words: [], argv0: 'sh' },
  { name: 'mksh', file: '/bin/mksh', words: [], argv0: 'sh' },
  { name: 'busybox', file: '/bin/busybox', words: ['ash'], argv0: '/bin/busybox' },
];

export const shells: readonly Shell[] = known.filter(({ file }) => existsSync(file));
