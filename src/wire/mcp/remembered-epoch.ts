import { asVtrError, type Sender } from '#model';
import type { Caller } from './caller.ts';

/**
 * Sends input with the epoch of the session that this client knows: once a person has driven it since,
 * the input fails, and the client knows the new one.
 *
 * @param sessionId never reused
 */
export async function sendKnowing<T extends { readonly driverEpoch?: number }>(
  caller: Caller,
  sessionId: string,
  send: (sender: Sender) => Promise<T>,
): Promise<T> {
  const marks = caller.marks.of(sessionId);
  const known = marks.epoch === null ? {} : { driverEpoch: marks.epoch };
  try {
    const sent = await send({ by: caller.agent, ...known });
    marks.epoch = sent.driverEpoch ?? marks.epoch;
    // It may be the answer.
    marks.question = null;
    return sent;
  } catch (error) {
    const { code, details } = asVtrError(error);
    const { epoch, driver } = details;
    if (code === 'NOT_DRIVER' && typeof epoch === 'number') {
      // Sent now, the new epoch could be taken for the input of the person who drives.
      marks.epoch = driver === undefined ? epoch : (marks.epoch ?? epoch - 1);
    }
    throw error;
  }
}
