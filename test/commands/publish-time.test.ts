import { describe, expect, it } from 'vitest';
import { readPublishTime } from '../../src/commands/publish-time.js';
import { NOW } from '../helpers/make-sample.js';
import { real, setScene } from '../helpers/scene.js';

const read = (at: string, tz?: string, zone = 'UTC') =>
  readPublishTime(at, tz, { now: NOW, env: { TZ: zone } });

describe('--at', () => {
  it.each<[string, string | undefined, string]>([
    ['2030-01-31T09:00:00Z', undefined, '2030-01-31T09:00:00Z'],
    ['2030-01-31t09:00:00z', undefined, '2030-01-31T09:00:00Z'],
    ['2030-01-31 09:00+05:45', undefined, '2030-01-31T03:15:00Z'],
    ['2030-01-31T09:00:00.987654Z', undefined, '2030-01-31T09:00:00Z'],
    ['2032-02-29T00:00Z', undefined, '2032-02-29T00:00:00Z'],
    ['2030-01-31T09:00', 'America/New_York', '2030-01-31T14:00:00Z'],
    ['2030-07-31T09:00:30', 'America/New_York', '2030-07-31T13:00:30Z'],
    ['2030-01-31T09:00', 'Asia/Kolkata', '2030-01-31T03:30:00Z'],
    ['2030-03-31T01:59', 'Europe/Berlin', '2030-03-31T00:59:00Z'],
    ['2030-03-31T03:00', 'Europe/Berlin', '2030-03-31T01:00:00Z'],
    ['2030-10-27T02:30:00+02:00', 'Europe/Berlin', '2030-10-27T00:30:00Z'],
    ['2030-10-27T02:30:00+01:00', 'Europe/Berlin', '2030-10-27T01:30:00Z'],
    ['2030-10-27T02:30:00Z', 'Europe/Berlin', '2030-10-27T02:30:00Z'],
    ['+90m', undefined, '2030-01-01T13:30:00Z'],
    ['+2h', 'Asia/Tokyo', '2030-01-01T14:00:00Z'],
    ['+1d2h3m', undefined, '2030-01-02T14:03:00Z'],
  ])('%s in %s is %s', async (at, tz, publishAt) => {
    expect((await read(at, tz)).publishAt).toBe(publishAt);
  });

  it.each<[string, string | undefined, RegExp]>([
    ['2030-02-30T09:00Z', undefined, /no day and time of the calendar/],
    ['2030-02-29T09:00', 'Europe/Berlin', /no day and time/],
    ['2030-13-01T09:00Z', undefined, /no day and time/],
    ['2030-01-01T24:00Z', undefined, /no day and time/],
    ['2030-01-31T09:60Z', undefined, /no day and time/],
    ['2030-06-30T23:59:60Z', undefined, /no day and time/],
    ['2030-01-31T09:00+25:00', undefined, /no valid offset/],
    ['2030-01-31T09:00+0100', undefined, /is not a time/],
    ['2030-01-31', 'Europe/Berlin', /is not a time/],
    ['31.01.2030 09:00', 'Europe/Berlin', /is not a time/],
    ['1900000000', undefined, /is not a time/],
    ['2h', undefined, /is not a time/],
    ['+', undefined, /is not a time/],
    ['+2w', undefined, /is not a time/],
    ['-2h', undefined, /is not a time/],
    ['+0m', undefined, /is in the past/],
    ['2030-01-01T12:00:00Z', undefined, /is in the past/],
    ['2030-01-01T12:00:00.900Z', undefined, /is in the past/],
    ['2030-01-31T09:00', undefined, /does not say in which time zone/],
    ['2030-03-31T02:30', 'Europe/Berlin', /does not exist in Europe\/Berlin/],
    ['2030-10-27T02:30', 'Europe/Berlin', /comes twice in Europe\/Berlin/],
    ['2030-01-31T09:00+02:00', 'Europe/Berlin', /another offset than Europe\/Berlin, which has \+01:00/],
    ['2030-01-31T09:00', '+01:00', /is no time zone/],
    ['2030-01-31T09:00', '', /is no time zone/],
    ['+2h', 'Nowhere', /is no time zone/],
  ])('%s in %s is refused', async (at, tz, message) => {
    await expect(read(at, tz)).rejects.toThrow(message);
  });

  it.each(['+0m', '+0d0h0m'])('%s is never rounded up to a time to come', async (at) => {
    const now = new Date(NOW.getTime() + 1);
    await expect(readPublishTime(at, undefined, { now, env: {} })).rejects.toThrow(/is in the past/);
  });

  it('helps with a time that comes twice, and with a zone that is misspelt', async () => {
    await expect(read('2030-10-27T02:30', 'Europe/Berlin')).rejects.toMatchObject({
      details: { hint: expect.stringMatching(/2030-10-27T02:30:00\+02:00 or 2030-10-27T02:30:00\+01:00/) },
    });
    for (const tz of ['Berlin', 'Europe/Berln', 'europe/berlin '])
      await expect(read('+1h', tz)).rejects.toMatchObject({
        details: { hint: 'did you mean Europe/Berlin?' },
      });
  });

  it('is said back in the zone of the person and in UTC', async () => {
    expect((await read('2030-01-31T09:00:00Z', undefined, 'Asia/Tokyo')).said).toBe(
      'publishes at 2030-01-31 18:00 Asia/Tokyo (2030-01-31T09:00:00Z)',
    );
    expect((await read('+1h', undefined, ':/etc/localtime')).said).toContain('2030-01-01 13:00 UTC');
  });
});

describe('schedule create', () => {
  const scene = setScene();
  const made = expect.objectContaining({ exitCode: 0, stdout: expect.stringMatching(/^S\w+\n$/) });

  it('says the time back before it sends, and in a dry run', async () => {
    const line = real('schedule create P1.C1 --account A2 --at 2030-07-01T09:00 --tz Europe/Berlin');
    const dry = await scene.cli(`${line} -n`, { env: { CLIPCTL_API_KEY: undefined } });
    expect(JSON.parse(dry.stdout).notes).toEqual([
      'publishes at 2030-07-01 09:00 Europe/Berlin (2030-07-01T07:00:00Z)',
    ]);
    expect(scene.requests).toEqual([]);
  });

  it('sends only what was given', async () => {
    const short = real('schedule P1.C1 --account A2 --at +1h');
    const long = real('schedule create C1 --project P1 --account A2 --at +1h --privacy PRIVATE');
    expect([await scene.cli(short), await scene.cli(long)]).toEqual([made, made]);
    const common = real({ projectId: 'P1', clipId: 'C1', postAccountId: 'A2' });
    const publishAt = '2030-01-01T13:00:00Z';
    expect(scene.bodies()).toEqual([
      { ...common, publishAt },
      { ...common, publishAt, postDetail: { custom: { privacy: 'PRIVATE' } } },
    ]);
  });

  it('takes its clip or its description from stdin, not both', async () => {
    const flags = real('--account A2 --at +1h');
    const line = `schedule create - ${flags}`;
    expect(await scene.cli(line, { stdin: real('P1.C2\n') })).toEqual(made);
    const described = real(`schedule P1.C1 ${flags} --description-file -`);
    expect(await scene.cli(described, { stdin: 'said\n' })).toEqual(made);
    expect(scene.bodies()).toMatchObject([
      real({ projectId: 'P1', clipId: 'C2' }),
      { postDetail: { custom: { description: 'said' } } },
    ]);
    const both = await scene.cli(`schedule - ${flags} --description-file -`, { stdin: 'x' });
    expect(both.exitCode).toBe(2);
    const two = await scene.cli(line, { stdin: real('P1.C1\nP1.C2\n') });
    expect([two.exitCode, scene.requests.length]).toEqual([2, 2]);
  });
});
