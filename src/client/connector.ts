import type { Agent, ClientRequest, RequestOptions } from 'node:http';

/**
 * The one place where connections are made: API calls, uploads and downloads all come through here, so that
 * proxies, certificates and keep-alive are decided once.
 *
 * node:http and not undici: on Node 20 a program that makes one request with undici takes 2.9 times a bare node
 * (it compiles a WASM parser at start and waits for the compiler at exit), with node:http 1.2 times; and an
 * upload needs node:http's reused buffers anyway (see transfer/).
 */
export interface Connector {
  /**
   * Opens a request; the caller writes the body, ends it and listens. Nothing is followed or retried here.
   * `headers` go out as given. Certificates: node's own, plus `NODE_EXTRA_CA_CERTS`.
   * `fresh` takes a new connection: a kept one may be closed by the other side at the very moment it is used, and
   * of a request that must not be repeated nobody could then say whether it arrived.
   */
  open(url: URL, options: OpenOptions): Promise<ClientRequest>;
  /** Closes idle connections, so that the process can end. */
  close(): void;
}

export interface OpenOptions {
  method: string;
  headers: Record<string, string | number>;
  signal?: AbortSignal;
  fresh?: boolean;
}

type Env = Record<string, string | undefined>;

const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'all_proxy'];

/** Whether the environment names a proxy at all: without one the proxy libraries are never loaded. */
export function hasProxy(env: Env): boolean {
  return PROXY_VARIABLES.some((name) => env[name] || env[name.toUpperCase()]);
}

export function createConnector(env: Env): Connector {
  const agents = new Map<string, Agent>();

  async function agentFor(url: URL, keepAlive: boolean): Promise<Agent> {
    const proxy = hasProxy(env) ? await proxyFor(url) : '';
    const key = `${url.protocol} ${keepAlive} ${proxy}`;
    const known = agents.get(key);
    if (known) return known;
    const made = proxy ? await proxyAgent(url, proxy, keepAlive) : await directAgent(url, keepAlive);
    agents.set(key, made);
    return made;
  }

  return {
    async open(url, { method, headers, signal, fresh }) {
      const agent = await agentFor(url, fresh !== true);
      const options: RequestOptions = { method, headers, agent, signal };
      const { request } = await protocolModule(url);
      return request(url, options);
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function protocolModule(url: URL) {
  return url.protocol === 'https:' ? import('node:https') : import('node:http');
}

async function directAgent(url: URL, keepAlive: boolean): Promise<Agent> {
  const { Agent } = await protocolModule(url);
  return new Agent({ keepAlive });
}

// These three are CommonJS: in the bundle a lazily loaded one has its exports under `default` only.

/** The proxy for an address by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY of the process, or ''. */
async function proxyFor(url: URL): Promise<string> {
  const { default: proxyFromEnv } = await import('proxy-from-env');
  return proxyFromEnv.getProxyForUrl(url.href);
}

async function proxyAgent(url: URL, proxy: string, keepAlive: boolean): Promise<Agent> {
  if (url.protocol === 'https:') {
    const { default: proxyModule } = await import('https-proxy-agent');
    return new proxyModule.HttpsProxyAgent(proxy, { keepAlive });
  }
  const { default: proxyModule } = await import('http-proxy-agent');
  return new proxyModule.HttpProxyAgent(proxy, { keepAlive });
}
