import { expect, it, vi } from 'vitest';
import type { Coordinator } from '#model';
import { runLine } from './perform.ts';
import type { Scene } from './scene.ts';

/** The scene of the session `work`, and the calls of its coordinator. */
function scene() {
  const calls = { end: vi.fn(), remove: vi.fn(), revive: vi.fn(), info: vi.fn() };
  const session = { name: 'work', id: '1' };
  return {
    calls,
    scene: {
      session,
      viewing: null,
      before: null,
      wants: () => false,
      sessions: new Map(),
      size: { cols: 80, rows: 24 },
      coordinator: calls as unknown as Coordinator,
      setClipboard: () => {},
    } satisfies Scene,
  };
}

it.each([
  ['rm build', 'rm has no argument'],
  ['kill build', 'kill has no argument'],
  ['revive build', 'revive has no argument'],
  ['detach now', 'detach has no argument'],
  ['attach', 'use attach SESSION'],
  ['resize 80', 'use resize COLSxROWS'],
  ['deatch', 'did you mean detach?'],
  ['constructor', 'no command "constructor"'],
])('the line %j is refused, and does nothing', async (line, message) => {
  const { scene: here, calls } = scene();
  await expect(runLine(line, here)).rejects.toThrow(message);
  for (const call of Object.values(calls)) expect(call).not.toHaveBeenCalled();
});

it.each([
  ['rm', 'remove'],
  [' kill ', 'end'],
] as const)('the line %j is for the session in view', async (line, method) => {
  const { scene: here, calls } = scene();
  await runLine(line, here);
  expect(calls[method]).toHaveBeenCalledWith(here.session);
});
