// Where are plots written? Beside the document that shows them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { type Plot, svgOf } from './svg.ts';

const images = new URL('../../docs/images/', import.meta.url);

export function draw(name: string, plots: readonly Plot[]): void {
  mkdirSync(images, { recursive: true });
  writeFileSync(new URL(`${name}.svg`, images), svgOf(plots));
}
