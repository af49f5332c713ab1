import { joinBytes } from '#base';
import type { AnswerJson } from '#messages';
import { parseCast, type Recording } from '#recording';
import { type Calls, LinkError } from '../link/link.ts';

/** A recording, and what is missing in it. */
export interface RecordingSource {
  readonly recording: Recording;
  /** Why it begins or ends when it does; empty if nothing is missing. */
  readonly missing: string;
}

type Begin = NonNullable<AnswerJson<'DumpRecording'>['begins']>;

const beginnings: { readonly [Each in Begin]?: string } = {
  RECORD_BEGIN_RESTART: 'Earlier output was lost when vtr was restarted',
  RECORD_BEGIN_LIMIT: 'Earlier output is no longer kept',
};

/** Reads what is kept of a session in memory. @throws LinkError */
export function recordingOfSession(
  link: Calls,
  session: { readonly name: string; readonly id: string },
): Promise<RecordingSource> {
  const parts: Uint8Array[] = [];
  let begins = '';
  return new Promise((resolve, reject) => {
    const { name, id: sessionId } = session;
    const request = { name, sessionId, format: 'RECORD_FORMAT_V3' } as const;
    link.open('DumpRecording', request, {
      message: ({ body, bytes }) => {
        begins = (body.begins && beginnings[body.begins]) ?? begins;
        if (bytes !== null) parts.push(bytes);
      },
      ended: (reason) => {
        if (reason === null) resolve({ recording: parseCast(joinBytes(parts)), missing: begins });
        else reject(reason);
      },
    });
  });
}

/** Reads a recording that was written to a file. @throws LinkError */
export async function recordingOfFile(id: string): Promise<RecordingSource> {
  const response = await fetch(`/recordings/${encodeURIComponent(id)}`);
  if (!response.ok) throw new LinkError('RECORDING_NOT_FOUND', 'There is no such recording');
  const recording = parseCast(new Uint8Array(await response.arrayBuffer()));
  const line = recording.invalidLine?.number;
  const missing = line === undefined ? '' : `Line ${line} of the file is not valid: it ends there`;
  return { recording, missing };
}
