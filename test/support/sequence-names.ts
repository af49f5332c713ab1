import { type ControlFunction, controlFunctions } from '#vt';

const csi = /^\x1b\[[0-?]*[ -/]*[@-~]/;
const osc = /^\x1b\](\d+)[^\x07\x1b]*(?:\x07|\x1b\\)/;
const escapeSequence = /^\x1b[ -/]*[0-~]/;

/** Output without one control function, named as in docs/sequences.md: as if it were read over. */
export function withoutFunction(input: string, name: string): string {
  return tokens(input)
    .filter((token) => !namesOf(token).includes(name))
    .join('');
}

/** Output cut into its sequences and single characters; well-formed, 7-bit controls. */
function tokens(input: string): string[] {
  const found: string[] = [];
  for (let rest = input; rest !== ''; rest = rest.slice(found.at(-1)?.length)) {
    const [token] = osc.exec(rest) ??
      csi.exec(rest) ??
      escapeSequence.exec(rest) ?? [rest.slice(0, 1)];
    found.push(token);
  }
  return found;
}

/** The function that a token is, and the modes that it sets or resets. */
function namesOf(token: string): string[] {
  const command = osc.exec(token);
  if (command !== null) return [`OSC ${command[1]}`];
  const own = controlFunctions.filter((each) => shapeOf(each) === shape(token));
  return [...own.map((each) => each.notation), ...modesOf(token)];
}

/** A sequence without its parameters, which is what tells functions apart. */
function shape(token: string): string {
  return csi.test(token) ? token.replace(/[0-9;:]/g, '') : token;
}

function shapeOf({ kind, notation }: ControlFunction): string {
  if (kind === 'C0') return String.fromCharCode(Number(notation));
  const words = notation.split(' ').map((word) => (word === 'SP' ? ' ' : word));
  const written = words.filter((word) => !/^(CSI|ESC|P[a-z]|;)$/.test(word)).join('');
  return kind === 'CSI' ? `\x1b[${written}` : `\x1b${written}`;
}

function modesOf(token: string): string[] {
  const [, marker, numbers] = /^\x1b\[(\??)([0-9;]+)[hl]$/.exec(token) ?? [];
  return numbers === undefined ? [] : numbers.split(';').map((each) => `mode ${marker}${each}`);
}
