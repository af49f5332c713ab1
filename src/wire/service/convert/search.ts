import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import {
  type GrepRequest,
  type GrepRequestSchema,
  type GrepResponse,
  GrepResponseSchema,
} from '#messages';
import { type SearchMatch, type SearchRequest, type SearchResult, searchCounts } from '#model';
import { fromChoice, toChoice } from './command.ts';
import { field } from './field.ts';
import { fromRange, toRange } from './screen.ts';

/**
 * Proto3 cannot tell a count of 0 from an absent one, so the counts are checked here.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function toSearchFields(request: SearchRequest): MessageInitShape<typeof GrepRequestSchema> {
  const { pattern, command } = request;
  const { before, after, maxMatches } = searchCounts(request);
  return {
    pattern,
    contextBefore: before,
    contextAfter: after,
    maxMatches,
    ...toRange(request),
    ...field('command', command === undefined ? command : toChoice(command)),
    ...field('redact', request.redact),
  };
}

export function fromSearchRequest(message: GrepRequest): SearchRequest {
  const { pattern, contextBefore, contextAfter, maxMatches, command } = message;
  return {
    pattern,
    before: contextBefore,
    after: contextAfter,
    ...field('maxMatches', maxMatches === 0 ? undefined : maxMatches),
    ...fromRange(message),
    ...field('command', command && fromChoice(command)),
    ...field('redact', message.redact),
  };
}

export function toSearchResult(result: SearchResult): GrepResponse {
  const { firstLine, truncated } = result;
  return create(GrepResponseSchema, {
    truncated,
    revision: BigInt(result.revision),
    firstLine: BigInt(firstLine),
    lostLines: BigInt(result.lostLines),
    erasedLines: BigInt(result.erasedLines ?? 0),
    ...field('redacted', result.redacted),
    matches: result.matches.map(({ line, inOutput = false, text, start, end, before, after }) => ({
      lineNumber: inOutput ? line : line - firstLine,
      inOutput,
      line: text,
      contextBefore: [...before],
      contextAfter: [...after],
      lineId: BigInt(line),
      start,
      end,
    })),
  });
}

export function fromSearchResult(message: GrepResponse): SearchResult {
  return {
    revision: Number(message.revision),
    firstLine: Number(message.firstLine),
    lostLines: Number(message.lostLines),
    ...(message.erasedLines > 0n && { erasedLines: Number(message.erasedLines) }),
    ...field('redacted', message.redacted),
    truncated: message.truncated,
    matches: message.matches.map(
      ({ lineId, inOutput, line, start, end, contextBefore, contextAfter }): SearchMatch => ({
        line: Number(lineId),
        ...defined({ inOutput: inOutput || undefined }),
        text: line,
        start,
        end,
        before: contextBefore,
        after: contextAfter,
      }),
    ),
  };
}
