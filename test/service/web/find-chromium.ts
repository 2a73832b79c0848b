import { findOnPath } from '../../../src/service/media/find-tools.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of a Chromium on the PATH. */
export function findChromium(): string | undefined {
  return NAMES.map((name) => findOnPath(name, process.env)).find((path) => path !== undefined);
}

/** No first-run pages, no calls home, no sandbox (tests often run as root in containers). */
export const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
