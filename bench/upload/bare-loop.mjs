// What uploading many small files costs at least: the same four requests each with undici, no journal, no checks.
// Arguments: origin, concurrency, files.
import { readFile } from 'node:fs/promises';
import { Agent, request, setGlobalDispatcher } from 'undici';

const [origin, concurrency, ...files] = process.argv.slice(2);
setGlobalDispatcher(new Agent());
const headers = { 'content-type': 'application/json', authorization: 'Bearer bench-key' };
const queue = files.values();

async function call(path, body, more = {}) {
  const answer = await request(origin + path, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  });
  return answer.body.json();
}

async function work() {
  for (const file of queue) {
    const { url, uploadId } = await call('/api/upload-links', { video: { usecase: 'LocalUpload' } });
    const start = await request(url, { method: 'POST', headers: { 'x-storage-resumable': 'start' } });
    await start.body.dump();
    const put = await request(start.headers.location, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body: await readFile(file),
    });
    await put.body.dump();
    await call('/api/clip-projects', { videoUrl: uploadId }, { 'x-service-upload-id': uploadId });
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, work));
