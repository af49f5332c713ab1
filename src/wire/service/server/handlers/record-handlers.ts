import { Code, ConnectError } from '@connectrpc/connect';
import { type Coordinator, maxRequestBytes } from '#model';
import {
  fromRecordFields,
  fromStartFields,
  toFileRecording,
  toRecordBegin,
  toRecordParts,
} from '../../convert/output/recording.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { toStatus } from '../../errors.ts';
import { accepted, type Handlers } from '../accepted.ts';

/** A message has fewer bytes than this besides its data. */
const overheadBytes = 1024;

type RecordCall =
  | 'dumpAsciinema'
  | 'dumpRecording'
  | 'setMarker'
  | 'startRecording'
  | 'stopRecording'
  | 'listRecordings'
  | 'removeRecording';

/** The calls about recordings. */
export function recordHandlers(coordinator: Coordinator): Handlers<RecordCall> {
  return {
    async dumpAsciinema(request, context) {
      const record = () => coordinator.record(fromNamed(request), fromRecordFields(request));
      const recorded = await accepted(context, record);
      const { data } = recorded;
      if (data.length > maxRequestBytes - overheadBytes) throw tooLarge(data.length);
      return { data, ...toRecordBegin(recorded) };
    },
    async *dumpRecording(request, context) {
      const record = () => coordinator.record(fromNamed(request), fromRecordFields(request));
      const recorded = await accepted(context, record);
      try {
        yield* toRecordParts(recorded);
      } catch (error) {
        throw toStatus(error);
      }
    },
    async setMarker(request, context) {
      await accepted(context, () => coordinator.setMarker(fromNamed(request), request.label));
      return {};
    },
    async startRecording(request, context) {
      const start = () => coordinator.startRecording(fromNamed(request), fromStartFields(request));
      return { recording: toFileRecording(await accepted(context, start)) };
    },
    async stopRecording(request, context) {
      const stop = () => coordinator.stopRecording(fromNamed(request));
      return { recording: toFileRecording(await accepted(context, stop)) };
    },
    async listRecordings(_request, context) {
      const recordings = await accepted(context, () => coordinator.recordings());
      return { recordings: recordings.map(toFileRecording) };
    },
    async removeRecording({ id }, context) {
      await accepted(context, () => coordinator.removeRecording(id));
      return {};
    },
  };
}

const tooLarge = (bytes: number): ConnectError =>
  new ConnectError(
    `the recording has ${bytes} bytes, over the limit of a message; use DumpRecording`,
    Code.ResourceExhausted,
  );
