import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readSmtpSettings } from '../../src/service/delivery/smtp-settings.js';
import { openDatabase, type Row } from '../../src/service/store/database.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { makeHome, runCli } from '../helpers/run-cli.js';
import { createProject, uploadVideo } from './project-client.js';

/** E-mails by SMTP, to a real mail server on a socket. */

const PASSWORD = 'p@ss:w/rd 7';
const LOGIN = `clips%40example.com:${encodeURIComponent(PASSWORD)}`;
const FIXTURES = join(import.meta.dirname, '../transfer/fixtures');

let service: TestService | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

interface Mailbox {
  port: number;
  /** Passwords that were given. */
  logins: string[];
  mails: { from: string; to: string[]; isEncrypted: boolean; text: string }[];
}

/** A mail server that takes everything from who knows the password, unless `options` say otherwise. */
async function startMailServer(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const box: Mailbox = { port: 0, logins: [], mails: [] };
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    key: await readFile(join(FIXTURES, 'storage-key.pem')),
    cert: await readFile(join(FIXTURES, 'storage-cert.pem')),
    onAuth({ username, password }, _session, done) {
      box.logins.push(String(password));
      if (username === 'clips@example.com' && password === PASSWORD) done(null, { user: username });
      // No good server repeats a password. This one does.
      else
        done(new Error(`wrong password ${password} or ${Buffer.from(String(password)).toString('base64')}`));
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        box.mails.push({ from, to, isEncrypted: secure, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined); // a client that hangs up is what some tests are about
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(resolve)));
  box.port = (server.server.address() as AddressInfo).port;
  return box;
}

/** A service with this mail server, and a project that fails at once and tells `email` of it. */
async function tellOf(smtpUrl: string, project: { title?: string; email?: string } = {}) {
  service = await startTestService({ env: { ...process.env, CLIPCTL_SMTP_URL: smtpUrl } });
  await createProject(service, {
    videoUrl: await uploadVideo(service, Buffer.from('no video')),
    uploadedVideoAttr: { title: project.title ?? 'A talk' },
    conclusionActions: [{ type: 'EMAIL', email: project.email ?? 'me@example.com', notifyFailure: true }],
  });
  return service;
}

/** The one delivery, read once `isThere` holds of it. */
async function deliveryOf({ dataDir }: TestService, isThere: (row: Row) => boolean): Promise<Row> {
  const db = await openDatabase(join(dataDir, 'store.db'));
  onTestFinished(() => db.close());
  return vi.waitFor(
    () => {
      const row = db.get('SELECT * FROM deliveries');
      if (!row || !isThere(row)) throw new Error(`the delivery is ${JSON.stringify(row)}`);
      return row;
    },
    { timeout: 60_000, interval: 100 },
  );
}

const isDelivered = ({ state }: Row) => state === 'DELIVERED';
const isGivenUp = ({ state }: Row) => state === 'FAILED';
const wasTried = ({ tries }: Row) => Number(tries) > 0;

/** Headers of a mail as it came over the wire, unfolded. */
function headersOf(text: string): string[] {
  return (text.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ').split('\r\n');
}

describe('an e-mail', () => {
  test('goes by SMTP, to its receiver alone, and titles and addresses cannot add headers', async () => {
    const box = await startMailServer();
    const running = await tellOf(`smtp://${LOGIN}@127.0.0.1:${box.port}`, {
      title: 'Über\r\nBcc: you@example.com\r\n\r\nbody\u0001',
      email: 'a,me@example.com',
    });
    expect(await deliveryOf(running, isDelivered)).toMatchObject({ tries: 1, last_status: 250 });
    const [mail, ...more] = box.mails;
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ from: 'clips@example.com', to: ['"a,me"@example.com'] });
    const headers = headersOf(String(mail?.text));
    expect(headers.map((line) => line.split(':')[0]).sort()).toEqual(
      [
        'Content-Transfer-Encoding',
        'Content-Type',
        'Date',
        'From',
        'MIME-Version',
        'Message-ID',
        'Subject',
        'To',
      ].sort(),
    );
    expect(headers).toContain('From: clipctl <clips@example.com>');
    expect(headers).toContain('To: <"a,me"@example.com>');
    expect(await readdir(join(running.dataDir, 'outbox'))).toEqual([]);
  });

  test('that the server puts off is sent again after a restart, as the same mail', async () => {
    const texts: string[] = [];
    const box = await startMailServer({
      onData(stream, _session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          texts.push(Buffer.concat(chunks).toString());
          done(texts.length > 2 ? null : Object.assign(new Error('busy, later'), { responseCode: 451 }));
        });
      },
    });
    const running = await tellOf(`smtp://${LOGIN}@127.0.0.1:${box.port}`);
    const putOff = await deliveryOf(running, wasTried);
    expect(putOff).toMatchObject({ state: 'PENDING', last_status: 451 });
    expect(putOff.last_error).toContain('busy, later');
    await running.restart();
    expect(await deliveryOf(running, isDelivered)).toMatchObject({ last_status: 250, last_error: null });
    const ids = texts.map((text) => headersOf(text).find((line) => line.startsWith('Message-ID: ')));
    expect(new Set(ids)).toEqual(new Set([`Message-ID: <${putOff.delivery_id}@example.com>`]));
  });

  test('that the server refuses for good is given up at once, in its words', async () => {
    const box = await startMailServer({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
    });
    const running = await tellOf(`smtp://${LOGIN}@127.0.0.1:${box.port}`);
    const row = await deliveryOf(running, isGivenUp);
    expect(row).toMatchObject({ tries: 1, last_status: 550 });
    expect(row.last_error).toMatch(/^the mail server: .*550 no such mailbox/);
  });

  test('with a wrong password is given up, and the password is nowhere', async () => {
    const wrong = 'Hunter2Hunter2';
    const box = await startMailServer();
    const running = await tellOf(`smtp://clips%40example.com:${wrong}@127.0.0.1:${box.port}`);
    const row = await deliveryOf(running, isGivenUp);
    expect(row).toMatchObject({ tries: 1, last_status: 535 });
    expect(row.last_error).toContain('535 wrong password [redacted] or [redacted]');
    expect(box.logins).toEqual([wrong]);
    await running.idle();
    const page = await fetch(running.pageUrl);
    const cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const shown = await (await fetch(`${running.url}/deliveries`, { headers: { cookie } })).text();
    expect(shown).toContain('[redacted]');
    const stored = await Promise.all(
      (await readdir(running.dataDir))
        .filter((name) => name.startsWith('store.db'))
        .map((name) => readFile(join(running.dataDir, name), 'latin1')),
    );
    const everything = [shown, ...running.logged, ...stored].join('\n');
    expect(everything).toContain('wrong password');
    for (const form of [wrong, Buffer.from(wrong).toString('base64')]) expect(everything).not.toContain(form);
  });

  test('goes to no server whose certificate is not trusted, unless told to', async () => {
    const box = await startMailServer({ secure: true, disabledCommands: [] });
    const running = await tellOf(`smtps://${LOGIN}@127.0.0.1:${box.port}`);
    const row = await deliveryOf(running, wasTried);
    expect(row).toMatchObject({ state: 'PENDING', last_status: null });
    expect(row.last_error).toMatch(/certificate/);
    expect(box.logins).toEqual([]);
    await running.stop();
    const trusting = await tellOf(`smtps://${LOGIN}@127.0.0.1:${box.port}?tls.rejectUnauthorized=false`);
    await deliveryOf(trusting, isDelivered);
    expect(box.mails).toMatchObject([{ isEncrypted: true }]);
  });

  test('is upgraded to TLS before the password is said; a server without it never hears it', async () => {
    const plain = await startMailServer();
    const running = await tellOf(`smtp://${LOGIN}@127.0.0.1:${plain.port}?requireTLS=true`);
    expect((await deliveryOf(running, wasTried)).last_error).toMatch(/STARTTLS/);
    expect(plain.logins).toEqual([]);
    await running.stop();
    const box = await startMailServer({ disabledCommands: [] });
    const query = 'requireTLS=true&tls.rejectUnauthorized=false';
    await deliveryOf(await tellOf(`smtp://${LOGIN}@127.0.0.1:${box.port}?${query}`), isDelivered);
    expect(box.mails).toMatchObject([{ isEncrypted: true }]);
  });
});

describe('the address of the mail server', () => {
  const read = (url: string, from?: string) =>
    readSmtpSettings({ CLIPCTL_SMTP_URL: url, CLIPCTL_SMTP_FROM: from });

  test.each([
    ['smtp://me:pw@mail.example.com', true],
    ['smtp://me:pw@mail.example.com:587?name=here', true],
    ['smtp://me:pw@mail.example.com?ignoreTLS=true', false],
    ['smtp://me:pw@localhost', false],
    ['smtp://me:pw@[::1]:1025', false],
    ['smtp://relay.example.com', false],
  ])('%s asks for TLS: %s', (url, requireTls) => {
    expect(read(url)?.requireTls).toBe(requireTls);
  });

  test('names the sender, unless another is given', () => {
    expect(read('smtp://me%40example.com:pw@mail.example.com')?.from).toBe('me@example.com');
    expect(read('smtp://me:pw@mail.example.com')?.from).toMatch(/^clipctl@./);
    expect(read('smtp://me:pw@mail.example.com', 'clips@example.com')?.from).toBe('clips@example.com');
    expect(readSmtpSettings({ CLIPCTL_SMTP_URL: '' })).toBeUndefined();
  });

  test.each([
    ['mail.example.com', undefined],
    ['http://me:secret@mail.example.com', undefined],
    ['smtp://me:secret@mail.example.com/inbox', undefined],
    ['smtp://me:secret@mail.example.com?requiretls=true', undefined],
    ['smtp://:secret@mail.example.com', undefined],
    ['smtp://me@mail.example.com', undefined],
    ['smtp://', undefined],
    ['smtp://me:secret@mail.example.com:99999', undefined],
    ['smtp://me:secret@mail.example.com', 'nobody'],
    ['smtp://me:secret@mail.example.com', 'a@b.example\r\nBcc: c@d.example'],
  ])('%s with sender %s does not start the service, and is not repeated', async (url, from) => {
    const { home, remove } = await makeHome();
    onTestFinished(remove);
    const env = { CLIPCTL_SMTP_URL: url, CLIPCTL_SMTP_FROM: from };
    const { exitCode, stdout, stderr } = await runCli('serve --port 0', { home, env });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: CLIPCTL_SMTP_(URL|FROM) /);
    expect(stderr).not.toContain('secret');
  });
});
