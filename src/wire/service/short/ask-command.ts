import {
  CommandAnswer,
  type CommandPart,
  type CommandRequest,
  encodeCommand,
} from '../command-frames.ts';
import { exchangeOverPipe } from './pipe-exchange.ts';

/** The caller of a command that a daemon runs. */
export interface CommandCaller {
  /** How long the first part of the answer may take, in ms. */
  readonly answerMs: number;
  readonly onPart: (part: Exclude<CommandPart, 'refused'>) => void;
  /** Called once, if the daemon refuses the command, or its answer does not come, is none, or ends early. */
  readonly onFailed: () => void;
}

/**
 * Has the daemon at a socket run a command, with Node's own pipes. Whose socket it is, is not checked.
 *
 * @returns false if that cannot be tried; nothing is called then
 */
export function askCommand(
  socket: string,
  command: CommandRequest,
  { answerMs, onPart, onFailed }: CommandCaller,
): boolean {
  const request = encodeCommand(command);
  if (request === null) return false;
  const answer = new CommandAnswer();
  let isOver = false;
  const fail = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    connection?.destroy();
    onFailed();
  };
  const late = setTimeout(fail, answerMs);
  const connection = exchangeOverPipe(
    socket,
    {
      request,
      // Of a command that prints in parts.
      timeoutMs: partMs,
      received: (bytes) => {
        clearTimeout(late);
        const parts = isOver ? [] : answer.add(bytes);
        if (parts === null) return fail();
        for (const part of parts) {
          if (part === 'refused') fail();
          else onPart(part);
        }
      },
      ended: fail,
      failed: fail,
      timedOut: fail,
    },
    fail,
  );
  if (connection === null) clearTimeout(late);
  return connection !== null;
}

/** How long the next part of an answer may take, in ms. */
const partMs = 30_000;
