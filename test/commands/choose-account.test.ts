import { describe, expect, it } from 'vitest';
import { KEYS, typeAt } from '../comfort/typing.js';
import { setScene } from './scene.js';

const scene = setScene();
const line = ['schedule', 'create', 'P1.C1', '--at', '+1h'];

describe('a missing account', () => {
  it('is chosen from the list by a person, with platform and name', async () => {
    const steps = [[/TIKTOK_BUSINESS {2}Ada[\s\S]*FACEBOOK_PAGE {2}Bo/, KEYS.down + KEYS.enter]] as const;
    const result = await typeAt(line, steps, scene.options());
    expect([result.exitCode, result.stdout]).toEqual([0, 'S1\n']);
    expect(scene.bodies()[1]).toMatchObject({ postAccountId: 'A2', subAccountId: 'S2' });
  });

  it('is chosen for social copy too', async () => {
    const result = await typeAt(['copy', 'P1.C1'], [['Ada', KEYS.enter]], scene.options());
    expect([result.exitCode, result.stdout]).toEqual([0, 'J2\n']);
    expect(scene.bodies()[1]).toEqual({ projectId: 'P1', clipId: 'C1', postAccountId: 'A1' });
  });

  it('is 130 and nothing scheduled after Ctrl-C', async () => {
    const result = await typeAt(line, [['Ada', KEYS.ctrlC]], scene.options());
    expect([result.exitCode, result.stdout]).toEqual([130, '']);
    expect(scene.asked()).toEqual(['GET /api/social-accounts?q=mine']);
  });

  it('is not asked for when there is none, nobody, or the account is given', async () => {
    scene.service.answers.listAccounts = { body: { data: [] } };
    expect(await typeAt(line, [], scene.options())).toMatchObject({ exitCode: 5, stdout: '' });
    for (const words of [['--no-input'], ['--json'], ['--quiet'], ['-n']]) {
      const result = await scene.cli([...line, ...words], { tty: true });
      expect([result.exitCode, result.stdout]).toEqual([2, '']);
      expect(result.stderr).toContain('--account');
    }
    const given = await scene.cli([...line, '--account', 'A9'], { tty: true });
    expect([given.exitCode, given.stdout]).toEqual([0, 'S1\n']);
    expect(scene.asked()).toEqual(['GET /api/social-accounts?q=mine', 'POST /api/publish-schedules']);
  });
});

describe('schedule cancel', () => {
  it('asks a person, and does nothing when the answer is no', async () => {
    const no = await typeAt(
      ['schedule', 'cancel', 'S1'],
      [['Cancel scheduled post S1?', KEYS.enter]],
      scene.options(),
    );
    expect([no.exitCode, no.stdout, scene.asked()]).toEqual([130, '', []]);
    const yes = await typeAt(['schedule', 'cancel', 'S1'], [['Cancel', `y${KEYS.enter}`]], scene.options());
    expect([yes.exitCode, yes.stdout]).toEqual([0, 'S1\n']);
    expect((await scene.cli('schedule cancel S1 --yes', { tty: true })).exitCode).toBe(0);
    expect(scene.asked()).toHaveLength(2);
  });
});
