import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globPattern } from '#base';
import { runs } from '../../test/support/run/runs.ts';
import { canonicalAddress, isAddress, parseAddress } from './address.ts';
import { isSelector, parseSelector, printSelector, type Selector } from './selector.ts';

const word = fc.stringMatching(/^[\w.][\w.-]{0,20}$/);
const visible = (pattern: RegExp) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .filter((text) => /^[^\p{Cc}-][^\p{Cc}]*$/u.test(text) && pattern.test(text))
    .filter((text) => Buffer.from(text).toString() === text);
const names = fc
  .stringMatching(/^[\w.*?[\]!^][\w.*?[\]!^-]{0,15}$/)
  .filter((text) => /[*?[]/.test(text) && globPattern(text) !== null);
const optional = <Name extends string, T>(name: Name, value: fc.Arbitrary<T>) =>
  fc.option(value).map((some) => (some === null ? {} : { [name]: some }));

const containers = fc.oneof(
  names.map((glob) => ({ names: glob, labels: [] })),
  fc
    .array(visible(/^[^=]/), { minLength: 1, maxLength: 3 })
    .map((labels) => ({ names: '*', labels })),
);
const pods = fc.oneof(
  names.map((glob) => ({ names: glob, labels: '' })),
  visible(/^[^*?[]*[=!,(][^*?[]*$/).map((labels) => ({ names: '*', labels })),
);
const selectors: fc.Arbitrary<Selector> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('docker', 'podman'),
      containers,
      optional(
        'socket',
        word.map((name) => `/${name}`),
      ),
    )
    .map(([kind, which, socket]) => ({ kind, ...which, ...socket }) as Selector),
  fc
    .tuple(optional('context', visible(/./)), word, pods, optional('container', word))
    .map(
      ([at, namespace, which, of]) =>
        ({ kind: 'kube', ...at, namespace, ...which, ...of }) as Selector,
    ),
);

describe('a selector', () => {
  it('is parsed to what was printed', () => {
    fc.assert(
      fc.property(selectors, (selector) => {
        const text = printSelector(selector);
        expect([isAddress(text), isSelector(text)]).toEqual([true, true]);
        expect(parseSelector(text)).toEqual(selector);
        expect(canonicalAddress(text)).toBe(text);
      }),
      runs(300),
    );
  });

  const any = { names: '*', labels: [] };

  it.each<[string, Selector]>([
    ['docker://web-*', { kind: 'docker', names: 'web-*', labels: [] }],
    [
      'docker://web-?/run/v.sock',
      { kind: 'docker', names: 'web-?', labels: [], socket: '/run/v.sock' },
    ],
    ['docker://web-%5B!0-3%5D', { kind: 'docker', names: 'web-[!0-3]', labels: [] }],
    ['podman://*', { kind: 'podman', ...any }],
    ['docker://label=app', { kind: 'docker', names: '*', labels: ['app'] }],
    [
      'docker://label=app=web,label=a.b%2Fc=1%2C2',
      { kind: 'docker', names: '*', labels: ['app=web', 'a.b/c=1,2'] },
    ],
    [
      'kube://ci/web-*/box',
      { kind: 'kube', namespace: 'ci', names: 'web-*', labels: '', container: 'box' },
    ],
    [
      'kube://a%2Fb@ci/app=web,tier!=x',
      { kind: 'kube', context: 'a/b', namespace: 'ci', names: '*', labels: 'app=web,tier!=x' },
    ],
    [
      'kube://ci/env%20in%20(a,b)',
      { kind: 'kube', namespace: 'ci', names: '*', labels: 'env in (a,b)' },
    ],
    [
      'kube://ci/!app.kubernetes.io%2Fname',
      { kind: 'kube', namespace: 'ci', names: '*', labels: '!app.kubernetes.io/name' },
    ],
  ])('%s', (text, selector) => {
    expect(parseSelector(text)).toEqual(selector);
    expect(() => parseAddress(text)).toThrow('it selects several, where one is needed');
  });

  it.each([
    ['docker://app=web', 'its filter "app=web" is not label=KEY or label=KEY=VALUE'],
    ['docker://label==x', 'its filter "label==x" is not'],
    ['docker://label=a,b', 'its filter "b" is not label=KEY or label=KEY=VALUE; write a comma'],
    ['docker://label=a%00b', 'is not label=KEY'],
    ['docker://-x*', 'its glob "-x*" begins with -'],
    ['podman://web(', 'its glob "web(" is empty or has characters'],
    ['docker://we b*', 'a space; write them as'],
    ['docker://%5Bz-a%5D', 'its glob "[z-a]" is not valid'],
    ['kube://ci/-l=x', 'its label selector "-l=x" begins with -'],
    ['kube://-n/app=web', 'its namespace "-n" begins with -'],
    ['kube://ci/app=web/-c', 'its container "-c" begins with -'],
    ['kube://*/app=web', 'its namespace "*" is empty or has characters'],
    ['kube://ci/env in (a)', 'a space; write them as %3F, %23 and %20'],
  ])('%s is refused', (text, message) => {
    expect(isSelector(text)).toBe(true);
    expect(() => canonicalAddress(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('whose label has a slash that is not encoded is refused with the fix', () => {
    expect(() => canonicalAddress('kube://ci/app.kubernetes.io/name=web')).toThrow(
      'write / in a label as %2F',
    );
  });

  it.each([
    ...['ssh://[::1]', 'ssh://a*', 'docker://web', 'docker://web/a=b', 'docker://web/*'],
    ...[
      'kube://a=b@ns/web',
      'kube://ns/web',
      'kube://ns/web/box',
      'exec:docker://*',
      '/run/*.sock',
    ],
  ])('%s is none', (text) => {
    expect(isSelector(text)).toBe(false);
  });
});
