export {
  beginWork,
  currentWork,
  decodeWork,
  endWork,
  showWorkIn,
  type Work,
  type WorkKind,
  workBytes,
} from './at-work.ts';
export { decodeLeb128, encodeLeb128, joinBytes, textHash } from './bytes.ts';
export {
  type Clock,
  durationText,
  exactDurationText,
  machineClock,
  machineMs,
  parseDurationMs,
} from './clock.ts';
export { earlyCode, lateCode } from './early-code.ts';
export {
  type Deferred,
  type Disposable,
  deferred,
  Emitter,
  Latest,
  type Listener,
  Queue,
  toDisposable,
} from './emitter.ts';
export { collectGarbage, type EngineControl, GarbageCollection } from './garbage.ts';
export { defined, ignored } from './idioms.ts';
export { type LineBytes, type LineLimits, LineReader } from './line-reader.ts';
export { type Log, type LogLevel, logLevels, logUpTo } from './log.ts';
export { globPattern, isGlob, nearMisses, queryMatches } from './name-matching.ts';
export {
  Outages,
  ownTimers,
  type Patience,
  type Timers,
  watchSilence,
  within,
} from './outages.ts';
export { repeatedJsonName } from './repeated-name.ts';
export {
  cleanLine,
  cutText,
  directions,
  escapedJson,
  notInCell,
  type PlainText,
  quoted,
  safeLink,
  sanitize,
  styledText,
  withoutControls,
  wordOrQuoted,
} from './sanitize.ts';
export { shellQuoted } from './shell-quoted.ts';
export { TransferCodings, unknownCodingText } from './transfer-coding.ts';
export {
  decodeUtf8,
  encodeUtf8,
  halfCharacterText,
  invalidUtf8Text,
  Utf8Decoder,
  utf8Length,
} from './utf8.ts';
