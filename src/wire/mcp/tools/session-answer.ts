import { sanitize } from '#base';
import type { ExitStatus, SessionInfo } from '#model';

/** How a program ended, in the document's words; the signal only where there was one. */
export function exitAnswer(status: ExitStatus | null) {
  return {
    exited: status !== null,
    exit_code: status?.code ?? null,
    ...(status?.signal == null ? {} : { signal: status.signal }),
  };
}

/** Who made the session has chosen its words, which may be a program that is itself in a session. */
export function sessionAnswer(info: SessionInfo) {
  return {
    session_id: info.name,
    program: sanitize(info.program).text,
    args: info.args.map((arg) => sanitize(arg).text),
    pid: info.pid,
    created_at: new Date(info.createdAtMs).toISOString(),
    dimensions: { rows: info.size.rows, cols: info.size.cols },
    ...exitAnswer(info.exitStatus),
    healthy: info.exitStatus === null,
  };
}
