import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellQuoted, wordOrQuoted } from '#base';
import { runs } from '../../test/support/run/runs.ts';
import {
  type Address,
  isAddress,
  nameOfAddress,
  parseAddress,
  printAddress,
  splitWords,
} from './address.ts';

const word = fc.stringMatching(/^[\w.][\w.-]{0,20}$/);
const user = fc.stringMatching(/^[\w.+@\\][\w.+@\\-]{0,10}$/);
const v6 = fc
  .tuple(fc.ipV6(), fc.option(fc.stringMatching(/^[\w.-]{1,8}$/)))
  .map(([ip, zone]) => (zone === null ? ip : `${ip}%${zone}`))
  .filter((ip) => !ip.includes('.'));
const socket = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => /^[^\p{Cc}]+$/u.test(text) && Buffer.byteLength(text) < 100)
  .filter((text) => Buffer.from(text).toString() === text)
  .map((text) => `/${text}`);
const context = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => /^[^\p{Cc}-][^\p{Cc}]*$/u.test(text) && Buffer.from(text).toString() === text);
const optional = <Name extends string, T>(name: Name, value: fc.Arbitrary<T>) =>
  fc.option(value).map((some) => (some === null ? {} : { [name]: some }));

const addresses: fc.Arbitrary<Address> = fc.oneof(
  fc
    .tuple(
      optional('user', user),
      fc.oneof(word, v6),
      optional('port', fc.integer({ min: 1, max: 65_535 })),
      optional('socket', socket),
    )
    .map(([who, host, port, path]) => ({ kind: 'ssh', ...who, host, ...port, ...path }) as Address),
  fc
    .tuple(fc.constantFrom('docker', 'podman'), word, optional('socket', socket))
    .map(([kind, container, path]) => ({ kind, container, ...path }) as Address),
  fc
    .tuple(optional('context', context), word, word, optional('container', word))
    .map(([at, namespace, pod, of]) => ({ kind: 'kube', ...at, namespace, pod, ...of }) as Address),
  fc
    .array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 })
    .filter(([program]) => program !== '')
    .map((command) => ({ kind: 'exec', command }) as unknown as Address),
);

describe('an address', () => {
  it('is parsed to what was printed', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const text = printAddress(address);
        expect(isAddress(text)).toBe(true);
        expect(parseAddress(text)).toEqual(address);
        expect(printAddress(parseAddress(text))).toBe(text);
      }),
      runs(300),
    );
  });

  it('has a name of letters, digits, ., _ and -', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(nameOfAddress(address)).toMatch(/^[\w.][\w.-]*$/);
      }),
      runs(300),
    );
  });

  it.each<[string, Address]>([
    ['ssh://gpu1', { kind: 'ssh', host: 'gpu1' }],
    ['ssh://gpu1/', { kind: 'ssh', host: 'gpu1' }],
    [
      'ssh://me@gpu1:2222/run/user/0/vtr.sock',
      { kind: 'ssh', user: 'me', host: 'gpu1', port: 2222, socket: '/run/user/0/vtr.sock' },
    ],
    ['ssh://a%40b@[::1]:22', { kind: 'ssh', user: 'a@b', host: '::1', port: 22 }],
    ['ssh://[fe80::1%25eth0]', { kind: 'ssh', host: 'fe80::1%eth0' }],
    ['ssh://[fe80::1%eth0]', { kind: 'ssh', host: 'fe80::1%eth0' }],
    ['ssh://h/a%20b', { kind: 'ssh', host: 'h', socket: '/a b' }],
    ['docker://web_1', { kind: 'docker', container: 'web_1' }],
    ['podman://web/tmp/v.sock', { kind: 'podman', container: 'web', socket: '/tmp/v.sock' }],
    ['kube://default/web-0', { kind: 'kube', namespace: 'default', pod: 'web-0' }],
    [
      'kube://arn:aws:eks:eu:1:cluster%2Fa@ns/pod/box',
      {
        kind: 'kube',
        context: 'arn:aws:eks:eu:1:cluster/a',
        namespace: 'ns',
        pod: 'pod',
        container: 'box',
      },
    ],
    [
      `exec:ssh -J 'a $b' "c\\"\\$" d\\ e`,
      { kind: 'exec', command: ['ssh', '-J', 'a $b', 'c"$', 'd e'] },
    ],
  ])('%s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each([
    ['ssh://-oProxyCommand=x', 'its host "-oProxyCommand=x" begins with -'],
    ['ssh://%2doProxyCommand', 'its host "-oProxyCommand" begins with -'],
    ['ssh://-l@host', 'its user "-l" begins with -'],
    ['ssh://', 'it has no host'],
    ['ssh://@host', 'its user "" is empty'],
    ['ssh://a b', 'a space'],
    ['ssh://a?x', 'write them as %3F'],
    ['ssh://$(id)', 'its host "$(id)" is empty or has characters that are not allowed'],
    ['ssh://h:0', 'its port "0" is not a number from 1 to 65535'],
    ['ssh://h:70000', 'its port "70000"'],
    ['ssh://h:', 'its port ""'],
    ['ssh://[::1', 'it has no host'],
    ['ssh://%zz', 'not valid percent-encoding'],
    [`ssh://h/${'x'.repeat(103)}`, 'its socket has more than 103 bytes'],
    ['ssh://h/a%00b', 'control characters'],
    ['docker://-it', 'its container "-it" begins with -'],
    ['docker://', 'it has no container'],
    ['podman://a:b', 'its container "a:b"'],
    ['kube://ns', 'use kube://[CONTEXT@]NAMESPACE/POD[/CONTAINER]'],
    ['kube://ns/', 'incomplete'],
    ['kube://ns/-p', 'its pod "-p" begins with -'],
    ['kube://-x@ns/p', 'its context "-x" begins with -'],
    ['kube://a/b@ns/p', 'with / in CONTEXT as %2F'],
    ['kube://ns/p/c/d', 'too many parts'],
    ['exec:', 'it has no command'],
    ["exec:''", 'it has no command'],
    ["exec:a 'b", "a quote ' is not closed"],
    ['exec:a "b', 'a quote " is not closed'],
    ['exec:a\\', 'it ends with a backslash'],
    ['exec:a | b', 'no shell runs that would interpret |'],
    ['exec:a "$HOME"', 'no shell runs that would interpret $'],
    ['exec:~/bin/x', 'no shell runs that would interpret ~'],
    ['ftp://host', 'its scheme is unknown; use the path of a Unix socket, or ssh://HOST'],
    ['unix:///run/x.sock', 'give the path alone: /run/x.sock'],
    ['./a://b', 'its scheme is unknown'],
  ])('%s is refused', (text, message) => {
    expect(isAddress(text)).toBe(true);
    expect(() => parseAddress(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(`the address ${wordOrQuoted(text)} cannot be used: `),
      }),
    );
    expect(() => parseAddress(text)).toThrow(message);
  });

  it.each(['a.sock', '/x/y.sock', 'gpu', 'host:22', './exec:a'])('%s is none', (text) => {
    expect(isAddress(text)).toBe(false);
  });
});

describe('split words', () => {
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });

  it('splits quoted words into the words', () => {
    fc.assert(
      fc.property(fc.array(text), (words) => {
        expect(splitWords(words.map(shellQuoted).join('  '))).toEqual(words);
      }),
      runs(300),
    );
  });

  it('splits as sh does, or refuses', () => {
    const lines = fc.sample(
      fc.array(fc.constantFrom('a', 'b', ' ', '\t', "'", '"', '\\', '%', '=', '-', '$', '|', '#')),
      { numRuns: 300, seed: 1 },
    );
    let count = 0;
    const scripts = lines.map((parts) => {
      const words = splitWords(parts.join(''));
      if (typeof words === 'string') return [];
      count++;
      // Prints each word on a line, and then a line that cannot be a word.
      return [{ words, line: `printf '%s\\n' ${parts.join('')} -- \n printf '\\001\\n'` }];
    });
    const accepted = scripts.flat();
    const { stdout, status } = spawnSync(
      'sh',
      ['-c', accepted.map(({ line }) => line).join('\n')],
      {
        encoding: 'utf8',
      },
    );
    expect([status, count > 50]).toEqual([0, true]);
    const texts = stdout.split('\x01\n').slice(0, -1);
    expect(texts).toEqual(accepted.map(({ words }) => `${[...words, '--'].join('\n')}\n`));
  });
});
