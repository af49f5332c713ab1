import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod/v4';
import type { Caller } from './caller.ts';

/** One call of a tool, on its way. */
export interface Call {
  /** Aborted when the client withdraws the call. */
  readonly signal: AbortSignal;
  /** Tells the client that the call is still waited for; does nothing where it did not ask. */
  readonly report: (message: string) => void;
}

/** A tool, as data: the list for the client and the check of what it sends are made of it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, and what it answers. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Whether hosts that hide tools until they are looked for should always show this one. */
  readonly isCore: boolean;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** @throws VtrError */
  run(args: unknown, caller: Caller, call: Call): Promise<Record<string, unknown>>;
}

interface Definition<I extends z.ZodObject, O extends z.ZodObject> extends Omit<Tool, 'run'> {
  readonly input: I;
  readonly output: O;
  run(args: z.infer<I>, caller: Caller, call: Call): Promise<z.infer<O>>;
}

/** Lets `run` know the types of what the entry itself declares. */
export function defineTool<const I extends z.ZodObject, const O extends z.ZodObject>(
  definition: Definition<I, O>,
): Tool {
  // Arguments are parsed by the same declaration before `run` has them.
  return definition as unknown as Tool;
}

const about = (
  readOnlyHint: boolean,
  destructiveHint: boolean,
  idempotentHint: boolean,
  openWorldHint: boolean,
): ToolAnnotations => ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint });

export const looks = about(true, false, true, false);
export const makes = about(false, false, false, true);
/** What is typed into a program may do anything. */
export const acts = about(false, true, false, true);
export const ends = about(false, true, true, false);
export const changes = about(false, false, true, false);
