import { shellQuoted } from '#base';
import type { Address, Selector } from '#model';

/** The program that carries the bytes, and its arguments. */
export interface ToolCommand {
  readonly program: string;
  readonly args: readonly string[];
}

export interface ToolCommandOptions {
  /** Whether ssh may ask for a password or about a host key. */
  readonly mayPrompt: boolean;
  /** Whether this process runs in a session, and all that it starts ends with it. */
  readonly inSession: boolean;
  /** A file with ssh's configuration; null: ssh finds its own. */
  readonly sshConfig: string | null;
}

export interface ConnectOptions extends ToolCommandOptions {
  /** Starts a daemon there if none runs. */
  readonly start: boolean;
}

/** Returns the command whose stdin and stdout are a connection to the coordinator of an address. */
export function toolCommand(address: Address, options: ConnectOptions): ToolCommand {
  if (address.kind === 'ssh') return fallbackCommand(address, options);
  return inside(address, connectCommand(address, options));
}

/** As {@link toolCommand}, by a shell there that also searches where `vtr install` puts the command. */
export function fallbackCommand(address: Address, options: ConnectOptions): ToolCommand {
  const words = connectCommand(address, options).map(shellQuoted);
  return scriptCommand(address, `${userPrograms} exec ${words.join(' ')}`, options);
}

/** Returns the command that runs a script of sh there. */
export const scriptCommand = (
  address: Address,
  script: string,
  options: ToolCommandOptions,
): ToolCommand =>
  address.kind === 'ssh'
    ? ssh(address, script, options)
    : inside(
        address,
        address.kind === 'exec' ? wordsBehind(address, script) : ['sh', '-c', script],
      );

/** A program that joins its words with blanks, and passes them to a shell of its other side. */
const joins = /(^|\/)\w*ssh$/;

/**
 * Returns the words that run a script behind a command: where the last of its programs runs them, which may be
 * ssh from one machine to another, or in a container of the other machine.
 */
function wordsBehind({ command }: Address & { readonly kind: 'exec' }, script: string): string[] {
  const shells = command.filter((word) => joins.test(word));
  if (shells.length === 0) return ['sh', '-c', anyToolScript(script)];
  return shells.reduce((words) => words.map(shellQuoted), ['sh', '-c', script]);
}

/**
 * The script for a program that passes it on unchanged, as nsenter does, or perhaps as one line to a shell there:
 * that shell runs the part before the line end, which does nothing, and then the rest.
 */
const anyToolScript = (script: string): string => `:\nexec sh -c ${shellQuoted(script)}`;

function connectCommand(address: Address, { start }: ConnectOptions): string[] {
  const socket = 'socket' in address ? address.socket : undefined;
  return [
    ...['vtr', 'connect'],
    ...(start ? ['--start'] : []),
    ...(socket === undefined ? [] : ['--socket', socket]),
  ];
}

/** Where `vtr install` puts the command; a login that runs no shell's profile does not search there. */
export const userPrograms = 'PATH="$PATH:$HOME/.local/bin"';

/** `sh`, because the user's own shell there may be one of another syntax. */
function ssh(address: SshAddress, script: string, options: ToolCommandOptions): ToolCommand {
  const args = [
    ...sshOptions(address, options),
    '--',
    address.host,
    `sh -c ${shellQuoted(script)}`,
  ];
  return { program: 'ssh', args };
}

type SshAddress = Address & { readonly kind: 'ssh' };

/** The options of ssh for an address. */
export const sshOptions = (
  { user, port }: SshAddress,
  { mayPrompt, inSession, sshConfig }: ToolCommandOptions,
): string[] => [
  ...(sshConfig === null ? [] : ['-F', sshConfig]),
  // No pseudo-terminal, which would change bytes.
  '-T',
  ...(mayPrompt ? [] : ['-o', 'BatchMode=yes']),
  // A connection that others share must not end with the session. One that there is can be used.
  ...(inSession ? ['-o', 'ControlMaster=no'] : []),
  ...(user === undefined ? [] : ['-l', user]),
  ...(port === undefined ? [] : ['-p', String(port)]),
];

/** Words for a program that passes them on unchanged. */
function inside(address: Exclude<Address, { kind: 'ssh' }>, words: readonly string[]): ToolCommand {
  if (address.kind === 'exec') {
    const [program, ...args] = address.command;
    return { program, args: [...args, ...words] };
  }
  if (address.kind !== 'kube') {
    return { program: address.kind, args: ['exec', '-i', address.container, ...words] };
  }
  const { context, namespace, pod, container } = address;
  return {
    program: 'kubectl',
    args: [
      ...['exec', '-i', '--quiet'],
      ...(context === undefined ? [] : [`--context=${context}`]),
      ...[`--namespace=${namespace}`, pod],
      ...(container === undefined ? [] : [`--container=${container}`]),
      ...['--', ...words],
    ],
  };
}

/**
 * Returns the command that lists the running containers or pods of a selector, a name a line. The tools know no
 * globs: names are compared by the caller.
 */
export function listCommand(selector: Selector): ToolCommand {
  const { kind, labels } = selector;
  if (kind !== 'kube') {
    const filters = ['status=running', ...labels.map((label) => `label=${label}`)];
    return {
      program: kind,
      args: ['ps', ...filters.flatMap((each) => ['--filter', each]), '--format', '{{.Names}}'],
    };
  }
  const { context, namespace } = selector;
  return {
    program: 'kubectl',
    args: [
      ...['get', 'pods'],
      ...(context === undefined ? [] : [`--context=${context}`]),
      `--namespace=${namespace}`,
      '--field-selector=status.phase=Running',
      ...(labels === '' ? [] : [`--selector=${labels}`]),
      '--output=name',
    ],
  };
}
