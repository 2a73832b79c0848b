import { usageError } from '../errors.js';
import type { Settings } from './settings.js';

/** Names and addresses of this machine itself. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
  );
}

/** The base address, checked: https, or http to loopback or with `allow_http`. */
export function findBaseUrl(settings: Settings): string {
  const baseUrl = settings.get('base_url');
  if (baseUrl === null) {
    throw usageError('no base address of the service is set', {
      hint:
        'log in with: clipctl auth login --base-url <url>\n' +
        'or set CLIPCTL_BASE_URL, or give --base-url\n' +
        'without an account, use the service on this machine: --local',
    });
  }
  const url = new URL(baseUrl);
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !settings.get('allow_http')) {
    throw usageError(`the base address ${baseUrl} is http: the key would be readable on the way`, {
      reason: `it was set by ${settings.find('base_url').from}`,
      hint: 'use https, or allow it with: clipctl config set allow_http true',
    });
  }
  return baseUrl;
}
