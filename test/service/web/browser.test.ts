import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../helpers/local-service.js';
import { createProject, uploadVideo } from '../project-client.js';
import { CHROMIUM_FLAGS, findChromium } from './find-chromium.js';
import { seedClip, seedProject, seedSchedule, withStore } from './seed-store.js';

/** The pages in a real browser: the first visit, videos, the script, the phone. */

const executablePath = findChromium();
if (!executablePath) {
  console.log(
    'The web pages are not tested in a browser: no chromium was found (Debian: apt-get install chromium).',
  );
}

describe.skipIf(!executablePath)('in a browser', () => {
  let service: TestService;
  let browser: Browser;
  let projectId: string;

  beforeAll(async () => {
    service = await startTestService();
    browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
    const videoUrl = await uploadVideo(service);
    const project = await createProject(service, {
      videoUrl,
      uploadedVideoAttr: { title: 'A talk' },
      curationPref: { clipDurations: [[0, 15]], range: { startSec: 0, endSec: 30 } },
    });
    projectId = project.id;
    await service.idle();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** A fresh visitor with the printed address. What the browser complains about is collected. */
  async function visit(options: { javaScriptEnabled?: boolean; width?: number } = {}) {
    const { javaScriptEnabled = true, width = 1280 } = options;
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width, height: 844 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
    });
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) foreign.push(request.url());
    });
    await page.goto(service.pageUrl);
    await page.waitForURL(`${service.url}/`);
    await page.waitForSelector('h1');
    return { page, complaints, foreign, close: () => context.close() };
  }

  const firstVideo = (page: Page) => page.locator('video').first();

  test('the first visit leaves the token behind; clips are there and play', async () => {
    const { page, complaints, foreign, close } = await visit();
    expect(await page.title()).toBe('Projects · clipctl');
    await page.getByRole('link', { name: 'A talk' }).last().click();
    await page.waitForURL(`${service.url}/projects/${projectId}`);
    await firstVideo(page).evaluate((video: { muted: boolean; play(): Promise<void> }) => {
      video.muted = true;
      return video.play();
    });
    await expect
      .poll(() => firstVideo(page).evaluate((video: { currentTime: number }) => video.currentTime))
      .toBeGreaterThan(0.3);
    expect(await page.locator('.reason').first().textContent()).toMatch(/^It .+\.$/);
    await page.getByText('What moved the score').first().click();
    expect(await page.locator('.why tbody tr').first().isVisible()).toBe(true);
    expect([complaints, foreign]).toEqual([[], []]);
    await close();
  });

  test('everything is there without script', async () => {
    const { page, close } = await visit({ javaScriptEnabled: false });
    for (const name of ['Collections', 'Calendar', 'Deliveries', 'Projects']) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
      expect(await page.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page');
    }
    await page.getByRole('link', { name: 'A talk' }).last().click();
    await page.getByText('What is said').first().click();
    expect(await page.locator('blockquote').first().isVisible()).toBe(true);
    expect(await firstVideo(page).getAttribute('src')).toMatch(/^\/media\/clip\//);
    await close();
  });

  test('news come by themselves, touch nothing that is in use, and wait while a video plays', async () => {
    const { page, complaints, close } = await visit();
    const busy = await withStore(service, (db) => seedProject(db, { title: 'Under way', stage: 'RENDER' }));
    await page.goto(`${service.url}/projects/${busy}`);
    await page.getByText('Preferences it was made with').click();
    await withStore(service, (db) => seedClip(db, busy, { title: 'Fresh from the oven' }));
    await page.getByText('Fresh from the oven').waitFor();
    expect(await page.locator('details[data-key=preferences]').getAttribute('open')).not.toBeNull();

    await page.goto(service.url);
    await firstVideo(page).evaluate(
      (video: { muted: boolean; loop: boolean; marked: boolean; play(): Promise<void> }) => {
        Object.assign(video, { muted: true, loop: true, marked: true });
        return video.play();
      },
    );
    await withStore(service, (db) => seedProject(db, { title: 'Came while watching' }));
    await page.waitForTimeout(5000);
    expect(await page.getByText('Came while watching').count()).toBe(0);
    await firstVideo(page).evaluate((video: { pause(): void }) => video.pause());
    await page.getByText('Came while watching').waitFor();
    expect(await firstVideo(page).evaluate((video: { marked?: boolean }) => video.marked)).toBe(true);
    await withStore(service, (db) =>
      db.run(`UPDATE projects SET stage = 'COMPLETE' WHERE project_id = ?`, busy),
    );
    expect(complaints).toEqual([]);
    await close();
  });

  test('a hostile title runs nothing and loads nothing', async () => {
    const title = '<img src="https://example.com/x.png" onerror="window.hit=1"><script>window.hit=1</script>';
    const hostile = await withStore(service, (db) =>
      seedProject(db, { title, error: title, stage: 'STALLED' }),
    );
    const { page, complaints, foreign, close } = await visit();
    await page.goto(`${service.url}/projects/${hostile}`);
    expect(await page.locator('h1').textContent()).toBe(title);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect([complaints, foreign]).toEqual([[], []]);
    await close();
  });

  test('a page of another port can neither read nor frame it', async () => {
    const other = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<h1>Other</h1><iframe src="${service.url}/"></iframe>`);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { page, close } = await visit();
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    expect(await page.context().cookies(service.url)).toHaveLength(1);
    const read = `fetch('${service.url}/', {credentials: 'include'}).then((answer) => answer.text(), () => 'refused')`;
    expect(await page.evaluate(read)).toBe('refused');
    const frame = page.frames()[1];
    expect(await frame?.evaluate('document.body.innerText.includes("A talk")').catch(() => false)).toBe(
      false,
    );
    await close();
    other.close();
  });

  test('fits a phone: nothing scrolls sideways, and the month is a list', async () => {
    await withStore(service, (db) => {
      const long = seedProject(db, {
        title: 'Verylongwordwithoutanyspace'.repeat(8),
        error: 'x'.repeat(300),
        stage: 'STALLED',
      });
      const clipId = seedClip(db, long, { title: 'Unbroken'.repeat(20) });
      seedSchedule(db, clipId, { publishAt: '2031-03-05T10:00:00.000Z', title: 'A post' });
    });
    const { page, close } = await visit({ width: 390 });
    for (const path of [
      '/',
      `/projects/${projectId}`,
      '/collections',
      '/schedules?month=2031-03',
      '/deliveries',
    ]) {
      await page.goto(service.url + path);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390]);
    }
    await page.goto(`${service.url}/schedules?month=2031-03`);
    expect(await page.locator('td.free').first().isVisible()).toBe(false);
    expect(await page.locator('td .post').first().isVisible()).toBe(true);
    await close();
  });
});
