import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

export interface WireRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * A line between the CLI and a service: keeps what is asked and passes it on as it came, and the answer back as it
 * came. It answers nothing itself; what the service breaks off it breaks off.
 */
export async function tapWire(serviceUrl: string) {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.resetAndDestroy());
  });

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // Read whole before it goes on: a service that hangs up early does not hide what it was asked.
    const body = await buffer(incoming);
    const { method = '', url: path = '', headers, rawHeaders } = incoming;
    requests.push({ method, path, headers, body: body.toString() });
    const outgoing = request(serviceUrl, { method, path, headers: rawHeaders, agent: false });
    response.once('close', () => outgoing.destroy());
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.sendDate = false;
    response.writeHead(answer.statusCode ?? 0, answer.statusMessage, answer.rawHeaders);
    await pipeline(answer, response);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
