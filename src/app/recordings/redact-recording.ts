import { VtrError } from '#model';
import {
  CastEncoder,
  EventRedactor,
  literalRule,
  type Recording,
  redactHeader,
  type SecretRule,
  secretValues,
  tokenRule,
  type Variables,
} from '#recording';
import { Replay } from '#replay';

/** Returns rules for keys and tokens, the secrets of an environment, and given ones. */
export const secretRules = (
  environment: Variables,
  given: readonly string[],
): readonly SecretRule[] => [tokenRule, literalRule([...secretValues(environment), ...given])];

/**
 * Returns a recording without secrets, in asciicast of its version. What the screen shows is checked,
 * too: a secret that is drawn in pieces is in no part of the output as a whole.
 *
 * @throws VtrError INVALID_ARGUMENT with the time at which the screen still shows a secret
 */
export function redactRecording(recording: Recording, rules: readonly SecretRule[]): string {
  const redactor = new EventRedactor(rules);
  const events = recording.events.flatMap((event) => redactor.push(event));
  events.push(...redactor.end());
  const redacted = { ...recording, header: redactHeader(recording.header, rules), events };
  checkScreens(redacted, rules);
  const encoder = new CastEncoder(redacted.version);
  return encoder.header(redacted.header) + events.map((event) => encoder.event(event)).join('');
}

function checkScreens(recording: Recording, rules: readonly SecretRule[]): void {
  let revision = -1;
  for (const { atMs, terminal } of new Replay(recording).steps()) {
    const rows = terminal.changedRows(revision);
    revision = terminal.shownRevision;
    const screen = terminal.screenText();
    const row = rows.find((each) =>
      hasSecret(linesAround(screen, each, terminal.size.cols), rules),
    );
    if (row !== undefined) throw stillShown(atMs, row);
  }
}

/** A row, with its neighbours if the text goes on in them. */
function linesAround(screen: readonly string[], row: number, cols: number): string {
  const isFull = (at: number) => (screen[at] ?? '').length >= cols;
  let from = row;
  while (from > 0 && isFull(from - 1)) from--;
  let to = row;
  while (to < screen.length - 1 && isFull(to)) to++;
  return screen.slice(from, to + 1).join('');
}

function hasSecret(line: string, rules: readonly SecretRule[]): boolean {
  for (const rule of rules) {
    for (const { from, to } of rule.find(line)) {
      if (/[^\s•]/.test(line.slice(from, to))) return true;
    }
  }
  return false;
}

const stillShown = (atMs: number, row: number): VtrError =>
  new VtrError(
    'INVALID_ARGUMENT',
    `at ${(atMs / 1000).toFixed(3)} s, row ${row} of the screen still shows a secret, which the program drew in pieces; nothing was written. Cut this part off with vtr export --select`,
  );
