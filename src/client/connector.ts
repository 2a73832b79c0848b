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
   * `fresh` takes a new connection, or one used a moment ago: an older one may be closed by the other side at the very
   * moment it is used, and of a request that must not be repeated nobody could then say whether it arrived.
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

/** A kept connection that was used this recently is as good as a new one: no server closes it so soon. */
const FRESH_MS = 1000;

interface Route {
  agent: Agent;
  request: typeof import('node:http').request;
}

export function createConnector(env: Env): Connector {
  const routes = new Map<string, Promise<Route>>();

  async function routeFor(url: URL, fresh: boolean): Promise<Route> {
    const proxy = hasProxy(env) ? await proxyFor(url) : '';
    const key = `${url.protocol} ${fresh} ${proxy}`;
    const known = routes.get(key);
    if (known) return known;
    const made = openRoute(url, proxy, fresh);
    routes.set(key, made);
    return made;
  }

  return {
    async open(url, { method, headers, signal, fresh = false }) {
      const { agent, request } = await routeFor(url, fresh);
      const options: RequestOptions = { method, headers, agent, signal };
      return request(url, options);
    },
    close() {
      for (const route of routes.values()) void route.then(({ agent }) => agent.destroy());
      routes.clear();
    },
  };
}

async function openRoute(url: URL, proxy: string, fresh: boolean): Promise<Route> {
  const { Agent, request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  // An agent of its own for fresh requests: its `timeout` closes connections that nobody used for so long.
  if (proxy === '')
    return { agent: new Agent({ keepAlive: true, ...(fresh ? { timeout: FRESH_MS } : {}) }), request };
  return { agent: await proxyAgent(url, proxy, !fresh), request };
}

/** The proxy for an address by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY of the process, or ''. */
async function proxyFor(url: URL): Promise<string> {
  // CommonJS, like the two below: in the bundle a lazily loaded one has its exports under `default` only.
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
