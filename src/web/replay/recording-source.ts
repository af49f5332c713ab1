import { parseCast, type Recording } from '#recording';
import { joined } from '../link/frame.ts';
import type { Calls } from '../link/link.ts';
import { LinkError } from '../link/link-error.ts';

/** A recording, and what is missing in it. */
export interface RecordingSource {
  readonly recording: Recording;
  /** Why it begins or ends when it does; empty if nothing is missing. */
  readonly missing: string;
}

const beginnings: Readonly<Record<string, string>> = {
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
  const body = { name: session.name, sessionId: session.id, format: 'RECORD_FORMAT_V3' };
  return new Promise((resolve, reject) => {
    link.open('DumpRecording', body, {
      message: (message) => {
        const first = message.body as { begins?: string };
        begins = beginnings[first.begins ?? ''] ?? begins;
        if (message.bytes !== null) parts.push(message.bytes);
      },
      ended: (reason) => {
        if (reason === null) resolve({ recording: parseCast(joined(parts)), missing: begins });
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
