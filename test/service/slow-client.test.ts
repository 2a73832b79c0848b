import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/local-service.js';

/** Real sockets, real half minutes. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Sends headers that promise a body, then a byte a second, until the service ends the connection. */
async function sendSlowly(start: string, host = `127.0.0.1:${service.port}`): Promise<string> {
  const socket = connect(service.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.on('error', () => undefined); // a reset is an end too
  socket.write(`${start} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 1000\r\n`);
  const type = 'content-type: application/json\r\n';
  const key = `authorization: bearer ${service.apiKey}\r\n`;
  socket.write(`${start.startsWith('POST /api/collections') ? type + key : ''}\r\n`);
  const drip = setInterval(() => socket.write(' '), 1000);
  await once(socket, 'close');
  clearInterval(drip);
  return answer.split('\r\n', 1)[0] ?? '';
}

test('a body that comes byte by byte holds no connection, whether it was answered or not', async () => {
  const answers = await Promise.all([
    sendSlowly('POST /api/collections'),
    sendSlowly('POST /api/clip-projects'),
    sendSlowly('POST /healthz'),
    sendSlowly('POST /'),
    sendSlowly('POST /media/clip/x'),
    sendSlowly('PUT /storage/sessions/unknown'),
    sendSlowly('POST /api/collections', 'elsewhere.example'),
  ]);
  expect(answers.map((line) => line.split(' ')[1])).toEqual([
    '408',
    '401',
    '200',
    '405',
    '405',
    '404',
    '421',
  ]);
});
