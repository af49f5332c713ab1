import { type ControlFunction, controlFunctions, dcsFunctions } from '#vt/functions';

const csi = /^\x1b\[[0-?]*[ -/]*[@-~]/;
const dcs = /^\x1bP([0-?]*[ -/]*[@-~])[^\x1b]*\x1b\\/;
const osc = /^\x1b\](\d+)[^\x07\x1b]*(?:\x07|\x1b\\)/;
const escapeSequence = /^\x1b[ -/]*[0-~]/;

/** Removes a control function from output, by its name in docs/sequences.md. */
export function withoutFunction(input: string, name: string): string {
  return tokens(input)
    .filter((token) => !namesOf(token).includes(name))
    .join('');
}

/** Removes a control function from output where a parameter or a word selects an operation, as in docs/sequences.md. */
export function withoutOperation(input: string, name: string, value: string): string {
  const [first, last = first] = value.split(' to ');
  const selects = (each: string) =>
    each === value || (Number(each) >= Number(first) && Number(each) <= Number(last));
  return tokens(input)
    .filter((token) => !namesOf(token).includes(name) || !valuesOf(token).some(selects))
    .join('');
}

/** The parameters of a sequence, the payload of a string and the names in it, or the first word of a command. */
function valuesOf(token: string): string[] {
  const [, text] = /^\x1b\]\d+;([^;=\x07\x1b]*=?)/.exec(token) ?? [];
  if (text !== undefined) return [text];
  const [, params = '', payload = ''] = /^\x1bP([0-9;]*)[ -/]*[@-~]([^\x1b]*)/.exec(token) ?? [];
  if (token.startsWith('\x1bP')) {
    const names = payload.split(';').map((hex) => Buffer.from(hex, 'hex').toString());
    return [...params.split(';'), payload, ...names];
  }
  const [, numbers = ''] = /^\x1b\[[<-?]?([0-9;:]*)/.exec(token) ?? [];
  return numbers.split(';').map((each) => each.split(':')[0] || '0');
}

/** Splits output into sequences and single characters. The output is well-formed, with 7-bit controls. */
function tokens(input: string): string[] {
  const names: string[] = [];
  for (let rest = input; rest !== ''; rest = rest.slice(names.at(-1)?.length)) {
    const [token] = osc.exec(rest) ??
      dcs.exec(rest) ??
      csi.exec(rest) ??
      escapeSequence.exec(rest) ?? [rest.slice(0, 1)];
    names.push(token);
  }
  return names;
}

/** The function of a token, and the modes that it sets or resets. */
function namesOf(token: string): string[] {
  const command = osc.exec(token);
  if (command !== null) return [`OSC ${command[1]}`];
  const [, string] = dcs.exec(token) ?? [];
  if (string !== undefined) {
    const shaped = string.replace(/[0-9;:]/g, '');
    const strings = dcsFunctions.filter((each) => written(each.notation) === shaped);
    return strings.map((each) => each.notation);
  }
  const own = controlFunctions.filter((each) => shapeOf(each) === shape(token));
  return [...own.map((each) => each.notation), ...modesOf(token)];
}

/** A sequence without its parameters, which identifies its function. */
function shape(token: string): string {
  return csi.test(token) ? token.replace(/[0-9;:]/g, '') : token;
}

function shapeOf({ kind, notation }: ControlFunction): string {
  if (kind === 'C0') return String.fromCharCode(Number(notation));
  return kind === 'CSI' ? `\x1b[${written(notation)}` : `\x1b${written(notation)}`;
}

/** The literal part of a notation, without introducer and parameters. */
function written(notation: string): string {
  const words = notation.split(' ').map((word) => (word === 'SP' ? ' ' : word));
  return words.filter((word) => !/^(CSI|ESC|DCS|P[a-z]|;)$/.test(word)).join('');
}

function modesOf(token: string): string[] {
  const [, marker, numbers] = /^\x1b\[(\??)([0-9;]+)[hl]$/.exec(token) ?? [];
  return numbers === undefined ? [] : numbers.split(';').map((each) => `mode ${marker}${each}`);
}
