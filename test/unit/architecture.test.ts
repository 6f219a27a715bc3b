// The direction of imports is held by the linter; this shows that the rule fires.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'swarm-lint-'));
  cpSync(`${root}biome.json`, path.join(folder, 'biome.json'));
  cpSync(`${root}tools/lint`, path.join(folder, 'tools/lint'), { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true }));

function lint(file: string, text: string): string {
  const at = path.join(folder, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, `${text}\n`);
  const { stdout, stderr } = spawnSync(
    `${root}node_modules/.bin/biome`,
    ['lint', '--colors=off', file],
    { cwd: folder, encoding: 'utf8' },
  );
  rmSync(at);
  return stdout + stderr;
}

describe('the direction of imports', () => {
  it.each([
    [
      'core must not know the wire',
      'src/pool/x.ts',
      '../../kube/client.ts',
      'src/core imports only src/core, src/api',
    ],
    ['core takes no package', 'src/core/x.ts', 'js-yaml', 'core is pure: it imports no package'],
    [
      'core takes nothing of Node',
      'src/core/x.ts',
      'node:fs',
      'core is pure: it imports no package',
    ],
    ['kube knows no decision', 'src/runtime/x.ts', '../core/decision.ts', 'src/runtime imports only'],
    ['api is the ground floor', 'src/api/x.ts', '../core/meta.ts', 'src/api imports only src/api'],
    [
      'bounded servers import nothing that is served',
      'src/http/x.ts',
      '../api/kinds.ts',
      'src/http imports only src/http',
    ],
    [
      'sources, which serve nothing, do not import bounded servers',
      'src/probes/x.ts',
      '../http/bounded-server.ts',
      'src/probes imports only',
    ],
    [
      'workers carry nothing of the operator',
      'src/worker/x.ts',
      '../kube/client.ts',
      'src/worker imports only',
    ],
    [
      'the page knows only what is answered',
      'src/web/view/x.ts',
      '../../server/introspection/pools.ts',
      'src/web imports only src/web, src/api',
    ],
    [
      'the page takes no package',
      'src/web/x.ts',
      'preact',
      'the page asks for nothing from elsewhere',
    ],
    [
      'nobody else takes the page',
      'src/server/x.ts',
      '../web/model/words.ts',
      'src/server imports only',
    ],
    [
      'settings are for entry points',
      'src/pool/observe/x.ts',
      '../settings.ts',
      'src/pool/observe imports only',
    ],
    [
      'only one file knows the framework',
      'src/pool/observe/x.ts',
      '@dot-i/k8s-operator',
      'only src/runtime/watch/operator.ts knows the framework',
    ],
    [
      'also not from beside that file',
      'src/runtime/x.ts',
      '@dot-i/k8s-operator',
      'only src/runtime/watch/operator.ts knows the framework',
    ],
  ])('%s', (_, file, from, message) => {
    expect(lint(file, `import { a } from '${from}';\nexport const b = a;`)).toContain(message);
  });

  it.each([
    ['src/pool/x.ts', '../decision.ts'],
    ['src/pool/x.ts', './assign.ts'],
    ['src/pool/x.ts', '../../api/kinds.ts'],
    ['src/pool/observe/x.ts', '../core/decision.ts'],
    ['src/runtime/watch/operator.ts', '@dot-i/k8s-operator'],
    ['src/web/view/x.ts', '../../api/introspection.ts'],
    ['src/server/introspection/serve.ts', '../web.ts'],
    ['src/worker/report/server.ts', '../../http/bounded-server.ts'],
    ['src/server/health.ts', '../http/bounded-server.ts'],
  ])('%s may import %s', (file, from) => {
    expect(lint(file, `import { a } from '${from}';\nexport const b = a;`)).not.toContain(
      'noRestrictedImports',
    );
  });

  it.each(['Date.now()', 'new Date()', 'Math.random()', 'performance.now()'])(
    'core has no %s',
    (call) => {
      expect(lint('src/core/x.ts', `export const a = ${call};`)).toContain(
        'core takes time and chance as arguments',
      );
    },
  );
});
