// The least a service could do: node:http and SQLite with the same durability, no checks, no framework.
import { createServer } from 'node:http';
import Libsql from 'libsql';

const db = new Libsql(process.argv[2]);
db.prepare('PRAGMA journal_mode = WAL').all();
db.exec('PRAGMA synchronous = FULL');
db.exec('CREATE TABLE projects (id TEXT PRIMARY KEY, json TEXT NOT NULL)');
db.exec(
  'CREATE TABLE contents (collection_id TEXT, content_id TEXT, PRIMARY KEY (collection_id, content_id))',
);
db.exec('CREATE TABLE collections (id TEXT PRIMARY KEY, updated_at TEXT)');
db.prepare('INSERT INTO projects VALUES (?, ?)').run('P1', process.argv[3]);
const collection = db.prepare('INSERT INTO collections VALUES (?, ?)');
for (let index = 1; index <= 50; index++) collection.run(`L${index}`, '');
const find = db.prepare('SELECT json FROM projects WHERE id = ?');
const add = db.prepare('INSERT OR IGNORE INTO contents VALUES (?, ?)');
const touch = db.prepare('UPDATE collections SET updated_at = ? WHERE id = ?');

const server = createServer(async (request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.method === 'GET') {
    const [row] = find.all(request.url.split('/').at(-1));
    response.end(JSON.stringify(JSON.parse(row.json)));
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks));
  db.exec('BEGIN IMMEDIATE');
  add.run(body.collectionId, body.contentId);
  touch.run(new Date().toISOString(), body.collectionId);
  db.exec('COMMIT');
  response.end(JSON.stringify({ data: body }));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
