import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { buildEnvironment, type PtySpawnRequest } from '#pty';

let spawned = 0;

/** A request with defaults for the fields that the test does not give. */
export function ptyRequest(
  program: string,
  args: readonly string[] = [],
  more: Partial<PtySpawnRequest> = {},
): PtySpawnRequest {
  const cwd = tmpdir();
  return {
    program,
    args,
    cwd,
    env: buildEnvironment({ isMinimal: true, base: process.env, cwd }),
    size: { cols: 80, rows: 24 },
    marker: { name: 'test', id: freshId() },
    ...more,
  };
}

/** A marker id that is unique across tests and runs. */
export function freshId(): string {
  spawned++;
  return `${process.pid}-${Date.now()}-${spawned}`;
}

/** Path of a program in test/programs. */
export function testProgram(name: string): string {
  return fileURLToPath(new URL(`../../programs/${name}`, import.meta.url));
}
