export {
  type Address,
  canonicalAddress,
  isAddress,
  nameOfAddress,
  parseAddress,
  printAddress,
} from './address/address.ts';
export { isSelector, parseSelector, printSelector, type Selector } from './address/selector.ts';
export {
  type AuditState,
  type Client,
  callAs,
  callingClient,
  clientKind,
} from './calls/audit.ts';
export {
  type AuditedCall,
  type Call,
  type CallName,
  callByName,
  callNames,
  callOf,
  coordinatorOf,
  isSessionCall,
  type SessionCall,
  withFields,
} from './calls/calls.ts';
export { Cancellation } from './calls/cancellation.ts';
export { firstWait } from './calls/first-wait.ts';
export {
  checkInputId,
  InputIds,
  inputIdUsed,
  type ObservedInput,
  type SentInput,
  type TypedLine,
  type WrittenInput,
} from './calls/input.ts';
export type { KeyAction, KeyModes, KeyPress, PasteMode } from './calls/key.ts';
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
} from './calls/mouse.ts';
export type { RunRequest, RunResult } from './calls/run.ts';
export { checkSignalName, type SignalName, signalNames } from './calls/signal.ts';
export {
  type CellPixels,
  checkSize,
  defaultCellPixels,
  defaultSize,
  isSize,
  maxSide,
  type Size,
} from './calls/size.ts';
export type { TmuxAnswer, TmuxCalls, TmuxControlAnswer, TmuxRequest } from './calls/tmux.ts';
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
} from './calls/wait.ts';
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
  WebWarning,
} from './calls/web.ts';
export { webWarningHint, webWarningText } from './calls/web.ts';

export {
  type Coordinator,
  defaultLimits,
  type EndOptions,
  type InputReceipt,
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
  asVtrError,
  type ErrorCode,
  type ErrorRow,
  errorTable,
  ioError,
  ioErrors,
  isVtrError,
  lateReason,
  type Stuck,
  silentReason,
  systemReason,
  VtrError,
} from './errors.ts';
export { flow } from './flow.ts';
export {
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
} from './output/cell.ts';
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
} from './output/command.ts';
export {
  type BellEvent,
  type ClipboardEvent,
  type CwdEvent,
  type ExitEvent,
  eraseOutput,
  type LineKey,
  type MarkEvent,
  type MarkKind,
  type NotificationEvent,
  type OutputEvent,
  type OutputPosition,
  type ProgramStatus,
  type ProgressEvent,
  type ProgressState,
  type RedrawnPart,
  type ResizeEvent,
  type ScreenPlace,
  type SessionEvent,
  type SnapshotEvent,
  type StatusState,
  type SubscriptionEvent,
  type TitleEvent,
} from './output/events.ts';
export {
  type FollowRequest,
  type FollowResult,
  followTimes,
  RememberedLines,
} from './output/follow.ts';
export { hidesText, type LineRange, shownLines, withoutStyles } from './output/hidden-text.ts';
export { type Highlight, highlightedRows, highlightsOf } from './output/highlights.ts';
export {
  checkLine,
  checkRawBytes,
  checkScrollbackLines,
  checkWaitingBytes,
  defaultScrollbackLines,
  type Line,
  type LinesRead,
  maxRawBytes,
  maxScrollbackLines,
  maxWaitingBytes,
  minRawBytes,
  type ReadLinesRequest,
} from './output/lines.ts';
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
} from './output/read.ts';
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
} from './output/recording.ts';
export { redactingCoordinator } from './output/redacting-coordinator.ts';
export type { Redacted, RedactRequest } from './output/redaction.ts';
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
} from './output/row-frame.ts';
export {
  type Cursor,
  type CursorShape,
  checkRenderFormat,
  type RenderFormat,
  renderFormats,
  type ScreenRequest,
  type ScreenSnapshot,
} from './output/screen.ts';
export {
  type LineFinder,
  type LineScan,
  maxMatchesLimit,
  nextSearched,
  type SearchMatch,
  type SearchRequest,
  type SearchResult,
  searchCounts,
} from './output/search.ts';
export {
  absoluteTimeRef,
  type ParsedTimeRef,
  parseTimeRef,
  type TimeRef,
} from './output/time-ref.ts';
export { initialViewModes, type ViewModes } from './output/view-modes.ts';
export type {
  Activity,
  ActivityEvidence,
  ActivityState,
  OwnActivity,
} from './sessions/activity.ts';
export type { AgentEvidence, AgentInfo, AgentState } from './sessions/agent.ts';
export type { Attention, AttentionKind } from './sessions/attention.ts';
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
  senderOf,
  type TakeRequest,
  takenForMs,
  type Viewer,
  type ViewerKind,
  type Viewing,
  type ViewingState,
  type ViewRequest,
} from './sessions/driver.ts';
export {
  apartVariable,
  type CallerEnvironment,
  callerEnvironment,
  type EnvironmentMode,
  isMisleadingName,
  isSensitiveName,
  minSecretLength,
  type PassingOptions,
  type SessionEnvironment,
  sessionIdVariable,
  sessionNameVariable,
  type Variables,
} from './sessions/environment.ts';
export type { ExitStatus } from './sessions/exit-status.ts';
export {
  changedLabels,
  checkLabelKey,
  checkLabels,
  type LabelChanges,
  type SessionLabels,
} from './sessions/labels.ts';
export {
  checkLifetime,
  checkLimits,
  type EndedBy,
  type EndReason,
  type Lease,
  limitMechanism,
  type SessionLifetime,
  type SessionLimits,
} from './sessions/lifetime.ts';
export { type Menu, menuText } from './sessions/menu.ts';
export { type OutputBurst, ownPaceMs } from './sessions/own-pace.ts';
export type { Persistence } from './sessions/persistence.ts';
export {
  isContinuation,
  isKeyDriven,
  isProgramPrompt,
  isRelay,
  isZshContinuation,
  labelMs,
  looksLikeLabel,
  looksLikeProgress,
  looksLikePrompt,
  looksLikeQuestion,
} from './sessions/program-prompt.ts';
export {
  checkExitStatus,
  checkFeeder,
  hungUp,
  type Publication,
  type PublishRequest,
} from './sessions/publication.ts';
export {
  checkSessionName,
  isSessionName,
  type PausedOutput,
  type RevivedSession,
  type SessionActivity,
  type SessionInfo,
  type SessionRef,
  type SessionState,
  type SpawnedSession,
} from './sessions/session.ts';
export {
  isStillAsked,
  isWaiting,
  type Question,
  questionOf,
  replyText,
} from './sessions/session-question.ts';
export {
  commandText,
  currentCommand,
  directoryOf,
  isDriven,
  stateSinceMs,
  urgencyRank,
  withTilde,
} from './sessions/session-summary.ts';
export {
  isPosixShell,
  isSecondPrompt,
  isShell,
  isWholeInput,
  keepsShell,
  looksLikeShellPrompt,
  printsFishPrompt,
  printsShellPrompt,
  replacesShell,
  startsShell,
} from './sessions/shell-line.ts';
export {
  checkPerSecond,
  type FramesRequest,
  type SessionsEvent,
  type SessionsWatch,
  type WatchSessionsRequest,
} from './sessions/watching.ts';
export { version } from './version.gen.ts';
export {
  counted,
  exitClause,
  exitText,
  oneLine,
  shortened,
  spaced,
  stateText,
} from './words.ts';
