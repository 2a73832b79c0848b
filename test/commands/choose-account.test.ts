import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEYS, typeAt } from '../comfort/typing.js';
import { real, setScene } from '../helpers/scene.js';

const scene = setScene();
const line = real(['schedule', 'create', 'P1.C1', '--at', '+1h']);

describe('a missing account', () => {
  it('is chosen from the list by a person, with platform and name', async () => {
    const question = /FACEBOOK_PAGE {2}Sample Page[\s\S]*TIKTOK_BUSINESS {2}sample\.tiktok/;
    const result = await typeAt(line, [[question, KEYS.enter]], scene.options());
    expect([result.exitCode, result.stdout]).toEqual([0, expect.stringMatching(/^S\w+\n$/)]);
    expect(scene.bodies()[1]).toMatchObject(real({ postAccountId: 'A1', subAccountId: 'local-page-1' }));
  });

  it('is chosen for social copy too', async () => {
    const steps = [['Sample Page', KEYS.down + KEYS.enter]] as const;
    const result = await typeAt(real(['copy', 'P1.C1']), steps, scene.options());
    expect([result.exitCode, result.stdout]).toEqual([0, expect.stringMatching(/^T\w+\n$/)]);
    expect(scene.bodies()[1]).toEqual(real({ projectId: 'P1', clipId: 'C1', postAccountId: 'A2' }));
  });

  it('is 130 and nothing scheduled after Ctrl-C', async () => {
    const result = await typeAt(line, [['Sample Page', KEYS.ctrlC]], scene.options());
    expect([result.exitCode, result.stdout]).toEqual([130, '']);
    expect(scene.asked()).toEqual(['GET /api/social-accounts?q=mine']);
  });

  it('is not asked for when there is none, nobody, or the account is given', async () => {
    const given = await scene.cli([...line, '--account', real('A2')], { tty: true });
    expect([given.exitCode, given.stdout]).toEqual([0, expect.stringMatching(/^S\w+\n$/)]);
    await writeFile(join(scene.service.dataDir, 'accounts.json'), '{"accounts":[]}');
    expect(await typeAt(line, [], scene.options())).toMatchObject({ exitCode: 5, stdout: '' });
    for (const words of [['--no-input'], ['--json'], ['--quiet'], ['-n']]) {
      const result = await scene.cli([...line, ...words], { tty: true });
      expect([result.exitCode, result.stdout]).toEqual([2, '']);
      expect(result.stderr).toContain('--account');
    }
    expect(scene.asked()).toEqual(['POST /api/publish-schedules', 'GET /api/social-accounts?q=mine']);
  });
});

describe('schedule cancel', () => {
  it('asks a person, and does nothing when the answer is no', async () => {
    const cancel = (keys: string) =>
      typeAt(
        real(['schedule', 'cancel', 'S1']),
        [[real('Cancel scheduled post S1?'), keys]],
        scene.options(),
      );
    expect(await cancel(KEYS.enter)).toMatchObject({ exitCode: 130, stdout: '' });
    expect(scene.asked()).toEqual([]);
    expect(await cancel(`y${KEYS.enter}`)).toMatchObject({ exitCode: 0, stdout: real('S1\n') });
    expect((await scene.cli(real('schedule cancel S2 --yes'), { tty: true })).exitCode).toBe(0);
    expect(scene.asked()).toEqual(real(['S1', 'S2'].map((id) => `DELETE /api/publish-schedules/${id}`)));
  });
});
