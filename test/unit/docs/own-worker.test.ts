// Does the page about a worker of one's own show the files of its sample as they are?
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const read = (file: string): string => readFileSync(file, 'utf8');

it.each(['worker.py', 'workers.yaml', 'pool.yaml'])(
  'docs/how-to/own-worker.md shows %s of its sample without a difference',
  (file) => {
    expect(read('docs/how-to/own-worker.md')).toContain(`\n${read(`samples/own/${file}`)}\`\`\``);
  },
);
