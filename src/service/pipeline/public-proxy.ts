import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { messageOf } from '../../errors.js';
import { checkLiteralHost, lookupPublic } from './safe-address.js';

export interface PublicProxy {
  url: string;
  close(): void;
}

/**
 * An HTTP proxy on this machine that leads to the public internet only. For programs that fetch what an address
 * leads them to, and whose connections cannot be checked otherwise. `lookup` is for tests.
 */
export async function startPublicProxy(lookup: typeof lookupPublic = lookupPublic): Promise<PublicProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((request, response) => forward(request, response, lookup));
  server.on('connection', keep);
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    const upstream = openTunnel(request, client, head, lookup);
    if (upstream) keep(upstream);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** `GET http://host/path`: asked for again by us. */
function forward(request: IncomingMessage, response: ServerResponse, lookup: typeof lookupPublic): void {
  const refuse = (error: unknown) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(403, oneLine(messageOf(error))).end();
  };
  try {
    const url = new URL(request.url ?? '');
    checkLiteralHost(url.hostname);
    const { method, headers } = request;
    const options = { method, headers, lookup: lookup as never, agent: false };
    const upstream = requestHttp(url, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.once('error', () => response.destroy());
      answer.pipe(response);
    });
    upstream.once('error', refuse);
    response.once('close', () => upstream.destroy());
    request.pipe(upstream);
  } catch (error) {
    refuse(error);
  }
}

/** `CONNECT host:port`: bytes both ways, as for https. */
function openTunnel(
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
  lookup: typeof lookupPublic,
): Socket | undefined {
  const refuse = (error: unknown) => client.end(`HTTP/1.1 403 ${oneLine(messageOf(error))}\r\n\r\n`);
  client.once('error', () => client.destroy());
  try {
    const { hostname, port } = new URL(`https://${request.url}`);
    checkLiteralHost(hostname);
    const host = hostname.replace(/^\[|\]$/g, '');
    const upstream = connect({ host, port: Number(port || 443), lookup: lookup as never }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    upstream.once('error', refuse);
    client.once('close', () => upstream.destroy());
    return upstream;
  } catch (error) {
    refuse(error);
    return undefined;
  }
}

/** Words for a status line. */
function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ');
}
