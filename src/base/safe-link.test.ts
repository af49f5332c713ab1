import { expect, test } from 'vitest';
import { safeLink } from '#base';

test.each([
  ['https://example.org/a?b#c', true, true],
  ['HTTP://h', true, true],
  ['mailto:a@example.org', true, true],
  ['ftp://h/x', true, false],
  ['file:///etc/passwd', true, false],
  ['http://a b', false, false],
  ['https:x', false, false],
  ['https://', false, false],
  ['javascript:alert(1)', false, false],
  ['data:text/html,x', false, false],
  ['https://ä.example', false, false],
  [`https://h/${'a'.repeat(2073)}`, true, true],
  [`https://h/${'a'.repeat(2074)}`, false, false],
  [null, false, false],
])('%j: a terminal %j, a browser %j', (uri, terminal, browser) => {
  expect(safeLink(uri, 'terminal')).toBe(terminal ? uri : null);
  expect(safeLink(uri, 'browser')).toBe(browser ? uri : null);
});
