// Do the house rules fire? Floors, circles, names, width, and that decisions read no clock.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importCircles } from '../../scripts/house/circles.ts';
import { unusedExports } from '../../scripts/house/exports.ts';
import { forbiddenImports, whyForbidden } from '../../scripts/house/floors.ts';
import { namesTwice, sourcesIn, wideComments, withoutQuestion } from '../../scripts/house/style.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'swarm-lint-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  const at = path.join(folder, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, `${text}\n`);
}

describe('the direction of imports', () => {
  it.each([
    ['src/api/x.ts', '../core/text.ts', 'src/api imports only src/api'],
    ['src/http/x.ts', '../api/kinds.ts', 'src/http imports only src/http'],
    ['src/core/x.ts', '../runtime/client/client.ts', 'src/core imports only'],
    ['src/core/x.ts', 'js-yaml', 'src/core is pure'],
    ['src/core/x.ts', 'node:fs', 'src/core is pure'],
    ['src/runtime/engine/x.ts', '../../pool/world.ts', 'src/runtime imports only'],
    ['src/probes/x.ts', '../pool/world.ts', 'src/probes imports only'],
    ['src/pool/x.ts', './observe/pools.ts', 'src/pool imports only'],
    ['src/pool/publish/x.ts', '../../runtime/clock.ts', 'src/pool imports only'],
    ['src/pool/publish/x.ts', 'node:crypto', 'src/pool is pure'],
    ['src/worker/x.ts', '../runtime/client/client.ts', 'src/worker imports only'],
    ['src/web/view/x.ts', '../../server/introspection/pools.ts', 'src/web imports only'],
    ['src/web/x.ts', 'preact', 'src/web is pure'],
    ['src/server/x.ts', '../web/model/words.ts', 'src/server imports only'],
    ['src/server/x.ts', '../pool/observe/pools.ts', 'src/server imports only'],
    ['src/pool/observe/x.ts', '../../settings.ts', 'src/pool/observe imports only'],
    ['src/runtime/watch/watcher.ts', '@dot-i/k8s-operator', 'only src/runtime/watch/operator.ts'],
    ['src/group/x.ts', '../pool/world.ts', 'src/group imports only'],
    ['src/group/transition/x.ts', '../../runtime/clock.ts', 'src/group imports only'],
    ['src/group/x.ts', 'node:fs', 'src/group is pure'],
    ['src/pool/x.ts', '../group/world.ts', 'src/pool imports only'],
    ['src/queue/x.ts', '../group/world.ts', 'src/queue imports only'],
    ['src/job/x.ts', '../queue/world.ts', 'src/job imports only'],
    ['src/job/attempt/x.ts', '../../runtime/clock.ts', 'src/job imports only'],
    ['src/job/x.ts', 'node:fs', 'src/job is pure'],
    ['src/other/x.ts', '../api/kinds.ts', 'does not know this folder'],
  ])('the file %s must not import %s', (file, from, message) => {
    expect(whyForbidden(file, from)).toContain(message);
  });

  it.each([
    ['src/pool/publish/x.ts', '../assign/assign.ts'],
    ['src/pool/publish/x.ts', '../../api/kinds.ts'],
    ['src/pool/observe/x.ts', '../../runtime/clock.ts'],
    ['src/pool/controller.ts', './observe/pools.ts'],
    ['src/runtime/watch/operator.ts', '@dot-i/k8s-operator'],
    ['src/group/controller.ts', './observe/caches.ts'],
    ['src/job/controller.ts', './observe/caches.ts'],
    ['src/group/observe.ts', '../runtime/clock.ts'],
    ['src/web/view/x.ts', '../../api/introspection.ts'],
    ['src/server/introspection/serve.ts', '../web.ts'],
    ['src/worker/report/server.ts', '../../http/bounded-server.ts'],
  ])('the file %s may import %s', (file, from) => {
    expect(whyForbidden(file, from)).toBeUndefined();
  });

  it('forbidden imports are found however they are written', () => {
    write('src/api/named.ts', "import {\n  a,\n} from '../core/a.ts';");
    write('src/api/passed-on.ts', "export { a } from '../core/a.ts';");
    write('src/api/late.ts', "const a = await import('../core/a.ts');");
    write('src/api/bare.ts', "import '../core/a.ts';");
    const found = forbiddenImports(folder).map((line) => line.split(' ')[0]);
    expect(found.sort()).toEqual(
      ['bare', 'late', 'named', 'passed-on'].map((name) => `src/api/${name}.ts`),
    );
    rmSync(path.join(folder, 'src'), { recursive: true });
  });

  it('the imports of this project point inward', () => expect(forbiddenImports(root)).toEqual([]));
});

const source = (file: string, text: string) => ({ file, lines: text.split('\n') });

describe('a circle of imports', () => {
  const back = source('src/x/b.ts', "import { a } from './a.ts';");
  const advice = 'move what they share to a file that imports none of them';

  it.each([
    ['a value', "import {\n  b,\n} from './b.ts';"],
    ['only a type', "import type { B } from './b.ts';"],
    ['a value and a type', "import { b, type B } from './b.ts';"],
    ['what it passes on', "export { b } from './b.ts';"],
    ['a module as a whole', "import * as b from './b.ts';"],
    ['nothing by name', "import './b.ts';"],
    ['a value when it is called', "const f = async () => import('./b.ts');"],
    ['a type in place', "export type A = import('./b.ts').B;"],
  ])('a circle of imports is found when a file imports %s', (_, text) => {
    expect(importCircles([source('src/x/a.ts', text), back])).toEqual([
      `src/x/a.ts imports src/x/b.ts, which imports src/x/a.ts: ${advice}`,
    ]);
  });

  it('a circle of imports is found over folders, and when a file imports itself', () => {
    const found = importCircles([
      source('src/x/a.ts', "import { b } from '../y/b.ts';"),
      source('src/y/b.ts', "import { c } from './c.ts';"),
      source('src/y/c.ts', "import { c } from './c.ts';\nimport type { A } from '../x/a.ts';"),
    ]);
    expect(found).toEqual([
      `src/x/a.ts imports src/y/b.ts, which imports src/y/c.ts, which imports src/x/a.ts: ${advice}`,
      `src/y/c.ts imports src/y/c.ts: ${advice}`,
    ]);
  });

  it('a circle of imports is reported once, the shortest of each file', () => {
    const found = importCircles([
      source('src/x/a.ts', "import { b } from './b.ts';\nimport { c } from './c.ts';"),
      source('src/x/b.ts', "import { a } from './a.ts';\nimport { c } from './c.ts';"),
      source('src/x/c.ts', "import { a } from './a.ts';"),
    ]);
    expect(found).toEqual([
      `src/x/a.ts imports src/x/b.ts, which imports src/x/a.ts: ${advice}`,
      `src/x/c.ts imports src/x/a.ts, which imports src/x/c.ts: ${advice}`,
    ]);
  });

  it('files that import the same third one, or others outside of src, are no circle', () => {
    const shared = "import { c } from './c.ts';";
    expect(
      importCircles([
        source('src/x/a.ts', `${shared}\nimport { b } from './b.ts';`),
        source('src/x/b.ts', shared),
        source('src/x/c.ts', "import path from 'node:path';\nimport { d } from '../../crds/d.ts';"),
      ]),
    ).toEqual([]);
  });

  it('src has no circle of imports', () =>
    expect(importCircles(sourcesIn(root, ['src']))).toEqual([]));
});

describe('the style', () => {
  it('the style allows one type for each name', () => {
    const first = source('a.ts', 'export type Step = 1;');
    expect(namesTwice([first, source('b.ts', 'export class Step {}')])).toEqual([
      'the type Step is exported by a.ts and b.ts',
    ]);
    expect(namesTwice([first, source('b.ts', 'type Step = 2;')])).toEqual([]);
  });

  it.each([
    ['const', 'export const a = 1;'],
    ['function', 'export async function a(): Promise<void> {}'],
    ['type', 'export type a = 1;'],
    ['class', 'export abstract class a {}'],
    ['name of another module', "export { b as a } from './b.ts';"],
  ])('the style reports an exported %s that no other file imports', (_, text) => {
    const unused = 'src/x/a.ts exports a, which no other file imports: drop the export';
    const found = (user: string): readonly string[] =>
      unusedExports([source('src/x/a.ts', text), source('test/unit/a.test.ts', user)]);
    expect(found('const a = 1;')).toEqual([unused]);
    expect(found("import { a } from '../../src/y/a.ts';")).toEqual([unused]);
    expect(found("import {\n  b,\n  type a as c,\n} from '../../src/x/a.ts';")).toEqual([]);
    expect(found("import * as all from '../../src/x/a.ts';")).toEqual([]);
    expect(
      found("const f = async () => {\n  const { a: c } = await import('../../src/x/a.ts');"),
    ).toEqual([]);
    expect(found("const all = await import('../../src/x/a.ts');")).toEqual([]);
  });

  it('the style allows unused exports of the worker library, and outside of src', () => {
    const text = 'export const a = 1;';
    expect(unusedExports([source('src/worker/index.ts', text), source('test/a.ts', text)])).toEqual(
      [],
    );
  });

  it('the style allows comments of at most 100 columns', () => {
    const long = 'x'.repeat(100);
    expect(wideComments([source('a.ts', `const a = '${long}';\n  // ${long}`)])).toEqual([
      'a.ts:2: a comment of 105 columns, more than 100',
    ]);
  });

  it('the style asks for the question that a file answers in its first line', () => {
    const files = ['// What is a?\nconst a = 1;', '#!/usr/bin/env node', 'const a = 1;'];
    expect(withoutQuestion(files.map((text, at) => source(`${at}.ts`, text)))).toEqual([
      '2.ts does not begin with the question that it answers',
    ]);
  });
});

describe('decisions', () => {
  beforeAll(() => {
    cpSync(`${root}biome.json`, path.join(folder, 'biome.json'));
    cpSync(`${root}tools/lint`, path.join(folder, 'tools/lint'), { recursive: true });
  });

  function lint(file: string, text: string): string {
    write(file, text);
    const biome = `${root}node_modules/.bin/biome`;
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(biome, ['lint', '--colors=off', file], options);
    return stdout + stderr;
  }

  it.each(['Date.now()', 'new Date()', 'Math.random()', 'performance.now()'])(
    'decisions have no %s',
    (call) => {
      const said = 'a decision takes time and chance as arguments';
      expect(lint('src/core/x.ts', `export const a = ${call};`)).toContain(said);
      expect(lint('src/pool/publish/x.ts', `export const a = ${call};`)).toContain(said);
      expect(lint('src/pool/observe/x.ts', `export const a = ${call};`)).not.toContain(said);
    },
  );
});
