// A service and a storage that cost as little as possible: bytes are read into one buffer and forgotten.
// Runs in its own process. Arguments: `tls=KEY,CERT`, `resets=N,TOTAL` (N cuts at random places of a file of TOTAL
// bytes), `hash=1` (the digest of what came). Prints its address; GET /stats tells what it has seen.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';

const options = Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('=')));
const BUFFER_BYTES = 256 * 1024;
const sessions = new Map();
const stats = { receivedBytes: 0, projects: 0, files: [] };
let uploads = 0;
let origin = '';
const cuts = planCuts(options.resets);

function planCuts(text) {
  if (!text) return [];
  const [count, totalBytes] = text.split(',').map(Number);
  return Array.from({ length: count }, () => Math.floor(Math.random() * totalBytes)).sort((a, b) => a - b);
}

/** One connection: requests one after the other, their bodies counted. */
function createReader(write, reset) {
  let head = '';
  let request;
  let missingBytes = 0;

  function take(bytes) {
    let rest = bytes;
    while (rest.length > 0) {
      if (!request) {
        const before = head.length;
        head += rest.latin1Slice(0, Math.min(rest.length, 65536));
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        rest = rest.subarray(end + 4 - before);
        request = parseHead(head.slice(0, end));
        head = '';
        missingBytes = request.bodyBytes;
        if (missingBytes === 0) finish();
        continue;
      }
      const taken = Math.min(rest.length, missingBytes);
      missingBytes -= taken;
      if (request.session) {
        request.session.keptBytes += taken;
        request.session.hash?.update(rest.subarray(0, taken));
        stats.receivedBytes += taken;
        if (cuts.length > 0 && request.session.keptBytes >= cuts[0]) {
          cuts.shift();
          return reset();
        }
      }
      rest = rest.subarray(taken);
      if (missingBytes === 0) finish();
    }
  }

  function finish() {
    write(answerTo(request));
    request = undefined;
  }
  return take;
}

function parseHead(text) {
  const [first, ...lines] = text.split('\r\n');
  const [method, path] = first.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyBytes = Number(headers['content-length'] ?? 0);
  const session = method === 'PUT' ? sessionOf(path) : undefined;
  const range = /^bytes (\*|\d+)(?:-\d+)?\/(\d+)$/.exec(headers['content-range'] ?? '');
  if (session) {
    session.totalBytes = range ? Number(range[2]) : bodyBytes;
    if (!range) session.keptBytes = 0;
    else if (range[1] !== '*') session.keptBytes = Number(range[1]);
  }
  return { method, path, bodyBytes, session };
}

/** `curl -T` has no session of its own; any address is one. */
function sessionOf(path) {
  const known = sessions.get(path);
  if (known) return known;
  const made = { keptBytes: 0, totalBytes: 0, hash: options.hash ? createHash('sha256') : undefined };
  sessions.set(path, made);
  return made;
}

function answerTo({ method, path, session }) {
  if (session) {
    if (session.keptBytes >= session.totalBytes) {
      sessions.delete(path);
      if (session.hash) stats.files.push(session.hash.digest('hex'));
      return answer('200 OK');
    }
    return answer('308 Resume', session.keptBytes ? `range: bytes=0-${session.keptBytes - 1}\r\n` : '');
  }
  if (method === 'POST' && path === '/api/upload-links') {
    const uploadId = `up_${++uploads}`;
    return json('200 OK', { url: `${origin}/link/${uploadId}`, uploadId });
  }
  if (method === 'POST' && path.startsWith('/link/')) {
    return answer('201 Created', `location: ${origin}/session/${path.slice(6)}\r\n`);
  }
  if (path === '/stats') return json('200 OK', stats);
  if (method === 'POST' && path === '/api/clip-projects') {
    stats.projects++;
    return json('201 Created', { id: `P${uploads}`, stage: 'QUEUED' });
  }
  return answer('404 Not Found');
}

function answer(status, headers = '', body = '') {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

function json(status, value) {
  return answer(status, 'content-type: application/json\r\n', JSON.stringify(value));
}

const server = options.tls ? createTlsServer(...options.tls.split(',')) : createPlainServer();

function createTlsServer(key, cert) {
  return tls.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    const take = createReader(
      (text) => socket.write(text),
      () => socket.destroy(),
    );
    socket.on('data', take).on('error', () => socket.destroy());
  });
}

function createPlainServer() {
  return net.createServer({ pauseOnConnect: true, noDelay: true }, (accepted) => {
    // Node offers reading into one's own buffer to clients only; the same handle in another Socket has it too.
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    let take;
    const socket = new net.Socket({
      handle: accepted._handle,
      onread: {
        buffer,
        callback(bytes) {
          take(buffer.subarray(0, bytes));
          return true;
        },
      },
    });
    take = createReader(
      (text) => socket.write(text),
      () => socket.resetAndDestroy(),
    );
    socket.on('error', () => socket.destroy());
    socket.resume();
  });
}

server.listen(0, '127.0.0.1', () => {
  origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${server.address().port}`;
  console.log(origin);
});
