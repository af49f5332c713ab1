import { configuredSockets, nameOfPlace, readClientConfig, type UserEnvironment } from '#config';
import { asVtrError, isSelector, type JsonCalls, nameOfAddress, parseAddress } from '#model';
import { remoteJsonCalls, silenceLimitMs } from '#wire/service';

const loadTransport = () => import('#transport');

type SelectedList = InstanceType<Awaited<ReturnType<typeof loadTransport>>['SelectedList']>;

interface Found {
  readonly socket: string;
  readonly name: string;
}

export interface OtherCoordinatorsOptions {
  /** That of the daemon itself. */
  readonly socket: string;
  readonly user: UserEnvironment;
  readonly log: (line: string) => void;
}

/** The coordinators that a daemon's web page shows in addition to its own. */
export class OtherCoordinators {
  /** By name. It changes with each look. */
  readonly calls: ReadonlyMap<string, JsonCalls>;
  /** Why some are not known, for people. */
  problems: readonly string[] = [];
  /** Whether selectors are configured, so that containers come and go. */
  isChanging = false;
  readonly #options: OtherCoordinatorsOptions;
  readonly #byName = new Map<string, JsonCalls & { readonly socket: string }>();
  /** By selector. */
  readonly #lists = new Map<string, SelectedList>();

  constructor(options: OtherCoordinatorsOptions) {
    this.#options = options;
    this.calls = this.#byName;
  }

  /** Looks for those that are configured, and that selectors select, now. Never fails. */
  async look(): Promise<this> {
    const { socket: own, user, log } = this.#options;
    try {
      const configured = configuredSockets(await readClientConfig(user), user);
      const fixed = configured.filter(({ socket }) => !isSelector(socket));
      const selectors = configured.flatMap(({ socket }) => (isSelector(socket) ? [socket] : []));
      const selected = await Promise.all(selectors.map((each) => this.#selected(each)));
      this.isChanging = selectors.length > 0;
      this.#tell(selected.flatMap(({ problem }) => problem ?? []));
      this.#replace(
        withNames(
          [{ socket: own, name: nameOfPlace(own) }, ...fixed],
          selected.flatMap(({ coordinators }) => coordinators),
        ).filter(({ socket }) => socket !== own),
      );
    } catch (error) {
      const { message } = asVtrError(error);
      log(`warning: the web page has no other coordinators: ${message}`);
      this.problems = [message];
      this.#replace([]);
    }
    return this;
  }

  async #selected(selector: string): Promise<{ coordinators: readonly Found[]; problem?: string }> {
    let list = this.#lists.get(selector);
    if (list === undefined) {
      const { SelectedList } = await loadTransport();
      list = this.#lists.get(selector) ?? new SelectedList(selector, silenceLimitMs);
      this.#lists.set(selector, list);
    }
    const listed = await list.current();
    if ('failure' in listed)
      return { coordinators: [], problem: asVtrError(listed.failure).message };
    const nameOf = (address: string) => nameOfAddress(parseAddress(address));
    return { coordinators: listed.addresses.map((socket) => ({ socket, name: nameOf(socket) })) };
  }

  #tell(problems: readonly string[]): void {
    const isNew = problems.filter((each) => !this.problems.includes(each));
    for (const each of isNew) this.#options.log(`warning: the web page: ${each}`);
    this.problems = problems;
  }

  #replace(others: readonly Found[]): void {
    const now = new Map(others.map(({ socket, name }) => [name, socket]));
    for (const [name, { socket }] of this.#byName) {
      if (now.get(name) !== socket) this.#byName.delete(name);
    }
    for (const { socket, name } of others) {
      if (!this.#byName.has(name)) this.#byName.set(name, { ...remoteJsonCalls(socket), socket });
    }
  }
}

/**
 * Returns the coordinators whose names are unambiguous. If several configured ones have the same name, it returns
 * none of them. If a container and a configured one have the same name, it returns the configured one.
 */
function withNames(configured: readonly Found[], selected: readonly Found[]): Found[] {
  const fixed = eachOnce(configured);
  const names = new Set(fixed.map(({ name }) => name));
  const sockets = new Set(fixed.map(({ socket }) => socket));
  const others = eachOnce(selected).filter(
    ({ name, socket }) => !names.has(name) && !sockets.has(socket),
  );
  return [...onlyOfName(fixed), ...onlyOfName(others)];
}

const eachOnce = (all: readonly Found[]): Found[] =>
  [...new Map([...all].reverse().map((each) => [each.socket, each])).values()].reverse();

function onlyOfName(all: readonly Found[]): Found[] {
  const names = all.map(({ name }) => name);
  return all.filter(({ name }) => names.indexOf(name) === names.lastIndexOf(name));
}
