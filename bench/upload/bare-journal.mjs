// What the records of many small uploads cost by themselves: for each file a lock, one durable record and its end, as
// the journal makes them, and not a single request. Arguments: folder, concurrency, count.
import { appendFile, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const [folder, concurrency, count] = process.argv.slice(2);
const record = JSON.stringify({ of: 'an upload', text: 'x'.repeat(600) });
await mkdir(folder, { recursive: true });
const queue = Array.from({ length: Number(count) }, (_, at) => join(folder, String(at))).values();
const made = [];

async function sync(path, flags, text) {
  const handle = await open(path, flags, 0o600);
  if (text) await handle.writeFile(text);
  await handle.sync();
  await handle.close();
}

async function work() {
  for (const file of queue) {
    await writeFile(`${file}.lock`, record, { flag: 'wx' });
    await sync(`${file}.tmp`, 'wx', record);
    await rename(`${file}.tmp`, `${file}.json`);
    await sync(folder, 'r');
    await appendFile(`${file}.json`, record);
    await rm(`${file}.lock`);
    made.push(`${file}.json`);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, work));
await Promise.all(made.map((file) => rm(file)));
