import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultShell } from '#pty';

const last = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

it.each([
  { base: { SHELL: '/bin/sh' }, configured: undefined, shell: '/bin/sh' },
  { base: { SHELL: '/bin/sh' }, configured: '/no/such/shell', shell: '/no/such/shell' },
  { base: { SHELL: '/bin/sh' }, configured: '', shell: '/bin/sh' },
  { base: { SHELL: '/no/such/shell' }, configured: undefined, shell: last },
  { base: { SHELL: 'sh' }, configured: undefined, shell: last },
  { base: { SHELL: '' }, configured: undefined, shell: last },
  { base: {}, configured: undefined, shell: last },
])('SHELL=$base.SHELL, configured $configured: $shell', async ({ base, configured, shell }) => {
  expect(await defaultShell(base, configured)).toBe(shell);
});
