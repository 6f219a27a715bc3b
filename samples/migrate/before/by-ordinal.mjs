// Takes every third camera of the list: of 3 pods, cams-0 takes lines 1, 4 and 7.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const folder = import.meta.dirname;
const ordinal = Number(process.env.POD_NAME.split('-').at(-1));
const cams = readFileSync(`${folder}/cams.txt`, 'utf8').trim().split('\n');
const mine = cams.filter((_, line) => line % 3 === ordinal);
console.log(`${process.env.POD_NAME} takes ${mine.join(', ')}`);
const consumers = mine.map((cam) =>
  spawn(process.execPath, [`${folder}/record.mjs`, cam], { stdio: 'inherit' }),
);
process.on('SIGTERM', () => {
  for (const consumer of consumers) consumer.kill();
});
await Promise.all(consumers.map((consumer) => once(consumer, 'exit')));
