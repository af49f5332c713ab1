import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyMessage } from '@agentclientprotocol/sdk';
import * as z from 'zod/v4';
import { root } from '../../../scripts/root.mjs';

interface Schemas {
  readonly $defs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The schema of version 1 of the protocol, from the SDK. */
const { $defs }: Schemas = JSON.parse(
  readFileSync(join(root, 'node_modules/@agentclientprotocol/sdk/schema/v1/schema.json'), 'utf8'),
);

const named = new Map<string, z.ZodType>();

/** @param name of a definition, e.g. `TerminalOutputResponse` */
function schema(name: string): z.ZodType {
  const schema = named.get(name) ?? z.fromJSONSchema({ ...$defs[name], $defs } as never);
  named.set(name, schema);
  return schema;
}

/** `terminal/create` with `Request` is `CreateTerminalRequest`. */
const methodNames: ReadonlyMap<string, string> = new Map(
  Object.entries($defs).flatMap(([name, { 'x-method': method }]) =>
    typeof method === 'string'
      ? [[`${method} ${/Request$|Response$|Notification$/.exec(name)?.[0]}`, name] as const]
      : [],
  ),
);

/** Checks the frames of a connection in both directions; answers by their requests. */
export class FrameChecker {
  readonly #methods = new Map<unknown, string>();
  /** The number of checked frames, by schema. */
  readonly counts = new Map<string, number>();

  /**
   * @param options `params` is false for requests that are invalid on purpose
   * @throws Error with the violation
   */
  check(frame: AnyMessage, { params: checksParams }: { readonly params: boolean }): void {
    if ('method' in frame) {
      const { method, params } = frame;
      const isRequest = 'id' in frame;
      if (isRequest) this.#methods.set(frame.id, method);
      if (checksParams) this.#check(`${method} ${isRequest ? 'Request' : 'Notification'}`, params);
      return;
    }
    const methodName = this.#methods.get(frame.id);
    if (methodName === undefined) throw new Error(`an answer to nothing: ${JSON.stringify(frame)}`);
    if ('result' in frame) this.#check(`${methodName} Response`, frame.result);
    else schema('Error').parse(frame.error);
  }

  #check(what: string, value: unknown): void {
    const name = methodNames.get(what);
    if (name === undefined) return;
    schema(name).parse(value);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
