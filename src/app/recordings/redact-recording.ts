import { minSecretLength, VtrError } from '#model';
import {
  CastEncoder,
  EventRedactor,
  literalRule,
  type Recording,
  redactHeader,
  type SecretRule,
  secretValues,
  tokenRule,
  tokenRuleThat,
  type Variables,
} from '#recording';
import { Replay } from '#replay';

/**
 * Returns rules for keys and tokens, the secrets of an environment, and given ones.
 *
 * @throws VtrError INVALID_ARGUMENT for a given one that would not be found: it is short, or has lines
 */
export function secretRules(
  environment: Variables,
  secrets: readonly string[],
): readonly SecretRule[] {
  for (const secret of secrets) {
    if (secret.length >= minSecretLength && !/[\r\n]/.test(secret)) continue;
    const message = `a secret is one line of at least ${minSecretLength} characters; shorter ones occur in other words`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return [tokenRule, literalRule([...secretValues(environment), ...secrets], 0)];
}

/**
 * Returns a recording without secrets, in asciicast of its version. What the screen shows is checked,
 * too: a secret that is drawn in pieces is in no part of the output as a whole.
 *
 * @throws VtrError INVALID_ARGUMENT with the time at which the screen still shows a secret
 */
export function redactRecording(recording: Recording, secretRules: readonly SecretRule[]): string {
  const rules = [...secretRules, literalRule(shownSecrets(recording), 0)];
  const redactor = new EventRedactor(rules);
  const events = recording.events.flatMap((event) => redactor.push(event));
  events.push(...redactor.end());
  const redacted = { ...recording, header: redactHeader(recording.header, rules), events };
  checkScreens(redacted, rules);
  const encoder = new CastEncoder(redacted.version);
  return encoder.header(redacted.header) + events.map((event) => encoder.event(event)).join('');
}

/** Returns the secrets that a recording shows somewhere with a lead, such as a password in a URL. */
function shownSecrets({ events }: Recording): ReadonlySet<string> {
  const shown = new Set<string>();
  const redactor = new EventRedactor([tokenRuleThat((value) => shown.add(value))]);
  for (const event of events) redactor.push(event);
  redactor.end();
  return shown;
}

function checkScreens(recording: Recording, rules: readonly SecretRule[]): void {
  let revision = -1;
  for (const { atMs, terminal } of new Replay(recording).steps()) {
    const changed = terminal.changedRows(revision);
    revision = terminal.shownRevision;
    const screen = terminal.screenText();
    let checkedTo = 0;
    for (const row of changed) {
      if (row < checkedTo) continue;
      const { text, to } = linesAround(screen, row, terminal.size.cols);
      if (hasSecret(text, rules)) throw stillShown(atMs, row);
      checkedTo = to;
    }
  }
}

/** Returns the text of a row with its neighbours up to row `to`, if the text goes on in them. */
function linesAround(screen: readonly string[], row: number, cols: number) {
  const isFull = (at: number) => (screen[at] ?? '').length >= cols;
  let from = row;
  while (from > 0 && isFull(from - 1)) from--;
  let to = row + 1;
  while (to < screen.length && isFull(to - 1)) to++;
  return { text: screen.slice(from, to).join(''), to };
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
