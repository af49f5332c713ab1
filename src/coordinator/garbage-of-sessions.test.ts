import { expect, it } from 'vitest';
import { FakePtyHost } from '../../test/support/pty/fake-pty-host.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { LocalCoordinator } from './local-coordinator.ts';

it('garbage of sessions is collected when nothing is typed or printed, and not at their end', async () => {
  const clock = new VirtualClock();
  const host = new FakePtyHost();
  let collections = 0;
  const collectGarbage = () => {
    collections++;
  };
  const coordinator = new LocalCoordinator({ ptyHost: host, clock, collectGarbage });
  const { id, name } = await coordinator.spawn({ name: 'typed', program: '/bin/fake' });
  for (let time = 0; time < 50; time++) await coordinator.spawn({ program: '/bin/fake' });
  for (let time = 0; time < 10; time++) {
    await coordinator.sendText(name, 'x');
    clock.advance(4_000);
    host.pty(id).output(Buffer.from('x'));
    clock.advance(4_000);
  }
  expect(collections).toBe(0);
  clock.advance(8_000);
  expect(collections).toBe(1);
  await coordinator.close();
  clock.advance(600_000);
  expect(collections).toBe(1);
});
