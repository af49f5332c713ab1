import type { Coordinator, SessionInfo } from '#model';
import type { Caller } from '../caller.ts';

/** What the toolset termcp runs, in each of its sessions. */
export interface TermcpCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether escape sequences are taken out of what is read. */
  readonly stripAnsi: boolean;
}

/** The session of that name; it is made with the server's command where there is none. */
export function termcpSession(
  caller: Caller,
  name: string,
): Promise<{ coordinator: Coordinator; session: SessionInfo }> {
  return caller.inTurn(async () => {
    const coordinator = await caller.host.start();
    const found = (await coordinator.list()).find((each) => each.name === name);
    return { coordinator, session: found ?? (await spawn(coordinator, caller, name)) };
  });
}

function spawn(coordinator: Coordinator, { options }: Caller, name: string): Promise<SessionInfo> {
  const { size, term, termcp, scrollbackLines } = options;
  return coordinator.spawn({
    name,
    ...(termcp === null ? {} : { program: termcp.program, args: termcp.args }),
    size,
    ...(scrollbackLines === null ? {} : { scrollbackLines }),
    env: { TERM: term },
    cwd: process.cwd(),
    // What is read is all that the program wrote, and nothing that we had it write.
    shellIntegration: false,
  });
}
