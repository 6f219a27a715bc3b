// Is every command of README.md and docs/ typed by test/docs, or listed with a reason?
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { commandsIn, type Shown } from '../../docs/commands.ts';
import { pages, untyped } from '../../docs/pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const written = [
  'README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).map(
    (file) => `docs/${file}`,
  ),
].filter((file) => file.endsWith('.md'));
const shownIn = (page: string): readonly Shown[] =>
  commandsIn(page, readFileSync(`${root}${page}`, 'utf8'));
const isUntyped = ({ command }: Shown): boolean =>
  untyped.some(({ commands }) => commands.test(command));
const all = written.flatMap(shownIn);

describe('the commands of the documentation', () => {
  it('each command of the documentation is typed by a test, or listed with a reason', () => {
    const isTyped = new Set(pages.map(({ page }) => page));
    const escaped = all.filter((shown) => !isTyped.has(shown.page) && !isUntyped(shown));
    expect(escaped.map(({ page, line, command }) => `${page}:${line}: ${command}`)).toEqual([]);
  });

  it('each command that is listed as not typed exists, and its other test exists', () => {
    expect(
      untyped.filter(({ commands }) => !all.some(({ command }) => commands.test(command))),
    ).toEqual([]);
    expect(untyped.filter(({ elsewhere }) => !existsSync(`${root}${elsewhere}`))).toEqual([]);
  });

  it('the npm commands of the documentation name existing scripts', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = all.flatMap(
      ({ command }) => /^npm (?:run (?:-s )?)?([\w:]+)/.exec(command)?.[1] ?? [],
    );
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
