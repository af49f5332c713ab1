import type { Coordinator, SessionInfo } from '#model';
import type { Caller } from '../caller.ts';
import type { Call } from '../tool.ts';
import { type Waited, waitOrAsked } from './input-needed.ts';
import { reporting, type WaitArguments, waitingSince, waitRequestOf } from './wait-request.ts';

/** Waits where it is asked for; text counts from what this client typed last. */
export async function waitFor(
  coordinator: Coordinator,
  { name, id }: SessionInfo,
  args: WaitArguments,
  caller: Caller,
  call: Call,
): Promise<Waited | null> {
  const request = waitRequestOf(args, caller.options, call);
  if (request === null) return null;
  const place = caller.places.of(id);
  const wait = waitOrAsked(coordinator, { name, id }, waitingSince(request, place.waitMark));
  const result = await reporting(call, wait);
  place.waitMark = result.mark;
  return result;
}
