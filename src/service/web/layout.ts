import { type Html, html } from './html.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

/** Files of the pages' own, the only ones their policy lets them load. */
export const PAGE_FILES: Record<string, { contentType: string; text: string }> = {
  '/web/page.css': { contentType: 'text/css; charset=utf-8', text: PAGE_STYLE },
  '/web/page.js': { contentType: 'text/javascript; charset=utf-8', text: PAGE_SCRIPT },
  '/web/icon.svg': {
    contentType: 'image/svg+xml',
    text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4338ca"/><path d="M12 9.5v13l11-6.5z" fill="#fff"/><path d="M6 7v18" stroke="#a5b4fc" stroke-width="3" stroke-linecap="round"/></svg>',
  },
};

const NAVIGATION = [
  { path: '/', name: 'Projects' },
  { path: '/collections', name: 'Collections' },
  { path: '/schedules', name: 'Calendar' },
  { path: '/deliveries', name: 'Deliveries' },
] as const;

export type Section = (typeof NAVIGATION)[number]['path'];

export interface Page {
  title: string;
  /** Which entry of the navigation it belongs to. */
  section?: Section;
  /** What is inside `<main>`. */
  main: Html;
  /** Something on it is under way: the script looks for news more often. */
  isBusy?: boolean;
}

/** A whole document. The script replaces `<main>` only, and asks for this same document to do so. */
export function renderPage({ title, section, main, isBusy = false }: Page): string {
  const links = NAVIGATION.map(
    ({ path, name }) =>
      html`<li><a href="${path}"${section === path && html` aria-current="page"`}>${name}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · clipctl</title>
<link rel="icon" href="/web/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/web/page.css">
<script src="/web/page.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8"/><path class="play" d="M12 9.5v13l11-6.5z"/><path class="bar" d="M6 7v18"/></svg>clipctl</a>
<nav aria-label="Pages"><ul>${links}</ul></nav>
</header>
<main id="main" tabindex="-1" data-busy="${isBusy ? 'yes' : 'no'}">
${main}
</main>
<footer class="foot"><p>The local service of clipctl. Times are UTC.</p><p id="live" role="status"></p></footer>
</body>
</html>
`.text;
}

/** For whoever comes without the printed address. */
export function renderLocked(): string {
  return renderPage({
    title: 'Locked',
    main: html`<h1>This page needs its address</h1>
<div class="empty"><p>The local service prints it when it starts:</p>
<pre>clipctl serve --open</pre>
<p>Open the printed address, the one with <code>/?token=</code>. After that this browser may come back without it.</p>
<p><a class="button" href="/">Try again</a></p></div>`,
  });
}

/** Leaves the address with the token. A refresh, not a redirect: only then is the new cookie sent, wherever the visit began. */
export function renderAdmitted(): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>clipctl</title><link rel="icon" href="/web/icon.svg"><meta http-equiv="refresh" content="0;url=/"></head><body><p><a href="/">Go on to the projects</a></p></body></html>\n`;
}

export function renderMissing(): string {
  return renderPage({
    title: 'Not found',
    main: html`<h1>Nothing is here</h1>
<div class="empty"><p>There is no such page, or what it showed is gone.</p>
<p><a class="button" href="/">All projects</a></p></div>`,
  });
}
