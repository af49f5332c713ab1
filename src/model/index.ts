export type { Activity, ActivityEvidence, ActivityState, OwnActivity } from './activity.ts';
export {
  type Address,
  canonicalAddress,
  isAddress,
  nameOfAddress,
  parseAddress,
  printAddress,
} from './address/address.ts';
export { isSelector, parseSelector, printSelector, type Selector } from './address/selector.ts';
export type { Attention, AttentionKind } from './attention.ts';
export {
  type AuditState,
  type Client,
  callAs,
  callingClient,
  clientKind,
} from './audit.ts';
export { Cancellation } from './cancellation.ts';
export {
  attributeNames,
  attributesOf,
  backgroundRgb,
  type Cell,
  type Color,
  cellsText,
  defaultBackgroundRgb,
  defaultForegroundRgb,
  flagsOf,
  foregroundRgb,
  isHidden,
  paletteRgb,
  type Style,
  type StyledRun,
  styledRuns,
  type UnderlineStyle,
} from './cell.ts';
export {
  type CommandChoice,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type CommandRecord,
  checkCommandChoice,
  checkListedCommands,
  type ShellIntegration,
} from './command.ts';
export {
  type Coordinator,
  type EndOptions,
  type EnvironmentMode,
  type InputReceipt,
  isSensitiveName,
  type ListRequest,
  maxRequestBytes,
  type OpenLeaseRequest,
  type RemoveOptions,
  type ResizeOptions,
  type ReviveRequest,
  type SendMouseOptions,
  type SendMouseResult,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type SpawnRequest,
  type SubscribeRequest,
  type Subscription,
} from './coordinator.ts';
export {
  agentDrivesMs,
  askedForMs,
  checkNote,
  type Driver,
  type DriverKind,
  type DriverState,
  driverName,
  type GiveRequest,
  type Sender,
  type TakeRequest,
  takenForMs,
  type Viewer,
  type ViewerKind,
  type Viewing,
  type ViewingState,
  type ViewRequest,
} from './driver.ts';
export {
  asVtrError,
  type ErrorCode,
  type ErrorRow,
  errorTable,
  ioError,
  ioErrors,
  lateReason,
  silentReason,
  systemReason,
  VtrError,
} from './errors.ts';
export type {
  BellEvent,
  ClipboardEvent,
  CwdEvent,
  ExitEvent,
  MarkEvent,
  MarkKind,
  NotificationEvent,
  OutputEvent,
  OutputPosition,
  ProgressEvent,
  ProgressState,
  ResizeEvent,
  SessionEvent,
  SnapshotEvent,
  SubscriptionEvent,
  TitleEvent,
} from './events.ts';
export type { ExitStatus } from './exit-status.ts';
export { hidesText, type LineRange, shownLines, withoutStyles } from './hidden-text.ts';
export {
  checkInputId,
  inputIdUsed,
  type ObservedInput,
  type SentInput,
  type TypedLine,
  type WrittenInput,
} from './input.ts';
export type { KeyAction, KeyModes, KeyPress, PasteMode } from './key.ts';
export {
  changedLabels,
  checkLabelKey,
  checkLabels,
  type LabelChanges,
  type SessionLabels,
} from './labels.ts';
export {
  checkLifetime,
  checkLimits,
  type EndedBy,
  type EndReason,
  type Lease,
  limitMechanism,
  type SessionLifetime,
  type SessionLimits,
} from './lifetime.ts';
export {
  checkLine,
  checkRawBytes,
  checkScrollbackLines,
  checkWaitingBytes,
  type Line,
  type LinesRead,
  maxRawBytes,
  maxScrollbackLines,
  maxWaitingBytes,
  minRawBytes,
  type ReadLinesRequest,
} from './lines.ts';
export {
  checkMouseInput,
  type MouseAction,
  type MouseButton,
  type MouseEncoding,
  type MouseInput,
  type MouseTracking,
  mouseActions,
  mouseButtons,
  type ScreenMatch,
} from './mouse.ts';
export type { Persistence } from './persistence.ts';
export {
  isKeyDriven,
  isProgramPrompt,
  isZshContinuation,
  looksLikePrompt,
  looksLikeQuestion,
  replacesShell,
} from './program-prompt.ts';
export {
  checkExitStatus,
  checkFeeder,
  hungUp,
  type Publication,
  type PublishRequest,
} from './publication.ts';
export {
  checkBudget,
  checkOutputFormat,
  type Excerpt,
  estimatedTokens,
  type KeptPart,
  type Omitted,
  type OutputFormat,
  outputFormats,
  type RawOutput,
  type ReadBudget,
  type ReadGap,
  type ReadMark,
  type ReadRequest,
  type ReadResult,
  startMark,
} from './read.ts';
export {
  checkMarker,
  checkRecordFormat,
  checkStartRecording,
  type FileRecording,
  type FileRecordingState,
  fileRecordFormats,
  fileRecordingStates,
  type RecordBegin,
  type RecordFormat,
  type RecordRequest,
  recordBegins,
  recordFormats,
  type SessionRecord,
  type StartRecordingRequest,
} from './recording.ts';
export { redactingCoordinator } from './redacting-coordinator.ts';
export type { Redacted, RedactRequest } from './redaction.ts';
export {
  applyFrame,
  cellsOfRuns,
  type FrameRow,
  isSameStyle,
  mergeFrames,
  plainStyle,
  type RowFrame,
  type Run,
  runsOfCells,
  type SessionFrame,
} from './row-frame.ts';
export type { RunRequest, RunResult } from './run.ts';
export {
  type Cursor,
  type CursorShape,
  checkRenderFormat,
  type RenderFormat,
  renderFormats,
  type ScreenRequest,
  type ScreenSnapshot,
} from './screen.ts';
export {
  type LineFinder,
  type LineScan,
  type SearchMatch,
  type SearchRequest,
  type SearchResult,
  searchCounts,
} from './search.ts';
export {
  checkSessionName,
  type PausedOutput,
  type RevivedSession,
  type SessionActivity,
  type SessionInfo,
  type SessionRef,
  type SessionState,
  type SpawnedSession,
} from './session.ts';
export { isStillAsked, type Question, questionOf, replyText } from './session-question.ts';
export {
  commandText,
  currentCommand,
  directoryOf,
  isDriven,
  oneLine,
  stateSinceMs,
  stateText,
  urgencyRank,
  withTilde,
} from './session-summary.ts';
export { checkSignalName, type SignalName, signalNames } from './signal.ts';
export {
  type CellPixels,
  checkSize,
  defaultCellPixels,
  defaultSize,
  isSize,
  maxSide,
  type Size,
} from './size.ts';
export { absoluteTimeRef, type ParsedTimeRef, parseTimeRef, type TimeRef } from './time-ref.ts';
export type { TmuxAnswer, TmuxCalls, TmuxControlAnswer, TmuxRequest } from './tmux.ts';
export { version } from './version.gen.ts';
export { initialViewModes, type ViewModes } from './view-modes.ts';
export {
  type CancelSignal,
  clampWaitMs,
  defaultPromptPattern,
  defaultQuietMs,
  defaultWaitMs,
  type MatchedPattern,
  maxWaitMs,
  type TextMatch,
  type WaitOptions,
  type WaitOutcome,
  type WaitRequest,
  type WaitResult,
} from './wait.ts';
export {
  checkPerSecond,
  type FramesRequest,
  type SessionsEvent,
  type SessionsWatch,
  type WatchSessionsRequest,
} from './watching.ts';
export type {
  JsonCalls,
  JsonConnection,
  JsonMessage,
  SharedLink,
  ShareRequest,
  StreamedJson,
  WebControls,
  WebLink,
  WebRequest,
  WebShare,
  WebStatus,
} from './web.ts';
