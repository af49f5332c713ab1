import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod/v4';
import type { Caller } from './caller.ts';

/** One call of a tool in progress. */
export interface Call {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  /** Sends a progress notification; does nothing if the client requested none. */
  readonly report: (message: string) => void;
}

/** The declaration of a tool: tools/list and the check of arguments use it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, and what it returns. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Whether hosts that hide tools until searched should always show this one. */
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

/** Infers the types of `run` from the declared schemas. */
export function defineTool<const I extends z.ZodObject, const O extends z.ZodObject>(
  definition: Definition<I, O>,
): Tool {
  // Arguments are parsed with the same schema before `run` is called.
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
/** Input to a program can do anything. */
export const acts = about(false, true, false, true);
export const ends = about(false, true, true, false);
export const changes = about(false, false, true, false);
