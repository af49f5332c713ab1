import { join } from 'node:path';
import type { Coordinator, SessionInfo } from '#model';
import { Programs } from '../measuring/programs.ts';
import { repositoryRoot } from '../repository-root.ts';
import { type Runner, type ShellPlace, size, type Told } from './runner.ts';

/** One call of a coordinator. */
export function callingRunner(coordinator: Coordinator, place: ShellPlace): Promise<Runner> {
  const programs = new Programs();
  return runner(coordinator, programs, place, async (session, line) => {
    const { exitCode, output, openEnd } = await coordinator.run(session, { line });
    programs.read(output.tail);
    return { exitCode, output: openEnd ? output.tail : `${output.tail}\n` };
  });
}

/**
 * `vtr run`, one process per line.
 *
 * @param coordinator of the daemon at `socket`
 */
export function commandRunner(
  coordinator: Coordinator,
  socket: string,
  place: ShellPlace,
): Promise<Runner> {
  const programs = new Programs({ VTR_SOCKET: socket });
  const command = join(repositoryRoot, 'dist/vtr.cjs');
  return runner(coordinator, programs, place, async ({ name }, line) => {
    const { status, stdout } = await programs.run(
      process.execPath,
      ...[command, 'run', name, '--', line],
    );
    return { exitCode: status, output: stdout };
  });
}

async function runner(
  coordinator: Coordinator,
  programs: Programs,
  { directory, env }: ShellPlace,
  run: (session: SessionInfo, line: string) => Promise<Told>,
): Promise<Runner> {
  const session = await coordinator.spawn({ program: 'bash', cwd: directory, env, size });
  await coordinator.wait(session, { prompt: true });
  return {
    async run(line) {
      const result = await run(session, line);
      return { ...result, ...programs.takeSpent() };
    },
    async close() {
      await coordinator.remove(session, { force: true });
    },
  };
}
