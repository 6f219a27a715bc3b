// What does a browser get? The page as it was built, read once: no path of a request reaches the
// disk.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

type WebFile = { readonly type: string; readonly content: Buffer; readonly isHashed: boolean };

/** By the path that is asked for. */
export type Web = ReadonlyMap<string, WebFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Only what this server serves, and nothing inline: a stream may have any name. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Undefined: it was not built. */
export function readWeb(folder: URL): Web | undefined {
  const root = fileURLToPath(folder);
  try {
    const files = new Map<string, WebFile>();
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const type = types[path.extname(name)];
      if (type === undefined) continue;
      const url = name === 'index.html' ? '/' : `/${name.split(path.sep).join('/')}`;
      const content = readFileSync(path.join(root, name));
      files.set(url, { type, content, isHashed: url.startsWith('/assets/') });
    }
    return files.has('/') ? files : undefined;
  } catch {
    return undefined;
  }
}

export const NOT_BUILT = `The page was not built with this operator. From a checkout, \`npm start\` and \`npm run build\` make it (dist/web).
What it would show can be asked all the same: /api/v1/pools, described in /api/v1/openapi.json.
`;
