// Dumps a consistent snapshot of one database, while other programs may write to it. Usage:
// node dump.mjs DATABASE@NIGHT
import { rmSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// Only plain words are allowed in a path.
const [, name, night] = /^([a-z][a-z0-9_]*)@(\d{4}-\d{2}-\d{2})$/.exec(process.argv[2]) ?? [];
if (name === undefined) throw new Error(`${JSON.stringify(process.argv[2])} is not DATABASE@NIGHT, such as orders@2026-01-31`);

const dump = `/backup/${name}-${night}.db`;
const unfinished = `${dump}.unfinished`;
rmSync(unfinished, { force: true });
const database = new DatabaseSync(`/data/${name}.db`, { readOnly: true });
database.prepare('VACUUM INTO ?').run(unfinished);
database.close();

// A file with the final name is complete.
const copy = new DatabaseSync(unfinished, { readOnly: true });
const { integrity_check: verdict } = copy.prepare('PRAGMA integrity_check').get();
const { rows } = copy.prepare('SELECT count(*) AS rows FROM entries').get();
copy.close();
if (verdict !== 'ok') throw new Error(`the dump of ${name} is damaged: ${verdict}`);
renameSync(unfinished, dump);
console.log(`${dump}: ${rows} rows, ${verdict}`);
