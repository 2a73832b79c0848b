import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { newToken } from '../ids.js';
import { sameText } from '../signed-address.js';

/*
 * Who may see the pages. They show what the API shows only with its key, so reaching the port is not enough: on a
 * machine with several users every one of them can connect to 127.0.0.1, and with --host the whole network can.
 *
 * - `serve` prints an address with a token. The token is made from the API key and cannot be turned back into it: it
 *   opens the pages, which only show; it never opens the API. A new key makes a new token.
 * - The first visit turns the token into a cookie (HttpOnly, SameSite=Strict) and leaves the address without it, so
 *   that it stays in no history, and in no Referer (none is sent). The cookie is not the token: it ends by itself.
 * - Pages of other origins: SameSite=Strict keeps the cookie from other sites; other ports of this machine are the
 *   same site for a browser, so there Sec-Fetch-Site is looked at too, and nothing has CORS headers, may be framed, or
 *   may be embedded. DNS rebinding fails at the Host check.
 * - `serve --open` hands its address to another program, whose arguments other users can list: that address has
 *   a code that works once, within a minute, in place of the token.
 *
 * What is left: browsers send cookies of 127.0.0.1 to every port there. Whoever serves another port of this machine and
 * gets you to open it in the same browser can read the cookie, and with it these pages until it ends.
 */

/** A cookie lasts so long; a visit in its second half gets a fresh one. */
const COOKIE_LIFE_SEC = 7 * 24 * 3600;
const CODE_LIFE_MS = 60_000;

export interface PageAccess {
  /** Opens the pages for whoever has it, until the API key changes. */
  token: string;
  /** A code that opens the pages once. */
  makeCode(): string;
  /** Checks a token or code of an address; answers the Set-Cookie header, or undefined when it opens nothing. */
  admit(given: string, request: IncomingMessage): string | undefined;
  /** Whether the request's cookie opens the pages, and a fresh Set-Cookie header when it is time for one. */
  check(request: IncomingMessage): { isOpen: boolean; setCookie?: string };
}

export function createPageAccess(apiKey: string, now: () => Date): PageAccess {
  const token = mac(apiKey, 'clipctl pages');
  const codes = new Map<string, number>();
  const nowSec = () => Math.floor(now().getTime() / 1000);
  const cookieValue = (untilSec: number) => `${untilSec}.${mac(token, `cookie ${untilSec}`)}`;
  const newCookie = (request: IncomingMessage) =>
    `${cookieName(request)}=${cookieValue(nowSec() + COOKIE_LIFE_SEC)}; Path=/; Max-Age=${COOKIE_LIFE_SEC}; HttpOnly; SameSite=Strict`;
  const takeCode = (given: string) => {
    const untilMs = codes.get(given);
    codes.delete(given);
    return untilMs !== undefined && untilMs >= now().getTime();
  };
  return {
    token,
    makeCode() {
      const code = newToken();
      codes.set(code, now().getTime() + CODE_LIFE_MS);
      return code;
    },
    admit: (given, request) => (sameText(given, token) || takeCode(given) ? newCookie(request) : undefined),
    check(request) {
      if (isFromElsewhere(request)) return { isOpen: false };
      const given = readCookie(request, cookieName(request));
      const untilSec = Number(/^(\d{1,12})\./.exec(given)?.[1] ?? 0);
      if (untilSec < nowSec() || !sameText(given, cookieValue(untilSec))) return { isOpen: false };
      const isOld = untilSec - nowSec() < COOKIE_LIFE_SEC / 2;
      return { isOpen: true, ...(isOld && { setCookie: newCookie(request) }) };
    },
  };
}

/** A request that a page of another origin made; following a link or typing the address is none. */
function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

/** Cookies are shared by all ports of a host, so each service has its own name. */
function cookieName(request: IncomingMessage): string {
  return `clipctl_page_${/:(\d{1,5})$/.exec(request.headers.host ?? '')?.[1] ?? '80'}`;
}

function readCookie(request: IncomingMessage, name: string): string {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return '';
}

function mac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
