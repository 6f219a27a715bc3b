// Which build of the worker is this?
import { readFileSync } from 'node:fs';
import { type Build, buildOf } from '../../api/build.ts';

export const readBuild = (): Build =>
  buildOf(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'), process.env);
