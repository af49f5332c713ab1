import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { asVtrError } from '#model';
import { expandWithTime } from '../format/expand.ts';
import { programEnvironment } from '../state/environment.ts';
import type { Arguments } from '../words/arguments.ts';
import type { Call, Commands } from './call.ts';

export const pipeCommands = {
  'pipe-pane': {
    usage: '[-IOo] [-t target-pane] [shell-command]',
    words: [0, 1],
    run: pipePane,
  },
} satisfies Commands;

/**
 * Output that waits for a command that reads slowly, in bytes. tmux has no limit. With more, the command's
 * input ends: a hole in it would not be seen.
 */
const maxUnreadBytes = 64 * 1024 * 1024;

async function pipePane(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const target = call.target(args, 'pane');
  const { pane } = target;
  const [word = ''] = args.words;
  const had = pane.pipe !== null;
  pane.pipe?.end();
  pane.pipe = null;
  if (word === '' || (args.has('o') && had)) return;
  const line = await expandWithTime(word, call.about(target));
  const toPane = args.has('I');
  const fromPane = args.has('O') || !toPane;
  const { coordinator, withoutSecrets } = server.programs;
  const redact = withoutSecrets !== null;
  // Before the command starts, so that no output after this call is missed.
  const since = await coordinator.mark(pane.session);
  const events = await coordinator.subscribe(pane.session, { since, scrollbackLines: 0, redact });
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: call.caller.cwd,
    env: programEnvironment(server.environment, target.session.environment),
    stdio: ['pipe', toPane ? 'pipe' : 'ignore', 'ignore'],
  });
  server.programs.own(child);
  const { stdin } = child;
  if (stdin === null) return events.dispose();
  const end = () => {
    events.dispose();
    stdin.end();
  };
  const pipe = { child, end };
  pane.pipe = pipe;
  const ended = () => {
    end();
    if (pane.pipe === pipe) pane.pipe = null;
  };
  child.once('error', ended);
  const closed = new Promise<void>((resolve) => child.once('close', resolve));
  void closed.then(ended);
  stdin.on('error', ended);
  if (!fromPane) stdin.end();
  const { stdout } = child;
  if (stdout !== null) {
    void typeAll(stdout, (bytes) => coordinator.sendBytes(pane.session, bytes)).catch((error) => {
      server.messages.push(`pipe-pane: ${line}: ${asVtrError(error).message}`);
      ended();
    });
  }
  void (async () => {
    let hasBegun = false;
    for await (const event of events) {
      // A later snapshot replaces output that was too much.
      if (event.type === 'snapshot' && hasBegun) break;
      hasBegun = true;
      if (event.type !== 'output' || !fromPane) continue;
      stdin.write(event.bytes);
      if (stdin.writableLength > maxUnreadBytes) await Promise.race([once(stdin, 'drain'), closed]);
    }
    ended();
  })().catch(ended);
}

/** Types the output of a command, and reads it no faster than the program does. @throws VtrError */
async function typeAll(output: Readable, type: (bytes: Buffer) => Promise<unknown>): Promise<void> {
  for await (const bytes of output) await type(bytes as Buffer);
}
