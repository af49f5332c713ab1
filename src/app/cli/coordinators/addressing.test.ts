import { describe, expect, it } from 'vitest';
import { splitAddress } from './addressing.ts';

describe('a session in a command', () => {
  it.each([
    ['build', undefined, 'build'],
    ['gpu:build', 'gpu', 'build'],
    ['/run/a:b.sock:build', '/run/a:b.sock', 'build'],
    ['ssh://gpu1:build', 'ssh://gpu1', 'build'],
    ['ssh://me@gpu1:2222:7', 'ssh://me@gpu1:2222', '7'],
    ['ssh://[::1]:build', 'ssh://[::1]', 'build'],
    ['ssh://gpu1/run/vtr.sock:build-*', 'ssh://gpu1/run/vtr.sock', 'build-*'],
    ['docker://web:build', 'docker://web', 'build'],
    ['docker://web-*:build', 'docker://web-*', 'build'],
    ['kube://team/web:build', 'kube://team/web', 'build'],
  ])('%s is that of a coordinator and a name', (text, coordinator, session) => {
    expect(splitAddress(text)).toEqual({ coordinator, session });
  });

  it.each([
    ['ssh://gpu1', 'add the name of a session: ssh://gpu1:NAME'],
    ['ssh://gpu1:2222', 'add the name of a session: ssh://gpu1:2222:NAME'],
    ['ssh://[::1]', 'add the name of a session'],
    ['docker://web', 'add the name of a session'],
    ['exec:docker exec web:build', 'use --coordinator ADDRESS and the name alone'],
    ['exec:a:build', 'use --coordinator ADDRESS and the name alone'],
    ['ssh://-oX:build', 'its host "-oX" begins with -'],
    ['http://gpu1:build', 'its scheme is unknown'],
    ['ssh://gpu1:', 'add the name of a session'],
  ])('%s is refused, with what to give', (text, message) => {
    expect(() => splitAddress(text)).toThrow(message);
  });
});
