// What sending a file over TLS costs a Node program at least: node:https and a piped stream, nothing else.
// Arguments: address, file.
import { createReadStream, statSync } from 'node:fs';
import { request } from 'node:https';

const [address, file] = process.argv.slice(2);
const headers = { 'content-length': statSync(file).size };
const put = request(address, { method: 'PUT', headers }, (answer) => answer.resume());
createReadStream(file, { highWaterMark: 1024 * 1024 }).pipe(put);
