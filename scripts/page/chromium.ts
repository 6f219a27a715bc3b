// Where is Chromium? On the PATH, or installed from Debian's package.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export type Found = { readonly program: string } | { readonly refusal: string };

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

/** Installs it if possible. */
export function findChromium(): Found {
  const there = onPath();
  if (there !== undefined) return { program: there };
  if (process.platform !== 'linux') return { refusal: `no ${names.join(', ')} is on PATH` };
  if (process.getuid?.() !== 0)
    return { refusal: `no ${names.join(', ')} is on PATH, and only root can install one` };
  console.log('  installing chromium');
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const install = ['install', '--yes', '--no-install-recommends', 'chromium'];
  // Without package lists, or with old ones, the first try finds no package.
  const isInstalled = apt('-qq', ...install) || (apt('-qq', 'update') && apt('-qq', ...install));
  const program = isInstalled ? onPath() : undefined;
  return program === undefined
    ? { refusal: 'no Chromium is on PATH, and apt-get could not install the package chromium' }
    : { program };
}
