import { describe, expect, test } from 'vitest';
import {
  judge,
  putHeaders,
  redactAddresses,
  resolveLocation,
  storedFacts,
} from '../../src/transfer/storage-protocol.js';

const answer = (status: number, headers: Record<string, string> = {}, text = '') => ({
  status,
  headers,
  text,
});

describe('answers', () => {
  test.each([
    [200, 'complete'],
    [201, 'complete'],
    [204, 'complete'],
    [404, 'gone'],
    [410, 'gone'],
    [499, 'gone'],
    [408, 'busy'],
    [429, 'busy'],
    [500, 'busy'],
    [503, 'busy'],
    [507, 'busy'],
    [202, 'busy'],
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [412, 'refused'],
    [413, 'refused'],
    [302, 'refused'],
    [307, 'refused'],
  ])('%i is %s', (status, kind) => expect(judge(answer(status), 10).kind).toBe(kind));

  test.each([
    [undefined, 0],
    ['bytes=0--1', 0],
    ['bytes=0-0', 1],
    ['bytes=0-41', 42],
    ['bytes 0-41', 42],
    ['bytes 0-41/100', 42],
    ['bytes=0-99', 100],
  ])('308 with Range %s keeps %i bytes', (range, bytes) => {
    expect(judge(answer(308, range === undefined ? {} : { range }), 100)).toEqual({ kind: 'kept', bytes });
  });

  test.each(['bytes=5-9', 'bytes=0-100', 'bytes=0-x', 'bytes=0-9,20-29', 'bytes=0--2'])(
    '308 with Range %s is not believed',
    (range) => expect(judge(answer(308, { range }), 100).kind).toBe('busy'),
  );

  test.each([
    ['{"errorName":"TooLarge","errorMessage":"at most 5 GB"}', 'TooLarge', 'at most 5 GB'],
    ['{"error":{"message":"at most\\n5 GB"}}', undefined, 'at most 5 GB'],
    ['{"errorMessage":"see https:\\/\\/storage.test\\/s\\/secret"}', undefined, 'see https://storage.test/…'],
    [
      'too large, see https://storage.test/session/secret-token?sig=abc',
      undefined,
      'too large, see https://storage.test/…',
    ],
    ['<html><p>too large</p></html>', undefined, 'too large'],
    [`<html><meta content="${'x'.repeat(400)}"><p>too large</p></html>`, undefined, 'too large'],
    ['', undefined, undefined],
  ])(
    'a refusal tells the words of the storage, without markup and secret addresses: %s',
    (text, errorName, errorMessage) => {
      const verdict = judge(answer(413, {}, text), 10);
      if (verdict.kind !== 'refused') throw new Error(verdict.kind);
      expect(verdict.error.kind).toBe('rejected');
      expect(verdict.error.details).toMatchObject({ errorName, errorMessage });
    },
  );
});

describe('locations', () => {
  const from = new URL('https://storage.test/a/link?x=1');
  test.each([
    ['https://other.test/s/1', 'https://other.test/s/1'],
    ['/s/1?t=2', 'https://storage.test/s/1?t=2'],
    ['s/1', 'https://storage.test/a/s/1'],
    ['//other.test/s', 'https://other.test/s'],
    ['?session=1', 'https://storage.test/a/link?session=1'],
  ])('%s', (location, url) => expect(resolveLocation(location, from).href).toBe(url));

  test.each([[undefined], ['ftp://x/y'], ['https://'], ['http://storage.test/plain']])(
    '%s is refused',
    (location) => {
      expect(() => resolveLocation(location, from)).toThrow(expect.objectContaining({ kind: 'service' }));
    },
  );
});

test('only a whole file that was never broken goes without Content-Range', () => {
  const span = { from: 0, until: 10, totalBytes: 10, afterBreak: false };
  expect(putHeaders(span)).toEqual({ 'Content-Type': 'application/octet-stream', 'Content-Length': 10 });
  expect(putHeaders({ ...span, afterBreak: true })).toHaveProperty('Content-Range', 'bytes 0-9/10');
  expect(putHeaders({ ...span, from: 4 })).toMatchObject({
    'Content-Range': 'bytes 4-9/10',
    'Content-Length': 6,
  });
});

test('what is stored is read from any header family', () => {
  expect(
    storedFacts({ 'x-goog-stored-content-length': '12', 'x-goog-hash': 'crc32c=AAAA==, md5=abc=' }),
  ).toEqual({
    lengthBytes: 12,
    hashes: [
      { algorithm: 'crc32c', value: 'AAAA==' },
      { algorithm: 'md5', value: 'abc=' },
    ],
  });
  expect(storedFacts({ 'x-storage-hash': 'SHA-256=ff' }).hashes).toEqual([
    { algorithm: 'sha256', value: 'ff' },
  ]);
  expect(storedFacts({ 'content-length': '3' })).toEqual({ hashes: [] });
});

test('addresses lose what is secret in them', () => {
  expect(redactAddresses('PUT http://127.0.0.1:80/s/token failed')).toBe('PUT http://127.0.0.1:80/… failed');
});
