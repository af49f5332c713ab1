import type { CommandOutputRequest } from '#model';
import { Terminal } from '#vt';
import { commandOutput, searchOutput } from '#watch';
import { type FakeSession, fakeSession } from './fake-session.ts';
import { integratedShell, shellMark } from './shell-marks.ts';

/** A shell that marks its commands, in a terminal of 40x8. */
export class MarkedShell {
  readonly fake: FakeSession;

  constructor(maxLines = 1000, size = { cols: 40, rows: 8 }) {
    const terminal = new Terminal({ size, scrollback: { maxLines, maxBytes: 1 << 24 } });
    this.fake = fakeSession(integratedShell, terminal);
    this.prompt();
  }

  /** Writes a chunk, and waits until it was applied: a large one takes several turns. */
  output(chunk: string | Uint8Array): void {
    const { session, pty, clock } = this.fake;
    pty.output(chunk);
    while (session.view.outputEnd < pty.outputEnd) clock.settleIo();
  }

  prompt(): void {
    this.output(`${shellMark('A')}$ ${shellMark('B')}`);
  }

  begin(line: string): void {
    this.output(`${line}\r\n${shellMark('C')}`);
  }

  end(): void {
    this.output(shellMark('D;0'));
    this.prompt();
  }

  /** Runs a command that writes some output, in chunks. */
  run(...chunks: (string | Uint8Array)[]): void {
    this.begin('command');
    for (const chunk of chunks) this.output(chunk);
    this.end();
  }

  read(number: number, request: CommandOutputRequest = {}) {
    const { session } = this.fake;
    return commandOutput(session.view, session.command(number), request);
  }

  text(number: number): string {
    return this.read(number).text.tail;
  }

  async matches(number: number, pattern: string) {
    const { session, clock } = this.fake;
    const command = session.command(number);
    return (await searchOutput(session.view, command, { pattern }, clock)).matches;
  }
}
