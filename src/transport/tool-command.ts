import { shellQuoted } from '#base';
import type { Address, Selector } from '#model';

/** The program that carries the bytes, and its arguments. */
export interface ToolCommand {
  readonly program: string;
  readonly args: readonly string[];
}

export interface ToolCommandOptions {
  /** Starts a daemon there if none runs. */
  readonly start: boolean;
  /** Whether ssh may ask for a password or about a host key. */
  readonly mayPrompt: boolean;
  /** Whether this process runs in a session, and all that it starts ends with it. */
  readonly inSession: boolean;
  /** A file with ssh's configuration; null: ssh finds its own. */
  readonly sshConfig: string | null;
}

/** Returns the command whose stdin and stdout are a connection to the coordinator of an address. */
export function toolCommand(address: Address, options: ToolCommandOptions): ToolCommand {
  const { start } = options;
  if (address.kind === 'exec') {
    const [program, ...args] = address.command;
    return { program, args: [...args, ...connectCommand({ start })] };
  }
  if (address.kind === 'kube') return kubectl(address, connectCommand({ start }));
  const { kind, socket } = address;
  const connect = connectCommand({ start, ...(socket !== undefined && { socket }) });
  if (kind === 'ssh') return ssh(address, connect, options);
  return { program: kind, args: ['exec', '-i', address.container, ...connect] };
}

const connectCommand = ({
  start,
  socket,
}: {
  readonly start: boolean;
  readonly socket?: string;
}): string[] => [
  ...['vtr', 'connect'],
  ...(start ? ['--start'] : []),
  ...(socket === undefined ? [] : ['--socket', socket]),
];

/** Where `vtr install` puts the command; a login that runs no shell's profile does not search there. */
const userPrograms = 'PATH="$PATH:$HOME/.local/bin"';

/** `sh`, because the user's own shell there may be one of another syntax. */
function ssh(
  { user, host, port }: Address & { readonly kind: 'ssh' },
  connect: readonly string[],
  { mayPrompt, inSession, sshConfig }: ToolCommandOptions,
): ToolCommand {
  const script = `${userPrograms} exec ${connect.map(shellQuoted).join(' ')}`;
  const options = [
    ...(sshConfig === null ? [] : ['-F', sshConfig]),
    // No pseudo-terminal, which would change bytes.
    '-T',
    ...(mayPrompt ? [] : ['-o', 'BatchMode=yes']),
    // A connection that others share must not end with the session. One that there is can be used.
    ...(inSession ? ['-o', 'ControlMaster=no'] : []),
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
  ];
  return { program: 'ssh', args: [...options, '--', host, `sh -c ${shellQuoted(script)}`] };
}

const kubectl = (
  { context, namespace, pod, container }: Address & { readonly kind: 'kube' },
  connect: readonly string[],
): ToolCommand => ({
  program: 'kubectl',
  args: [
    ...['exec', '-i', '--quiet'],
    ...(context === undefined ? [] : [`--context=${context}`]),
    ...[`--namespace=${namespace}`, pod],
    ...(container === undefined ? [] : [`--container=${container}`]),
    ...['--', ...connect],
  ],
});

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
