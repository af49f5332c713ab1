import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock } from '#base';
import type { EndedBy, ExitStatus, SessionInfo, Variables } from '#model';
import type { AdoptedPty } from '#pty';
import { Terminal } from '#vt';
import { restoreTerminal, type SavedLines } from '#vt/saving';
import type { LineArchives } from '../archive/archived-terminal.ts';
import { KnownSecrets } from '../known-secrets.ts';
import { type SessionBefore, terminalBelow } from '../lines-above.ts';
import { Session } from '../session.ts';
import {
  type CoordinatorFacts,
  completeFacts,
  decodeFacts,
  infoOf,
  type SessionFacts,
} from './session-facts.ts';
import { decodeLines } from './session-saving.ts';
import { decodeState, type SessionState } from './session-state.ts';

export interface LeftSessionOptions {
  readonly clock: Clock;
  /** Called with the error of an observer that threw, and with internal errors. */
  readonly onFault: (error: unknown) => void;
  /** The reason why its program ended, if its host is lost. */
  readonly endedBy?: EndedBy;
  /** Whether changes are missing in what was saved of it; default false. */
  readonly isPartial?: boolean;
  /** Returns the values of variables that are secrets. Default: none are. */
  readonly secretsOf?: (variables: Variables) => readonly string[];
  /** For the lines that its scrollback drops, and has dropped. Default: they are lost. */
  readonly archives?: LineArchives;
}

/** A session that another coordinator left, before it is restored. */
export class LeftSession {
  readonly adopted: AdoptedPty;
  /** As they were last saved. */
  readonly facts: SessionFacts;
  /** Contract: {@link Session.secrets}. Those of a session whose host is lost are not known. */
  readonly secrets: KnownSecrets;
  readonly #options: LeftSessionOptions;
  readonly #isNamed: boolean;

  constructor(adopted: AdoptedPty, options: LeftSessionOptions) {
    const saved = decodeFacts(adopted.saved.facts);
    this.adopted = adopted;
    this.#options = options;
    this.#isNamed = saved !== null;
    const facts = withEnd(saved ?? factsOf(adopted), options.endedBy);
    this.facts = options.isPartial === true ? { ...facts, restored: 'partly' } : facts;
    const { secretsOf = () => [] } = options;
    // The system forgets the environment of a program with it, and its output stays.
    const secrets = adopted.secrets ?? secretsOf(variablesOf(adopted.pty.pid));
    this.secrets = new KnownSecrets(secrets, adopted.learned);
  }

  get coordinator(): CoordinatorFacts {
    return this.facts.coordinator;
  }

  /** Whether a state of its terminal is saved, and with it the lines of a session that it continues. */
  get hasState(): boolean {
    return this.adopted.saved.state !== null;
  }

  /** Output after the saved state, in bytes. */
  get unreadBytes(): number {
    const { saved, outputEnd, pty } = this.adopted;
    return outputEnd - (saved.state?.offset ?? pty.outputStart);
  }

  /** How and when the program exited, in ms since 1970; null if it runs. */
  get exit(): { readonly status: ExitStatus; readonly atMs: number } | null {
    const { exitStatus: status, exitedAtMs: atMs } = this.facts;
    return status === null || atMs === null ? this.adopted.exited : { status, atMs };
  }

  /** Returns the info without restoring the session; it is as of the last save, but for the exit. */
  info(): SessionInfo {
    const { path, pid } = this.facts;
    const { pty } = this.adopted;
    return infoOf({
      ...this.facts,
      path: path ?? pty.program,
      pid: pid ?? pty.pid,
      exitStatus: this.exit?.status ?? null,
      exitedAtMs: this.exit?.atMs ?? null,
    });
  }

  /**
   * Continues the session, as it was saved; {@link Session.replayed} resolves when it is as of now. Must
   * be called once.
   *
   * @param before of the session that it continues, whose lines are not in what is saved of this one
   */
  restore(before: SessionBefore | null = null): Session {
    const { adopted } = this;
    const facts = before === null ? this.facts : { ...this.facts, startLine: before.lines.to };
    const { pty, saved, answeredTo, replayed } = adopted;
    const { lastEnterAt, outputEnd } = adopted;
    const { clock, onFault } = this.#options;
    const offset = Math.max(saved.state?.offset ?? 0, pty.outputStart);
    const { lines, complete: hasLines } = decodeLines(saved.segments);
    const { startSize: size, revision } = facts;
    const linesEnd = lines.at(-1)?.to ?? 0;
    const bytes = saved.state?.bytes ?? new Uint8Array(0);
    const decoded = decodeState(bytes, { offset, size, revision, linesEnd });
    const isNew = saved.state === null && offset === 0 && lines.length === 0 && !pty.isLost;
    const options = { ...facts.terminal, size: decoded.state.size };
    const { terminal, exactly } =
      before !== null
        ? { terminal: terminalBelow(before.lines, options), exactly: isNew }
        : isNew
          ? { terminal: new Terminal(options), exactly: true }
          : restoreTerminal(options, decoded.state.terminal, lines);
    const isWatched = decoded.state.terminal.watch !== null;
    // Older lines were dropped by the limit of the scrollback after the state was saved; if the host is
    // lost, the output that replaced them is lost, too.
    const isDropped = isWatched && linesFrom(lines, decoded.state) <= facts.firstLine;
    const isWhole = exactly || (isDropped && !pty.isLost);
    const hasState = isNew || (decoded.complete && hasLines && saved.state?.offset === offset);
    const wasExact = this.#isNamed && facts.restored !== 'partly';
    const isExact = wasExact && isWhole && hasState;
    const left = {
      restored: isExact ? ('exactly' as const) : ('partly' as const),
      state: isNew || before !== null ? null : decoded.state,
      blocks: decoded.blocks,
      offset,
      answeredTo,
      replayed,
      // If that is not known, no later prompt precedes one.
      lastEnterAt: lastEnterAt ?? outputEnd,
    };
    const secrets = before === null ? this.secrets : joinedSecrets(this.secrets, before.secrets);
    const { archives } = this.#options;
    const key = facts.archiveKey === undefined ? null : Buffer.from(facts.archiveKey, 'base64');
    const archive = key === null ? null : (archives?.open(facts.id, key, true) ?? null);
    return new Session({ facts, pty, terminal, clock, onFault, secrets, archive, left });
  }
}

const joinedSecrets = (own: KnownSecrets, before: KnownSecrets): KnownSecrets =>
  new KnownSecrets([...new Set([...own.variables, ...before.variables])], {
    typed: [...before.learned.typed, ...own.learned.typed],
    seen: [...before.learned.seen, ...own.learned.seen],
  });

/** Returns the first saved line after which none is missing. */
function linesFrom(lines: readonly SavedLines[], { terminal }: SessionState): number {
  const isBefore = (line: number, { from, to }: SavedLines) => from < line && to >= line;
  return lines.reduceRight(
    (line, each) => (isBefore(line, each) ? each.from : line),
    terminal.numbers.linesEnd,
  );
}

/** The properties of a program whose saved facts are damaged. */
function factsOf({ pty }: AdoptedPty): SessionFacts {
  const { program, pid } = pty;
  return completeFacts({ name: `pid-${pid}`, id: randomUUID(), program, path: program, pid });
}

/** A reboot is the reason also where the coordinator was being stopped. */
function withEnd(facts: SessionFacts, endedBy: EndedBy | undefined): SessionFacts {
  if (endedBy === undefined || facts.exitStatus !== null) return facts;
  const isKnown = facts.endedBy !== undefined && facts.endedBy.reason !== 'stopped';
  return isKnown ? facts : { ...facts, endedBy };
}

/** Returns the variables that a running program was started with; none except on Linux. */
function variablesOf(pid: number): Variables {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return Object.fromEntries(variables.map((each) => splitAt(each)));
  } catch {
    return {};
  }
}

function splitAt(variable: string): [string, string] {
  const at = variable.indexOf('=');
  return [variable.slice(0, at), variable.slice(at + 1)];
}
