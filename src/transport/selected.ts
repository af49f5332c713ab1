import { type ExecFileException, execFile } from 'node:child_process';
import { defined, globPattern } from '#base';
import {
  type Address,
  exitClause,
  isAddress,
  isVtrError,
  parseSelector,
  printAddress,
  printSelector,
  type Selector,
  VtrError,
} from '#model';
import { unreachable, wordsOf } from './open-tool.ts';
import { listCommand } from './tool-command.ts';

interface SelectOptions {
  /** Time until the tool has listed them, in ms. Default: 30,000 */
  readonly limitMs?: number;
  /** Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const defaultLimitMs = 30_000;
/** Names of more than 15,000 pods. */
const maxListBytes = 4 * 1024 * 1024;

/**
 * Lists the addresses of the running containers or pods of a selector, by name, with `docker ps`, `podman ps`
 * or `kubectl get pods`.
 *
 * @returns none if nothing matches
 * @throws VtrError INVALID_ARGUMENT for the selector; UNAVAILABLE with the tool's own words
 */
export async function selectedAddresses(
  text: string,
  options: SelectOptions = {},
): Promise<string[]> {
  const selector = parseSelector(text);
  const expression = globPattern(selector.names);
  const names = namesIn(await listed(selector, options)).filter((name) => expression?.test(name));
  return [...new Set(names)].sort().map((name) => printAddress(addressOf(selector, name)));
}

/**
 * Returns the address of the one container or pod of a selector.
 *
 * @throws VtrError as {@link selectedAddresses}; UNAVAILABLE if there is none; INVALID_ARGUMENT, with their
 * addresses, if there are several
 */
export async function selectedAddress(text: string, options: SelectOptions = {}): Promise<string> {
  const [only, ...more] = await selectedAddresses(text, options);
  if (only === undefined) throw noneSelected(text);
  if (more.length === 0) return only;
  const count = `${more.length + 1} ${thingsOf(parseSelector(text))}`;
  const addresses = [only, ...more].map((address) => `\n  ${address}`).join('');
  throw new VtrError('INVALID_ARGUMENT', `${text} selects ${count}; choose one:${addresses}`);
}

/** The failure of a call to what a selector selects, which is nothing. */
export const noneSelected = (text: string): VtrError =>
  unreachable(text, `no running ${thingOf(parseSelector(text))} matches ${text}`, 'NO_MATCH');

const thingOf = ({ kind }: Selector): string => (kind === 'kube' ? 'pod' : 'container');
const thingsOf = (selector: Selector): string => `${thingOf(selector)}s`;

/** Runs the tool. @returns what it has printed */
function listed(
  selector: Selector,
  { limitMs = defaultLimitMs, env = process.env }: SelectOptions,
): Promise<string> {
  const place = printSelector(selector);
  const { VTR_SOCKET: socket = '', ...others } = env;
  const { program, args } = listCommand(selector);
  const settings = {
    // As for a connection through the tool.
    env: isAddress(socket) ? others : env,
    maxBuffer: maxListBytes,
    timeout: Math.ceil(limitMs),
    // It changes nothing, and must not outlive the call.
    killSignal: 'SIGKILL',
  } as const;
  const failed = (words: string, reason = 'UNREACHABLE') =>
    unreachable(place, `the ${thingsOf(selector)} of ${place} cannot be listed: ${words}`, reason);
  return new Promise<string>((resolve, reject) => {
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.killed === true && typeof error.code !== 'string') {
        const limit = (limitMs / 1_000).toFixed(1);
        reject(failed(`${program} has not answered within ${limit} s`, 'TIMEOUT'));
      } else reject(failed(wordsOf(stderr) || failureText(program, error)));
    });
    // Its list is not complete then, though it may end as usual.
    child.stdout?.on('error', ({ message }) => reject(failed(message)));
    child.stderr?.on('error', () => {});
    // It has no question to ask.
    child.stdin?.end();
  }).catch((error: Error) => {
    // Some failures are thrown by Node.
    throw isVtrError(error) ? error : failed(error.message);
  });
}

/** Says why a program has listed nothing that said nothing. */
function failureText(program: string, { code, signal, message }: ExecFileException): string {
  if (code === 'ENOENT') return `${program} is not installed`;
  return typeof code === 'string'
    ? message
    : `${program} ${exitClause({ code: code ?? null, signal: signal ?? null })}`;
}

/**
 * The names in a list: `web-1`, or `pod/web-1` of kubectl. Docker names a container that others link to
 * `web-1,other/alias`. Nothing that could be an option of the tool is taken for a name.
 */
const namesIn = (list: string): string[] =>
  list
    .split('\n')
    .map((line) => line.trim().replace(/^pod\//, ''))
    .map((line) => line.split(',').find((name) => !name.includes('/')) ?? '')
    .filter((name) => /^\w[\w.-]*$/.test(name));

function addressOf(selector: Selector, name: string): Address {
  if (selector.kind === 'kube') {
    const { names: _names, labels: _labels, ...place } = selector;
    return { ...place, pod: name };
  }
  const { kind, socket } = selector;
  return { kind, container: name, ...defined({ socket }) };
}

/** How long a list is taken for true, in ms: each one starts a program. */
const trueForMs = 10_000;
/** How old a list may be that is given while the next one is made, in ms: views ask every 10 s. */
const maxAgeMs = 30_000;

/** What was listed: addresses, or why there is no list. */
type Listed = { readonly addresses: readonly string[] } | { readonly failure: unknown };

/**
 * What a selector selects, for views that go on.
 * They get the last list at once, while the next one is made, unless nobody has asked for long.
 */
export class SelectedList {
  readonly #selector: string;
  readonly #limitMs: () => number;
  #listedMs = Number.NEGATIVE_INFINITY;
  #listing: Promise<Listed> | null = null;
  #last: Listed | null = null;

  /** @param limitMs returns the time until the tool has listed them, in ms */
  constructor(selector: string, limitMs: () => number) {
    this.#selector = selector;
    this.#limitMs = limitMs;
  }

  /** Never fails: `failure` is that of {@link selectedAddresses}. */
  async current(): Promise<Listed> {
    const ageMs = performance.now() - this.#listedMs;
    if (ageMs > trueForMs) {
      this.#listing ??= this.#list().then((listed) => {
        this.#last = listed;
        this.#listedMs = performance.now();
        this.#listing = null;
        return listed;
      });
    }
    const usable = ageMs > maxAgeMs ? null : this.#last;
    return usable ?? (await this.#listing) ?? { addresses: [] };
  }

  async #list(): Promise<Listed> {
    try {
      return { addresses: await selectedAddresses(this.#selector, { limitMs: this.#limitMs() }) };
    } catch (failure) {
      return { failure };
    }
  }
}
