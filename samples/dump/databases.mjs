// Creates three SQLite databases with some rows in /data.
import { DatabaseSync } from 'node:sqlite';

for (const [name, rows] of [['orders', 3000], ['users', 500], ['events', 10000]]) {
  const database = new DatabaseSync(`/data/${name}.db`);
  database.exec('CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, text TEXT); DELETE FROM entries; BEGIN');
  const insert = database.prepare('INSERT INTO entries (text) VALUES (?)');
  for (let row = 1; row <= rows; row += 1) insert.run(`${name} ${row}`);
  database.exec('COMMIT');
  database.close();
}
