import { expect, it } from 'vitest';
import { elsewhereHint } from './web.ts';

const link = (host: string) => `http://${host}:7681/#t=x`;

it.each([
  ['/run/vtr.sock', '127.0.0.1', null],
  ['ssh://gpu1', 'vtr.example', null],
  [
    'ssh://gpu1',
    '127.0.0.1',
    /served on gpu1; .* ssh -N -L 7681:127\.0\.0\.1:7681 gpu1, .* vtr config add ssh:\/\/gpu1 && vtr web$/,
  ],
  ['ssh://me@gpu1:2222', 'localhost', / ssh -N -L 7681:localhost:7681 -p 2222 me@gpu1,/],
  ['ssh://gpu1', '[::1]', / ssh -N -L '7681:\[::1\]:7681' gpu1,/],
  [
    'docker://web',
    '[::1]',
    /at docker:\/\/web, .* forward port 7681, .* vtr config add docker:\/\/web/,
  ],
  ['exec:nsenter -t 1', '127.0.0.1', /forward port 7681$/],
])('says how to open a page of %s at %s', (socket, host, said) => {
  const hint = elsewhereHint(socket, link(host));
  if (said === null) expect(hint).toBeNull();
  else expect(hint).toMatch(said);
});
