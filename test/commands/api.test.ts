import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { real, setScene } from '../helpers/scene.js';

const scene = setScene();
const refusal = { status: 422, body: { errorName: 'Odd', errorMessage: 'not like this' } };

describe('api', () => {
  it('prints the body of a refusal, and its error on stderr', async () => {
    scene.planAnswer('createCollection', refusal, { repeat: 2 });
    const line = 'api POST /api/collections -f collectionName=May';
    const text = await scene.cli(line);
    expect([text.exitCode, text.stdout]).toEqual([7, JSON.stringify(refusal.body)]);
    expect(text.stderr).toMatch(/error: [\s\S]*Odd: not like this/);
    const json = await scene.cli(`${line} --json`);
    expect([json.exitCode, json.stdout]).toEqual([7, '']);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { errorName: 'Odd', httpStatus: 422 } });
  });

  it.each([
    [401, 3],
    [403, 4],
    [404, 5],
    [429, 6],
    [500, 8],
    [302, 8],
  ])('ends a %i with %i', async (status, exitCode) => {
    scene.planAnswer('listAccounts', { status, body: 'as it came' });
    const result = await scene.cli('api GET /api/social-accounts --retries 0');
    expect([result.exitCode, result.stdout]).toEqual([exitCode, 'as it came']);
  });

  it('prints exactly the bytes that came', async () => {
    scene.planAnswer('listAccounts', { body: '{ "data" : [1.0,\t12345678901234567890] }' });
    expect((await scene.cli('api get /api/social-accounts')).stdout).toBe(
      '{ "data" : [1.0,\t12345678901234567890] }',
    );
  });

  it('shows a person nothing that steers the terminal', async () => {
    scene.planAnswer('listAccounts', { body: '{"a":"\u001b[2J"}' });
    const { stdout } = await scene.cli('api GET /api/social-accounts', { tty: true, env: { CI: '1' } });
    expect(stdout).toBe('{"a":"\\x1b[2J"}\n');
  });

  it('filters, and puts the head into the document', async () => {
    const query = await scene.cli('api GET /api/social-accounts?q=mine --query data[0].postAccountId');
    expect(query.stdout).toBe('local-page\n');
    const { stdout } = await scene.cli(real('api GET /api/clip-projects/P1 -i --json'));
    expect(JSON.parse(stdout)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { id: real('P1') },
    });
  });

  it('builds bodies as gh does', async () => {
    const file = join(scene.home, 'prompt.txt');
    await writeFile(file, 'from a file');
    const fields = ['-f', 'videoUrl=https://v.example/a', '-f', 'n=1', '-F', 'm=1', '-F', 'o=null'];
    const nested = [
      '-F',
      'c[model]=ClipAnything',
      '-F',
      `c[customPrompt]=@${file}`,
      '-F',
      'l[]=1',
      '-f',
      'l[]=x',
    ];
    const plan = await scene.cli(['api', 'POST', '/api/clip-projects', ...fields, ...nested, '-n']);
    expect(JSON.parse(plan.stdout).requests).toEqual([
      {
        method: 'POST',
        url: `${scene.url}/api/clip-projects`,
        headers: { 'Content-Type': 'application/json' },
        body: {
          videoUrl: 'https://v.example/a',
          n: '1',
          m: 1,
          o: null,
          c: { model: 'ClipAnything', customPrompt: 'from a file' },
          l: [1, 'x'],
        },
      },
    ]);
    expect(scene.requests).toEqual([]);
  });

  it('sends a file or stdin as the body', async () => {
    const file = join(scene.home, 'body.json');
    await writeFile(file, '{"collectionName": "June"}');
    await scene.cli(['api', 'POST', '/api/collections', '--input', file]);
    await scene.cli('api POST /api/collections --input -', { stdin: '{"collectionName":"July"}' });
    expect(scene.bodies()).toEqual([{ collectionName: 'June' }, { collectionName: 'July' }]);
    expect(scene.requests[0]?.body).toBe('{"collectionName": "June"}');
  });

  it('sends no key and no request to another host', async () => {
    for (const path of ['https://evil.example/api/x', '//evil.example', '/\\evil.example', '/a b', 'api/x']) {
      const result = await scene.cli(['api', 'GET', path]);
      expect([result.exitCode, result.stdout]).toEqual([2, '']);
    }
    expect(scene.requests).toEqual([]);
  });

  it.each([
    ['api GET /api/x --input -', /GET has no body/],
    ['api POST /api/x --input - -f a=1', /exclude each other/],
    ['api POST /api/x -f a=1 -f a[b]=2', /fits into no body/],
    ['api POST /api/x -f a[=1', /fits into no body/],
    ['api POST /api/x --input missing.json', /cannot read missing\.json/],
    ['api POST /api/x -F =1', /is no field/],
  ])('refuses %s', async (line, message) => {
    const result = await scene.cli(line);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toMatch(message);
    expect(scene.requests).toEqual([]);
  });
});
