export {
  decodeCount,
  decodeFrame,
  decodeWithBytes,
  encodeCount,
  encodeFrame,
  encodeWithBytes,
  type Frame,
  FrameError,
  type FrameKind,
  frameKinds,
  joinBytes,
} from './frames.ts';
