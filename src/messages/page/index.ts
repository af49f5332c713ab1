export { type FilePart, type FilePartAnswer, maxFilePartsBytes, sendFile } from './file-part.ts';
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
} from './frames.ts';
