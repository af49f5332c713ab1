import { isAbsolute } from 'node:path';
import { defined } from '#base';
import { shortened, VtrError } from '#model';

/** Parameters of `terminal/create`. Fields that are null are absent. */
export interface CreateParameters {
  readonly conversationId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly outputByteLimit?: number;
}

/** Parameters of all other requests. */
export interface TerminalParameters {
  readonly conversationId: string;
  readonly terminalId: string;
}

/** @throws VtrError INVALID_ARGUMENT that names the field */
export function createParameters(params: unknown): CreateParameters {
  const fields = new Fields('terminal/create', params);
  const command = fields.string('command', 'a program or a shell line');
  if (command.trim() === '') fields.refuse('command', 'is empty; give a program or a shell line');
  const cwd = fields.cwd();
  const outputByteLimit = fields.byteLimit('outputByteLimit');
  return {
    conversationId: fields.string('sessionId', 'the conversation'),
    command,
    args: fields.strings('args'),
    env: fields.environment('env'),
    ...defined({ cwd, outputByteLimit }),
  };
}

/** @throws VtrError INVALID_ARGUMENT that names the field */
export function terminalParameters(method: string, params: unknown): TerminalParameters {
  const fields = new Fields(method, params);
  return {
    conversationId: fields.string('sessionId', 'the conversation'),
    terminalId: fields.string('terminalId', 'as returned by terminal/create'),
  };
}

type Json = Readonly<Record<string, unknown>>;

class Fields {
  readonly #method: string;
  readonly #values: Json;

  constructor(method: string, params: unknown) {
    this.#method = method;
    if (!isObject(params)) this.refuse('params', 'is not an object; give the fields of the method');
    this.#values = params;
  }

  /** @param meaning for the message */
  string(name: string, meaning: string): string {
    const value = this.#values[name];
    if (typeof value === 'string') return value;
    return this.refuse(name, `is ${shown(value)}; give a string, ${meaning}`);
  }

  strings(name: string): readonly string[] {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value))
      return this.refuse(name, 'is not an array; give an array of strings');
    value.forEach((each, index) => {
      if (typeof each !== 'string')
        this.refuse(`${name}[${index}]`, 'is not a string; give strings');
    });
    return value;
  }

  environment(name: string): Readonly<Record<string, string>> {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value))
      this.refuse(name, 'is not an array; give [{"name": ..., "value": ...}]');
    // `fromEntries` accepts any name of a variable, even `__proto__`.
    return Object.fromEntries(
      (value as readonly unknown[]).map((pair, index) => this.#variable(pair, `${name}[${index}]`)),
    );
  }

  cwd(): string | undefined {
    const value = this.#values['cwd'] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value !== 'string') this.refuse('cwd', `is ${shown(value)}; give an absolute path`);
    if (isAbsolute(value)) return value;
    return this.refuse('cwd', `is ${shown(value)}, which is relative; give an absolute path`);
  }

  byteLimit(name: string): number | undefined {
    const value = this.#values[name] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    return this.refuse(name, `is ${shown(value)}; give a whole number of bytes, 0 or more`);
  }

  refuse(name: string, problem: string): never {
    const message = `${this.#method}: ${name} ${problem}`;
    throw new VtrError('INVALID_ARGUMENT', message, { details: { field: name } });
  }

  #variable(pair: unknown, place: string): readonly [string, string] {
    const { name, value } = isObject(pair) ? pair : {};
    if (typeof name === 'string' && typeof value === 'string') return [name, value];
    // The message omits the value, which may be a secret.
    return this.refuse(place, 'is not a variable; give {"name": string, "value": string}');
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Limit of characters of an invalid value in a message. */
const maxShown = 200;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'bigint') return String(value);
  return shortened(JSON.stringify(value) ?? typeof value, maxShown);
}
